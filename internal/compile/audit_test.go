package compile

import (
	"strings"
	"testing"

	"erelong.dev/erelong/internal/interp"
)

// TestAudit gives the audit of one system a program of another, which stands for one that was
// compiled wrongly.
func TestAudit(t *testing.T) {
	const head = "mutable constant x: 0..3\ninit x = 0\n"
	const right = head + `action a() { require x < 3; x := x + 1; }
safety [small] x < 3
`
	replaced := func(old, new string) string { return strings.Replace(right, old, new, 1) }
	for _, c := range []struct{ name, program, message string }{
		{"the same", right, ""},
		{"a step is missing", replaced("x < 3;", "x < 2;"),
			"from the state x = 2, a leads to x = 3 in the interpreter only"},
		{"a step leads elsewhere", replaced("x + 1", "3"),
			"from the state x = 0, a leads to x = 3 in the program only"},
		{"a property", replaced("[small] x < 3", "[small] x < 2"),
			"in the state x = 2, x < 3 is false, and in the interpreter true"},
		{"a failure is left to the search",
			replaced("x + 1", "(x + 9223372036854775806) - 9223372036854775805"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			oracle, wrong := parse(t, right), parse(t, c.program)
			p, err := build(t.Context(), wrong, claimsOf(wrong.System), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := p.load(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			p.audit = newAudit(t.Context(), oracle, claimsOf(oracle.System))
			w, err := p.Worker()
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			message := ""
			for x := int64(0); x < 4 && message == ""; x++ {
				packed, err := p.Pack(interp.State{x})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := w.Expand(packed); err != nil {
					message = err.Error()
				}
			}
			if !strings.Contains(message, c.message) || c.message == "" && message != "" {
				t.Errorf("the audit says %q, want %q", message, c.message)
			}
		})
	}
}

// TestAuditWork: the states that are compared get rarer, and the work is bounded.
func TestAuditWork(t *testing.T) {
	compared := 0
	for n := next(0); n < 1<<20; n = next(n + 1) {
		compared++
	}
	if want := 32 + 15*16; compared != want {
		t.Errorf("%d of a million states are compared, want %d", compared, want)
	}
	m := parse(t, `
mutable constant x: 0..999999
init x = 0
action a(y: 0..999999) { x := y; }
`)
	p, err := Compile(t.Context(), m, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	w, err := p.Worker()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Expand(make([]uint64, p.Words())); err != nil {
		t.Fatal(err)
	}
	if p.(*program).audit.model != nil {
		t.Error("a million steps were compared")
	}
}

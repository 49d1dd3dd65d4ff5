package system_test

import (
	"strings"
	"testing"

	"erelong/internal/lang"
	"erelong/internal/system"
)

func TestSigns(t *testing.T) {
	sys, _, err := lang.Compile("x.ere", `
sort s
immutable relation fixed(s)
mutable relation a(s), b(s)
safety [one] a(X) & b(Y) -> X = Y
safety [two] (forall X. a(X) -> b(X)) & (b(Z) -> a(Z) -> fixed(Z))
invariant [three] fixed(X) -> a(X)
invariant [four] !a(X) | b(X)
`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range system.Signs(sys) {
		got = append(got, s.Property+": "+s.Term.String()+" @ "+s.Span.Text())
	}
	want := []string{
		"one: exists X:s, Y:s. a(X) & b(Y) @ a(X) & b(Y)",
		"two: exists Z:s, X:s. a(X) @ a(X)",
		"two: exists Z:s. b(Z) @ b(Z)",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestInductive(t *testing.T) {
	sys, _, err := lang.Compile("x.ere", "mutable constant x: 0..3\nmutable relation r\ninit x = 0\nsafety [p] r -> x < 3\ntrusted invariant x != 2")
	if err != nil {
		t.Fatal(err)
	}
	in := system.Inductive(sys)
	if len(in.Inits) != 2 || in.Inits[0].Name != "p" || in.Inits[1].Name != "range:x" || len(sys.Inits) != 1 {
		t.Errorf("initial conditions: %v", in.Inits)
	}
	if err := system.Validate(in); err != nil {
		t.Error(err)
	}
}

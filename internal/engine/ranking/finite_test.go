package ranking

import (
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// A proof that counts a sort assumes that it is finite, unless the file declares that. It does not
// count what is declared infinite.
func TestFiniteSorts(t *testing.T) {
	const text = `
sort client
mutable relation waiting(client)
mutable relation served(client)
init !served(C)
fair action serve(c: client) { require waiting(c); waiting(c) := false; served(c) := true; }
action rest() { require !waiting(C); }
liveness [done] waiting(C) ~> (forall D. !waiting(D))
`
	for _, c := range []struct{ sort, want string }{
		{"sort client", "holds, assuming client is finite"},
		{"sort client @finite", "holds"},
		{"sort client @infinite", "unknown"},
	} {
		source := strings.Replace(text, "sort client", c.sort, 1)
		sys, _, err := ere.Compile("test.ere", source)
		if err != nil {
			t.Fatal(err)
		}
		results, err := Prove(testkit.Solving(t), sys, Options{})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(results, func(r result.Result) bool { return r.Property == "done" })
		got := string(results[i].Verdict)
		for _, a := range results[i].Assumptions {
			got += ", assuming " + a.Name
			if a.Line != 2 {
				t.Errorf("line %d", a.Line)
			}
		}
		if got != c.want {
			t.Errorf("%s: %s (%s), want %s", c.sort, got, results[i].Reason, c.want)
		}
	}
	if _, _, err := ere.Compile("test.ere", strings.Replace(text, "sort client",
		"sort client @infinite", 1)+"rank [done] { count (c: client) with waiting(c) }\n"); err == nil {
		t.Error("a count of an infinite sort is accepted")
	}
}

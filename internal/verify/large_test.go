package verify

import (
	"strings"
	"testing"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// TestBoundedLargeSteps searches runs whose steps have hundreds of branches in a row, without an
// instance. What induction proves is not searched; where there is only one instance, the formulas
// are grounded.
func TestBoundedLargeSteps(t *testing.T) {
	ctx := testkit.Solving(t)
	branches := strings.Repeat("if x = y { c := c + 1; x := x + 1; } else { d := d + 1; y := y + 1; }\n", 300)
	small := strings.Repeat("if x = y { x := if x < 7 then x + 1 else 0; } else { y := if y < 7 then y + 1 else 0; }\n", 300)
	for _, test := range []struct {
		name, text string
		depth      int
		want       map[string]result.Verdict
		engine     string
	}{
		{"a parameter", "immutable constant N: int\naxiom N >= 0\nmutable constant x: int\nmutable constant y: int\nmutable constant c: int\n" +
			"mutable constant d: int\nmutable constant s: int\ninit x = y & c = N & d = 0 & s = N\naction a() {\n" + branches +
			"s := s + 300;\n}\naction b(i: 0..1) { x := x + i; }\nsafety [sum] c + d = s\n", 3,
			map[string]result.Verdict{"sum": result.Holds}, induction.Name},
		{"one instance", "mutable constant x: 0..7\nmutable constant y: 0..7\ninit x <= 1 & y = 1\naction a() {\n" + small +
			"}\naction b() { require x < 7; x := x + 1; }\nsafety [never] x < 6\nsafety [always] x <= 7\n", 10,
			map[string]result.Verdict{"never": result.Violated, "always": result.Holds}, bmc.Name},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := Options{Bound: true,
				Bmc: bmc.Options{Depth: test.depth, Options: discharge.Options{}}}
			out, err := Run(ctx, testkit.Compile(t, test.text), o)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range out.Results {
				if want, ok := test.want[r.Property]; ok && r.Verdict != want {
					t.Errorf("%s: %s by %s, %s", r.Property, r.Verdict, r.Engine, r.Reason.Text)
				}
				if r.Verdict == result.Violated && r.Engine != test.engine {
					t.Errorf("%s is violated by %s", r.Property, r.Engine)
				}
			}
		})
	}
}

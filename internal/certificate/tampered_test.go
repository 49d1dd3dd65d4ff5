package certificate

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// A changed certificate is refused, with an error that names the change.
func TestTampered(t *testing.T) {
	sys := compile(t, lock)
	proved, _ := prove(t, sys)
	whole := func(c *Certificate) *Proof { return &c.Proofs[0] }
	drop := func(list []Formula, name string) []Formula {
		return slices.DeleteFunc(list, func(f Formula) bool { return f.Name == name })
	}
	retext := func(c *Certificate, from, to string) {
		s := &c.Specification
		s.Text = strings.Replace(s.Text, from, to, 1)
		s.SHA256 = hash(s.Text)
	}
	for name, tt := range map[string]struct {
		tamper func(*Certificate)
		want   string
	}{
		"dropped invariant": {func(c *Certificate) {
			p := whole(c)
			p.Invariant = drop(p.Invariant, "loud")
			p.Properties = drop(p.Properties, "loud")
		}, `"initiation of loud", conjunct 0 does not belong`},
		"dropped claimed one": {func(c *Certificate) {
			p := whole(c)
			p.Invariant = drop(p.Invariant, "mutex")
		}, "mutex is claimed, but it is not covered"},
		"claim that is not held": {func(c *Certificate) {
			p := whole(c)
			p.Properties = append(p.Properties, formula(sys.Property("wrong")))
		}, "wrong is claimed, but it is not covered"},
		"invariant that is false": {func(c *Certificate) {
			p := whole(c)
			p.Invariant = append(p.Invariant, formula(sys.Property("wrong")))
		}, `"initiation of wrong", conjunct 0 is missing`},
		"claim from another proof": {func(c *Certificate) {
			p := &c.Proofs[1]
			p.Properties = append(p.Properties, formula(sys.Property("mutex")))
		}, "mutex is no theorem"},
		"unknown property": {func(c *Certificate) { whole(c).Properties[0].Name = "mutx" },
			"no property mutx"},
		"altered property": {func(c *Certificate) {
			whole(c).Properties[0].Formula = "true"
		}, `mutex is stated as "true"`},
		"altered invariant": {func(c *Certificate) {
			whole(c).Invariant[2].Formula = "false"
		}, `grows is stated as "false"`},
		"claimed twice": {func(c *Certificate) {
			p := whole(c)
			p.Properties = append(p.Properties, p.Properties[0])
		}, "mutex is listed twice"},
		"proof twice": {func(c *Certificate) {
			c.Proofs = append(c.Proofs, c.Proofs[0])
		}, "mutex is claimed twice"},
		"trusted in the invariant": {func(c *Certificate) {
			p := whole(c)
			p.Invariant = append(p.Invariant, p.Trusted...)
		}, "fair is a trusted property"},
		"invariant as trusted": {func(c *Certificate) {
			p := whole(c)
			p.Trusted = append(p.Trusted, p.Invariant[0])
		}, "trusted invariants [fair mutex], but the text has [fair]"},
		"trusted not stated": {func(c *Certificate) { whole(c).Trusted = nil }, "but the text has [fair]"},
		"missing obligation": {func(c *Certificate) {
			p := whole(c)
			p.Obligations = p.Obligations[1:]
		}, `"initiation of mutex", conjunct 0 is missing`},
		"missing unmodified obligation": {func(c *Certificate) {
			p := whole(c)
			p.Obligations = slices.DeleteFunc(p.Obligations, func(o Obligation) bool {
				return o.Name == "hiss preserves mutex"
			})
		}, `"hiss preserves mutex", conjunct 0 is missing`},
		"extra obligation": {func(c *Certificate) {
			p := whole(c)
			o := p.Obligations[0]
			o.Conjunct = 7
			p.Obligations = append(p.Obligations, o)
		}, `"initiation of mutex", conjunct 7 does not belong`},
		"repeated obligation": {func(c *Certificate) {
			p := whole(c)
			p.Obligations = append(p.Obligations, p.Obligations[0])
		}, "stated twice"},
		"renamed obligation": {func(c *Certificate) { whole(c).Obligations[1].Name = "nothing" }, "is missing"},
		"altered obligation": {func(c *Certificate) { whole(c).Obligations[0].Formula = "true" }, `"initiation of mutex", conjunct 0 is stated about "true"`},
		"other action":       {func(c *Certificate) { whole(c).Obligations[1].Action = "leave" }, "is missing"},
		"reduction":          {func(c *Certificate) { whole(c).Reductions = []Reduction{{"magic", "none"}} }, `the reduction "magic" is not known`},
		"k-induction":        {func(c *Certificate) { whole(c).Induction = 2 }, "2-induction"},
		"negative induction": {func(c *Certificate) { whole(c).Induction = -1 }, "-1-induction"},
		"no induction":       {func(c *Certificate) { whole(c).Induction = 0 }, "rests on no invariant"},
		"claims nothing": {func(c *Certificate) { whole(c).Properties = nil },
			"claims nothing"},
		"a system that is not derived": {func(c *Certificate) { whole(c).System = derive.Processes },
			`no system "processes" is derived`},
		"no name of a system": {func(c *Certificate) { whole(c).System = "magic" },
			`there is no pass "magic"`},
		"no proof":           {func(c *Certificate) { c.Proofs = nil }, "it proves nothing"},
		"wrong hash":         {func(c *Certificate) { c.Specification.SHA256 = hash("") }, "the SHA-256 of the text is"},
		"other text":         {func(c *Certificate) { c.Specification.Text += "\n" }, "the SHA-256 of the text is"},
		"text with an error": {func(c *Certificate) { retext(c, "sort node", "sort nod") }, "there is no sort"},
		"weaker safety": {func(c *Certificate) {
			retext(c, "safety [mutex] at(M) = critical &", "safety [mutex] at(M) = idle &")
		}, "mutex is stated as"},
		"action left out":   {func(c *Certificate) { retext(c, "action hiss", "definition hiss() = true #") }, "does not belong"},
		"safety as trusted": {func(c *Certificate) { retext(c, "safety [mutex]", "trusted invariant [mutex]") }, "mutex is a trusted property"},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := proved.Write(&b); err != nil {
				t.Fatal(err)
			}
			c, err := Read(&b)
			if err != nil {
				t.Fatal(err)
			}
			tt.tamper(c)
			_, err = c.Recheck(t.Context(), Options{Drivers: testkit.Solvers(t), Rlimit: rlimit})
			if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// The solvers refute the obligations of a text that have the right names but are false.
func TestFalseClaims(t *testing.T) {
	for name, tt := range map[string]struct {
		from, to string
		false    string // a property with a false obligation
	}{
		"guard left out": {"require at(n) = waiting & !busy", "require at(n) = waiting", "mutex"},
		"initial condition": {"init at(N) = idle & turn = first", "init turn = first",
			"mutex"},
		"axiom left out":         {"axiom top >= 0", "axiom top = top", ""},
		"smaller choice":         {"with k >= turn", "with k <= turn", "grows"},
		"range left":             {"choose k: 0..top", "choose k: 0..top + 1", "range:turn"},
		"trusted left out":       {"!quiet\ninit", "quiet | !quiet\ninit", "loud"},
		"definition changed":     {"busy <-> exists", "busy <-> !exists", "both"},
		"false as initial state": {"turn = first &", "turn = first & turn > top &", ""},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(lock, tt.from, tt.to, 1)
			if text == lock {
				t.Fatal("nothing is changed")
			}
			c := claim(t, compile(t, text),
				[]string{"mutex", "both", "grows", "loud", "range:turn"},
				[]string{"mutex", "both", "grows", "loud", "range:turn"})
			out := recheck(t, c, testkit.Solvers(t)...)
			for _, r := range out.Results {
				switch {
				case name == "axiom left out":
					if r.Verdict != result.Holds { // the range of first implies it
						t.Errorf("%s: %s (%s)", r.Property, r.Verdict, r.Reason.Text)
					}
				case tt.false == "":
					if r.Verdict != result.NothingChecked {
						t.Errorf("%s: %s (%s)", r.Property, r.Verdict, r.Reason.Text)
					}
				case r.Verdict == result.Holds:
					t.Errorf("%s holds, although %s does not", r.Property, tt.false)
				case r.Property == tt.false && r.Verdict != result.NotInductive:
					t.Errorf("%s: %s (%s)", r.Property, r.Verdict, r.Reason.Text)
				}
			}
		})
	}
}

// A certificate without a needed invariant, and without its obligations, is refused.
func TestMissingInvariant(t *testing.T) {
	sys := compile(t, `
mutable relation p
mutable relation q
init p & q
action copy() { q := p; }
safety [wanted] q
invariant [needed] p`)
	for _, tt := range []struct {
		invariant []string
		want      result.Verdict
	}{{[]string{"wanted", "needed"}, result.Holds}, {[]string{"wanted"}, result.NotInductive}} {
		out := recheck(t, claim(t, sys, []string{"wanted"}, tt.invariant), testkit.Solvers(t)...)
		if r := out.Results[0]; len(out.Results) != 1 || r.Verdict != tt.want {
			t.Errorf("with %v: %s (%s)", tt.invariant, r.Verdict, r.Reason.Text)
		}
	}
}

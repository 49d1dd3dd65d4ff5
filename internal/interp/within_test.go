package interp

import (
	"fmt"
	"math/rand"
	"regexp"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/testkit"
)

// inWords says in some words that a variable is at least low and at most high.
func inWords(r *rand.Rand, v, low, high string) string {
	return strings.NewReplacer("V", v, "LOW", low, "HIGH", high).Replace([]string{
		"LOW <= V & V <= HIGH", "V >= LOW & !(V > HIGH)", "(LOW) - 1 < V & (HIGH) + 1 > V",
		"V - (LOW) >= 0 & (HIGH) - V >= 0", "(V = LOW | V = HIGH)", "-V <= -(LOW) & V <= HIGH",
		"LOW <= V & (V < HIGH | V = HIGH)", "!(V < LOW | V > HIGH)",
		"(if n > m then V = LOW else LOW <= V & V <= HIGH)", "(LOW > V -> false) & V <= HIGH",
		"(let x = V in LOW <= x & x <= HIGH)", "V != m & LOW < V & V < HIGH",
	}[r.Intn(12)])
}

// wordy is a system with integers of parameters, choices and quantifiers that formulas bound.
func wordy(r *rand.Rand) string {
	pick := func(from ...string) string { return from[r.Intn(len(from))] }
	low := func() string { return pick("0", "n - 2", "m", "-3", "f(true) - 1") }
	high := func() string { return pick("n + 1", "m + 2", "4", "f(false)") }
	k := inWords(r, "k", low(), high())
	j := inWords(r, "j", low(), pick("k", "k + 1", high()))
	i := inWords(r, "i", low(), high())
	h := inWords(r, "h", low(), high())
	return fmt.Sprintf(`mutable constant n: -6..6
mutable constant m: -6..6
mutable function f(bool): -6..6
init n = %d & m = %d & f(true) = %d & f(false) = %d
action a(k: int, j: int) {
  require %s;
  require %s & %s & -6 <= k - j & k - j <= 6;
  n := k - j;
}
action b() {
  require exists i: int. %s & i * 2 = n;
  choose h: int with %s & -6 <= h & h <= 6;
  f(h > m) := h;
}
action d() {
  m := *;
  require exists i: int. %s & i != n;
  choose h: int with %s & -6 <= h & h <= 6;
  n := h;
}
action e(k: int) {
  let n1 = n - 1;
  let m1 = n1 + m;
  require n1 <= k & k <= n1 + 3;
  require -6 <= k + m1 & k + m1 <= 6 & %s;
  n := k + m1;
}
action c() { require forall i: int, j: int. %s & %s -> i + j != m; m := if m = 6 then -6 else m + 1; }
safety [none] forall i: int. %s -> i != 6
instance one {}
`, r.Intn(5)-2, r.Intn(5)-2, r.Intn(5)-2, r.Intn(5)-2, k, j, pick("true", "k != j", "k * j < 9"), i, h,
		i, h, k, i, inWords(r, "j", low(), "i"), i)
}

// Integers that formulas bound, in any words, have the same values as integers of a wide range.
func TestIntegersBetween(t *testing.T) {
	wide := regexp.MustCompile(`([kjih]): int`)
	steps, violated := 0, 0
	for seed := range int64(testkit.Size(25, 300)) {
		text := wordy(rand.New(rand.NewSource(seed)))
		m, claim := compiled(t, text)
		ranged, same := compiled(t, wide.ReplaceAllString(text, "$1: -12..12"))
		seen := map[string]bool{}
		var queue []State
		meet := func(s State) error {
			if key := fmt.Sprint(s); !seen[key] && len(seen) < 100 {
				seen[key] = true
				queue = append(queue, slices.Clone(s))
			}
			return nil
		}
		if err := m.Initial(t.Context(), meet); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		for i := 0; i < len(queue); i++ {
			s := queue[i]
			holds, err := m.Holds(claim, s)
			if want, _ := ranged.Holds(same, s); err != nil || holds != want {
				t.Fatalf("seed %d: the claim is %v, in a range %v (%v)\n%s", seed, holds, want, err,
					text)
			}
			if !holds {
				violated++
			}
			next := successors(t, m, s)
			if want := successors(t, ranged, s); !slices.EqualFunc(next, want, slices.Equal) {
				t.Fatalf("seed %d: %d steps, in a range %d, from %v\n%s", seed, len(next),
					len(want), s, text)
			}
			steps += len(next)
			for _, s := range next {
				_ = meet(s)
			}
		}
	}
	if steps < 2_000 || violated < 50 {
		t.Errorf("%d steps, %d violations", steps, violated)
	}
}

func compiled(t *testing.T, text string) (*Model, *logic.Term) {
	t.Helper()
	sys, list, err := ere.Compile("x.ere", text)
	if err != nil {
		t.Fatalf("%v\n%s", list, text)
	}
	m, err := NewModel(sys, sys.Instances[0])
	if err != nil {
		t.Fatal(err)
	}
	return m, sys.Property("none").Term
}

// successors lists the states after the steps from a state, in order.
func successors(t *testing.T, m *Model, s State) (out []State) {
	t.Helper()
	for _, a := range m.System.Actions {
		if err := m.Steps(t.Context(), s, a, func(s Step) error {
			out = append(out, slices.Clone(s.State))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	slices.SortFunc(out, slices.Compare)
	return out
}

package interp

import (
	"fmt"
	"math/rand"
	"regexp"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/system"
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
action c() { require forall i: int, j: int. %s & %s -> i + j != m; m := if m = 6 then -6 else m + 1; }
safety [none] forall i: int. %s -> i != 6
instance one {}
`, r.Intn(5)-2, r.Intn(5)-2, r.Intn(5)-2, r.Intn(5)-2, k, j, pick("true", "k != j", "k * j < 9"), i, h,
		i, inWords(r, "j", low(), "i"), i)
}

// Integers that formulas bound, in any words, have the same values as integers of a wide range.
func TestIntegersBetween(t *testing.T) {
	wide := regexp.MustCompile(`([kjih]): int`)
	steps, violated := 0, 0
	for seed := range int64(testkit.Size(25, 300)) {
		text := wordy(rand.New(rand.NewSource(seed)))
		got, want := reached(t, text), reached(t, wide.ReplaceAllString(text, "$1: -12..12"))
		if got != want {
			t.Fatalf("seed %d: %+v, in a range %+v\n%s", seed, got, want, text)
		}
		steps += got.steps
		violated += got.violated
	}
	if steps < 2_000 || violated < 50 {
		t.Errorf("%d steps, %d violations", steps, violated)
	}
}

type reach struct{ states, steps, violated int }

// reached counts the first states that runs reach, the steps from them, and the states in which the
// claim is false.
func reached(t *testing.T, text string) (out reach) {
	t.Helper()
	sys, list, err := ere.Compile("x.ere", text)
	if err != nil {
		t.Fatalf("%v\n%s", list, text)
	}
	m, err := NewModel(sys, sys.Instances[0])
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	var queue []State
	meet := func(s State) error {
		if key := fmt.Sprint(s); !seen[key] && len(seen) < 100 {
			seen[key] = true
			queue = append(queue, append(State(nil), s...))
		}
		return nil
	}
	if err := m.Initial(t.Context(), meet); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var claim *system.Property
	for _, p := range sys.Properties {
		if p.Name == "none" {
			claim = p
		}
	}
	for i := 0; i < len(queue); i++ {
		if holds, err := m.Holds(claim.Term, queue[i]); err != nil {
			t.Fatalf("%v\n%s", err, text)
		} else if !holds {
			out.violated++
		}
		for _, a := range sys.Actions {
			err := m.Steps(t.Context(), queue[i], a, func(s Step) error {
				out.steps++
				return meet(s.State)
			})
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
		}
	}
	out.states = len(seen)
	return out
}

package infer

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// A property proved with lemmas is violated in no small instance, and each lemma is true in all
// their states. Exploration finds every violation that is shown.
func TestGeneratedProtocols(t *testing.T) {
	opts := options(t)
	n := testkit.Size(4, 25)
	if testkit.Long() {
		n = 2000
	}
	proved, violated := 0, 0
	for seed := range n {
		text := protocol(rand.New(rand.NewSource(seed)))
		if seed%2 == 1 {
			text = leveled(rand.New(rand.NewSource(seed)))
		}
		sys, list, err := ere.Compile("x.ere", text)
		if err != nil {
			t.Fatalf("%v (%v)\n%s", err, list, text)
		}
		out, err := Find(t.Context(), sys, opts)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		real := out.Proved && violatedSomewhere(t, sys, out, text)
		switch {
		case real:
			t.Fatalf("proved, but false:\n%s\n%v", text, out.Lemmas)
		case out.Proved:
			proved++
		case slices.ContainsFunc(out.Results, func(r result.Result) bool {
			return r.Verdict == result.Violated
		}):
			violated++
		}
	}
	t.Logf("%d of %d proved, %d violated", proved, n, violated)
	if proved == 0 || violated == 0 {
		t.Errorf("%d proved and %d violated: the generator makes only one kind", proved, violated)
	}
}

// violatedSomewhere explores instances of the system with the lemmas as safety properties.
func violatedSomewhere(t *testing.T, sys *system.System, out *Outcome, text string) bool {
	t.Helper()
	with := *sys
	with.Properties = slices.Clone(sys.Properties)
	for _, l := range out.Lemmas {
		with.Properties = append(with.Properties,
			&system.Property{Name: l.Name, Kind: system.Safety, Term: l.Term})
	}
	for size := 1; size <= 3; size++ {
		values := fmt.Sprintf("node = %d", size)
		if strings.Contains(text, "top") {
			values += fmt.Sprintf(", top = %d", 4-size)
		}
		instances, err := ere.Instances(&with, values)
		if err != nil {
			t.Fatal(err)
		}
		results, err := explicit.Check(t.Context(), &with, instances[0],
			explicit.Options{Threads: 1})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if slices.ContainsFunc(results, func(r result.Result) bool {
			return r.Verdict == result.Violated
		}) {
			return true
		}
	}
	return false
}

// protocol makes a system in which things move from one relation to the next.
func protocol(rng *rand.Rand) string {
	var b strings.Builder
	b.WriteString("sort node\nmutable relation a(node), b(node), c(node)\nmutable relation free\n")
	b.WriteString("init !a(N) & !b(N) & !c(N)\ninit free\n")
	relations := []string{"a", "b", "c"}
	for i := range 3 {
		from, to := relations[i], relations[(i+1)%3]
		guard := from + "(n)"
		if i == 0 || rng.Intn(4) == 0 {
			guard = "free"
			if rng.Intn(3) == 0 {
				guard = "!" + from + "(n)"
			}
		}
		fmt.Fprintf(&b, "action move%d(n: node) { require %s; ", i, guard)
		if rng.Intn(5) > 0 {
			fmt.Fprintf(&b, "%s(n) := false; ", from)
		}
		fmt.Fprintf(&b, "%s(n) := true; free := %s; }\n", to, []string{"false", "false", "true", "free"}[rng.Intn(4)])
	}
	x, y := relations[rng.Intn(3)], relations[rng.Intn(3)]
	fmt.Fprintf(&b, "safety [p] %s(M) & %s(N) -> M = N\n", x, y)
	return b.String()
}

package ranking

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/testkit"
)

const letters = `
	sort node
	immutable relation bad(node)
	mutable relation sent(node, node)
	mutable relation heard(node, node)
	mutable relation done(node)
	init !sent(M, N) & !heard(M, N) & !done(N)
	fair action send(n: node) { require !bad(n); sent(n, N) := true; }
	action trickle(n: node, m: node) { require bad(n); sent(n, m) := true; }
	fair action hear(m: node, n: node) {
		require sent(m, n) & !bad(n);
		heard(m, n) := true;
		if forall M. heard(M, n) { done(n) := true; }
	}
	action imagine(n: node, m: node) { require bad(n); heard(m, n) := !heard(m, n); }
	liveness [live] !bad(N) ~> done(N)
	instance two { node = 2 }`

// What steps establish is found, without the values that actions without fairness spoil. Fair
// actions, and guards that steps change, exempt nothing.
func TestEstablished(t *testing.T) {
	whole := "forall V1:node, V2:node, W2:node. bad(V1) | (sent(V1, V2) -> sent(V1, W2))"
	rest := []string{
		"forall V1:node, V2:node. bad(V2) | (heard(V1, V2) -> sent(V1, V2))",
		"forall n:node. bad(n) | ((forall M:node. heard(M, n)) -> done(n))",
		"forall n:node. bad(n) | (done(n) -> forall M:node. heard(M, n))",
	}
	for _, test := range []struct {
		name, old, changed string
		want, not          []string
	}{
		{name: "as it is", want: append(rest, whole)},
		{"a fair one sends to some", "action trickle", "fair action trickle", rest,
			[]string{whole}},
		{"who is done sends to some", "bad(n); sent(n, m)", "done(n); sent(n, m)", rest,
			[]string{whole, strings.Replace(whole, "bad", "done", 1)}},
		{"anyone forgets", "require bad(n); heard(m, n) := !heard(m, n)", "heard(m, n) := false",
			[]string{whole, "forall V1:node, V2:node. heard(V1, V2) -> sent(V1, V2)"}, rest[2:]},
		{"some are done at first", "& !done(N)", "", append(rest[:2:2], whole), rest[2:]},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !strings.Contains(letters, test.old) {
				t.Fatalf("%q is not there", test.old)
			}
			sys := testkit.Compile(t, strings.Replace(letters, test.old, test.changed, 1))
			compareFound(t, found(t, Established, sys, "live"), test.want, test.not)
		})
	}
}

// spoilt writes a random system, in which some actions are not fair and only for some values.
func spoilt(rng *rand.Rand) string {
	var b strings.Builder
	pick := func(from ...string) string { return from[rng.Intn(len(from))] }
	b.WriteString(`sort node
		immutable relation bad(node)
		immutable relation odd(node)
		mutable relation a(node)
		mutable relation b(node)
		mutable relation r(node, node)
		mutable relation q(node, node)
		init !a(N) & !b(N) & !r(M, N) & !q(M, N)
		liveness [live] !bad(N) ~> a(N)
		instance two { node = 2 }
		instance three { node = 3 }
		`)
	for i := range 2 + rng.Intn(4) {
		fair, kind := "fair ", pick("", "!bad(n) & ")
		if rng.Intn(2) == 0 {
			fair, kind = "", pick("", "bad(n) & ", "odd(n) & ", "bad(m) & ", "(bad(n) | odd(n)) & ")
		}
		set := func() string {
			return pick("a(n)", "b(n)", "r(n, m)", "r(n, N)", "q(n, m)", "q(n, N)") + " := " +
				pick("true", "true", "true", "false") + ";"
		}
		fmt.Fprintf(&b, "%saction a%d(n: node, m: node) { require %s%s; %s if %s { %s } }\n", fair,
			i, kind, pick("true", "a(n)", "r(m, n)", "q(n, m)"), set(),
			pick("a(n)", "b(n)", "forall N. r(N, n)", "exists N. q(n, N)"), set())
	}
	return b.String()
}

// What is found is true in all reachable states, also of a larger instance than it was found in.
func TestEstablishedIsInvariant(t *testing.T) {
	from, to := seeds(t, int(testkit.Size(6, 60)))
	found, exempt := 0, 0
	for seed := from; seed < min(to, from+400); seed++ {
		text := spoilt(rand.New(rand.NewSource(int64(seed))))
		sys := testkit.Compile(t, text)
		all, err := Established(t.Context(), sys, sys.Property("live"), sys.Instances[:1],
			options(t).Options)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		w, err := walkThrough(t.Context(), sys, sys.Instances[1], 2_000,
			&interp.Budget{Left: mostTried}, nil)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		for _, p := range all {
			if found++; strings.Contains(p.Term.String(), " | ") {
				exempt++
			}
			for _, state := range w.states {
				if ok, err := w.model.Holds(p.Term, state); err != nil || !ok {
					t.Fatalf("seed %d: %s is false (%v)\n%s", seed, p.Term, err, text)
				}
			}
		}
	}
	if found == 0 || exempt == 0 {
		t.Errorf("%d formulas are found, and %d of these with exempt values", found, exempt)
	}
}

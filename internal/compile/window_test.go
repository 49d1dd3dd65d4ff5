package compile

import (
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// In an instance that bounds the integers, a program has the steps that read no other point, and no
// others.
func TestWindows(t *testing.T) {
	loops := limits{unknown: defaultLimits.unknown, wordBits: 64}
	var total comparison
	left := 0 // states with a step that leaves the window
	systems := testkit.Size(40, 600)
	for seed := range systems {
		text := windowed(rand.New(rand.NewSource(seed)))
		sys := testkit.Compile(t, text)
		m := model(t, sys, &system.Instance{Integers: &system.Window{Lo: -1, Hi: 2},
			Sizes: map[*logic.Sort]int{sys.Sorts[0]: 2}})
		opts := Options{}
		if seed%3 == 0 {
			opts.limits = &loops
		}
		if _, err := build(t.Context(), m, nil, opts); errors.Is(err, ErrUnsupported) {
			t.Log(err)
			total.unsupported++
			continue
		}
		if !t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			total.add(compareClaims(t, m, nil, opts, int(testkit.Size(50, 100))))
		}) {
			t.Fatal(text)
		}
		left += leaving(t, m)
	}
	t.Logf("%+v, %d states with a step that leaves the window", total, left)
	if n := int(systems); total.unsupported > n/10 || total.successors < 50*n ||
		total.spurious > total.states/10 || left < n/4 {
		t.Errorf("too little was compared: %+v, %d", total, left)
	}
}

// leaving counts the initial states in which a step that r(n + 1) asks for is left out.
func leaving(t *testing.T, m *interp.Model) (n int) {
	t.Helper()
	at := m.System.Property("at").Term
	err := m.Initial(t.Context(), func(s interp.State) error {
		if holds, err := m.Holds(at, s); err == nil && !holds {
			n++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// windowed is a system whose symbols have integers as arguments.
func windowed(rng *rand.Rand) string {
	pick := func(of ...string) string { return of[rng.Intn(len(of))] }
	number := func(t string) string {
		return pick("n", t, t, t+" + 1", "n - 1", "f("+t+")", "g(P, "+t+")", "last", "2", "0", "7")
	}
	cond := func(t string) string {
		return pick("r("+number(t)+")", "!r("+number(t)+")", number(t)+" < "+number(t),
			"seen(P, "+number(t)+")", number(t)+" = "+number(t),
			"(exists T: int. r(T) & "+number("T")+" = "+number(t)+")",
			"(forall T: int. r(T) -> T <= "+number(t)+")",
			"(r("+number(t)+") | last < "+number(t)+")")
	}
	write := func(t string) string {
		return pick("n := "+number(t)+";", "r("+number(t)+") := "+pick("true", "false")+";",
			"f("+number(t)+") := "+number(t)+";", "seen(P, "+number(t)+") := true;",
			"g(P, T) := "+number("T")+";", "r(T) := r(T) & T < "+number(t)+";",
			"if "+cond(t)+" { last := "+number(t)+"; } else { r("+number(t)+") := true; }",
			"choose k: int with "+cond("k")+"; f("+t+") := k;")
	}
	var b strings.Builder
	b.WriteString(`sort node
		mutable constant n: int
		mutable constant last: int
		mutable relation r(int)
		mutable relation seen(node, int)
		mutable function f(int): int
		mutable function g(node, int): int
		init !r(T) & !seen(P, T) & f(T) = 0 & g(P, T) = 1 & last = 0
		safety [at] n < 2
		`)
	fmt.Fprintf(&b, "init %s\n", pick("n = 2", "n = 0", "(n = 1 | n = 2)"))
	for i := range 3 {
		fmt.Fprintf(&b, "action a%d(P: node, t: int) { require %s %s %s; %s %s }\n", i,
			cond("t"), pick("&", "|", "->"), cond("t"), write("t"), write("t"))
	}
	return b.String()
}

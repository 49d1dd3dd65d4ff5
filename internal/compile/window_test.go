package compile

import (
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
	var total comparison
	ends := 0 // initial states from which n + 1 lies outside of the window
	systems := testkit.Size(40, 600)
	for seed := range systems {
		text := windowed(rand.New(rand.NewSource(seed)))
		sys := testkit.Compile(t, text)
		m := model(t, sys, &system.Instance{Integers: &system.Window{Lo: -1, Hi: 2},
			Sizes: map[*logic.Sort]int{sys.Sorts[0]: 2}})
		if !t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			total.try(t, seed, m, nil)
		}) {
			t.Fatal(text)
		}
		ends += atEnd(t, m)
	}
	t.Logf("%+v, %d initial states at the end of the window", total, ends)
	if n := int(systems); total.unsupported > n/10 || total.successors < 50*n ||
		total.spurious > total.states/10 || ends < n/4 {
		t.Errorf("too little was compared: %+v, %d", total, ends)
	}
}

// atEnd counts the initial states in which n is the last integer of the window: a step that reads a
// point at n + 1 is left out there.
func atEnd(t *testing.T, m *interp.Model) (n int) {
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

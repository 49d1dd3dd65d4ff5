package systemtest

import (
	"fmt"
	"math/rand"
	"strings"
)

// Processes writes a specification, as text, of processes with locations, flags of their own, and
// some shared variables. Many of their steps are independent. Its instance is called small. Some
// actions leave ranges, or fail.
func Processes(rng *rand.Rand) string {
	one := func(texts ...string) string { return texts[rng.Intn(len(texts))] }
	place := func() string { return fmt.Sprint(rng.Intn(4)) }
	truth := func() string { return one("true", "false") }
	var b strings.Builder
	fmt.Fprintf(&b, `sort proc
mutable function at(proc): 0..3
mutable relation flag(proc)
mutable relation said(proc, proc)
mutable relation open
mutable relation hot
mutable constant count: 0..2
mutable constant turn: proc
init at(P) = %s
init flag(P) = %s & !said(P, Q) & open = %s & !hot & count = 0
`, one("0", "0", "3"), truth(), truth())
	condition := func() string {
		return one("open", "!open", "hot", "count < 2", "count = 1", "turn = p", "turn != p",
			"flag(p)", "!flag(p)", "(forall Q. flag(Q))",
			"(exists Q. Q != p & said(Q, p))", "(forall Q. Q != p -> !said(p, Q))",
			"(forall Q. Q != p -> at(Q) != "+place()+")", "flag(turn)",
			"count * 9223372036854775807 > 5")
	}
	statement := func() string {
		return one("open := "+truth()+";", "hot := true;", "count := count + 1;", "count := 0;",
			"turn := p;", "turn := *;", "flag(p) := "+truth()+";", "flag(p) := !flag(p);",
			"said(p, Q) := true;", "said(Q, p) := false;",
			"choose q: proc with q != p { said(p, q) := true; }",
			"flag(P) := if P = p then "+truth()+" else flag(P);",
			"if (hot) { flag(p) := true; } else { open := true; }", "at(p) := at(p) + 1;",
			"flag(p) := *;", "require count * 9223372036854775807 >= 0;")
	}
	for i := range 2 + rng.Intn(4) {
		at := rng.Intn(4)
		fmt.Fprintf(&b, "action step%d(p: proc) {\n  require at(p) = %d;\n", i, at)
		if rng.Intn(3) == 0 {
			fmt.Fprintf(&b, "  require %s;\n", condition())
		}
		if rng.Intn(3) > 0 {
			fmt.Fprintf(&b, "  at(p) := %s;\n",
				one(fmt.Sprint((at+1)%4), fmt.Sprint(min(at+1, 3)), place()))
		}
		for range rng.Intn(3) {
			fmt.Fprintf(&b, "  %s\n", statement())
		}
		b.WriteString("}\n")
	}
	if rng.Intn(4) == 0 {
		fmt.Fprintf(&b, "trusted invariant %s\n",
			one("!(at(P) = 2 & at(Q) = 2 & P != Q)", "at(P) = 3 -> !open", "flag(P) | at(P) < 2"))
	}
	for range 1 + rng.Intn(2) {
		fmt.Fprintf(&b, "invariant %s\n", one(
			"!(at(P) = "+place()+" & at(Q) = "+place()+" & P != Q)", "count < 2",
			"open | hot -> count = 0", "!(flag(P) & open)", "flag(P) -> at(P) != "+place(),
			"said(P, Q) -> flag(P)", "hot -> !open", "!(at(P) = "+place()+" & open)",
			"turn = P -> at(P) < 3", "at(turn) != "+place(),
			"at(P) = at(Q) & at(P) = "+place()+" -> P = Q",
			"count <= at(P) | open", "flag(turn) | !hot", "exists P. at(P) < 3"))
	}
	fmt.Fprintf(&b, "instance small { proc = %d }\n", 2+rng.Intn(2))
	return b.String()
}

package tlatest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Typed is the model of a seed whose expressions have types: with constant sets, functions, records
// of two forms, a sequence, an element that may be missing, and one claim.
func Typed(seed uint64) Model {
	g := typed{generator{rand.New(rand.NewPCG(seed, 11)), new(int)}}
	var b strings.Builder
	b.WriteString(`---- MODULE S ----
EXTENDS Integers, Sequences, FiniteSets
CONSTANTS P, Q, None, N
ASSUME ASSUMED /\ N \in Nat /\ Q \subseteq SUBSET P
VARIABLES f, g, h, m, o, l, r, w
vars == <<f, g, h, m, o, l, r, w>>
Small(n) == IF n > N THEN 0 ELSE n
Messages == [type : {"ask"}, from : P] \cup [type : {"say"}, to : P, n : BOOLEAN]
Types == /\ f \in [P -> 0..N] /\ g \in [P -> SUBSET P] /\ m \subseteq Messages
         /\ o \in P \cup {None} /\ l \in Seq(P) /\ r \in [a : 0..N, b : BOOLEAN]
         /\ w \in [P -> {"on", "off"}] /\ h \in [P \X P -> 0..N]
`)
	fmt.Fprintf(&b, "Init == /\\ f = [v \\in P |-> %s] /\\ g = [v \\in P |-> %s] /\\ m = {}\n"+
		"        /\\ o = None /\\ l = <<>> /\\ r = [a |-> 0, b |-> %s]\n"+
		"        /\\ w \\in [P -> {\"on\", %s}] /\\ h = [v, u \\in P |-> 0]\n",
		g.oneOf("0", "1"), g.oneOf("{}", "{v}", "P"), g.oneOf("TRUE", "FALSE"),
		g.oneOf(`"on"`, `"off"`))
	var next []string
	for i := range 2 + g.IntN(2) {
		fmt.Fprintf(&b, "A%d(p, q, S) == %s\n", i, g.step())
		next = append(next, fmt.Sprintf("(\\E p \\in %s, q \\in P, S \\in %s : A%d(p, q, S))",
			g.oneOf("P", "P", "g[CHOICE]", "{v \\in P : v # o}"),
			g.oneOf("SUBSET P", "SUBSET P", "Q", "{{p1} : p1 \\in P}"), i))
	}
	text := strings.ReplaceAll(strings.Join(next, " \\/ "), "g[CHOICE]",
		"UNION {g[v] : v \\in P}")
	claim, kind := g.claim(), "INVARIANT"
	if seed%3 == 0 {
		claim, kind = g.property(), "PROPERTY"
	}
	fmt.Fprintf(&b, "Next == %s\nSpec == Init /\\ [][Next]_vars\nClaim == %s\n====\n", text,
		claim)
	module := strings.Replace(b.String(), "ASSUMED",
		g.oneOf(`None \notin P`, `None \in P \cup {None}`), 1)
	return Model{Module: module, Inner: "---- MODULE T ----\n====\n",
		Config: "SPECIFICATION Spec\n" + kind + " Claim\nCHECK_DEADLOCK FALSE\n" +
			"CONSTANTS\nP = {p1, p2}\nQ = {{p1}, {p1, p2}}\nNone = None\nN = 2\n"}
}

// Ranged is Typed with numbers from a range in the place of the elements of a constant set.
func Ranged(seed uint64) Model {
	m := Typed(seed)
	m.Module = strings.NewReplacer("CONSTANTS P,", "CONSTANTS K,",
		"\nASSUME ", "\nP == 1..K\nASSUME K > 0\nASSUME ", `None \notin P`, `None \in P`,
		`None \in P \cup {None}`, `None \in P`).Replace(m.Module)
	m.Config = strings.NewReplacer("P = {p1, p2}", "K = 2", "p1", "1", "p2", "2",
		"None = None", "None = 1").Replace(m.Config)
	return m
}

// typed writes expressions about an element p.
type typed struct{ generator }

func (g typed) number(d int) string {
	if d <= 0 {
		return g.oneOf("0", "1", "N", "f[p]", "f[q]", "h[p, q]", "h[q, p]", "r.a", "Len(l)")
	}
	return g.oneOf("f[p]", g.number(d-1)+" + 1", "(IF "+g.test(d-1)+" THEN "+g.number(d-1)+
		" ELSE "+g.number(d-1)+")", "(LET V == "+g.number(d-1)+" IN V + V)",
		"(CASE "+g.test(d-1)+" -> 1 [] OTHER -> "+g.number(d-1)+")",
		"(CASE r.b -> 1 [] ~r.b -> "+g.number(d-1)+")")
}

func (g typed) set(d int) string {
	if d <= 0 {
		return g.oneOf("g[p]", "g[q]", "S", "{}", "{p}", "P")
	}
	return g.oneOf("g[p]", "("+g.set(d-1)+" \\cup "+g.set(d-1)+")", "("+g.set(d-1)+" \\ {p})",
		"{V \\in "+g.set(d-1)+" : f[V] > 0}", "("+g.set(d-1)+" \\cap "+g.set(d-1)+")",
		"{x.from : x \\in {V \\in m : V.type = \"ask\"}}", "UNION {g[V] : V \\in "+g.set(d-1)+"}")
}

func (g typed) test(d int) string {
	if d <= 0 {
		return g.oneOf("f[p] = 0", "p \\in g[p]", "o = None", "o = p", "p = q", "q \\in S", "r.b",
			`w[p] = "on"`,
			"l = <<>>", "f[p] < N", `[type |-> "ask", from |-> p] \in m`)
	}
	a, b := g.test(d-1), g.test(d-1)
	return "(" + g.oneOf(a+" /\\ "+b, a+" \\/ "+b, a+" => "+b, "~"+a, a+" <=> "+b,
		g.number(d-1)+" <= "+g.number(d-1), g.set(d-1)+" \\subseteq "+g.set(d-1),
		g.set(d-1)+" = "+g.set(d-1), "\\E V \\in "+g.set(d-1)+" : f[V] = r.a /\\ "+a,
		"\\A V \\in m : V.type = \"say\" => V.n \\/ "+a, "\\E V \\in Q : V \\subseteq g[p]",
		"\\A x, y \\in P : g[x] = g[y] => w[x] = w[y]", "l # <<>> /\\ Head(l) = p",
		"\\E V \\in m : V.type = \"say\" /\\ V.to = p") + ")"
}

// step is an action with a parameter p.
func (g typed) step() string {
	changes := map[string][]string{
		"h": {"[h EXCEPT ![p, q] = Small(" + g.number(1) + ")]",
			"[v, u \\in P |-> IF v \\in " + g.set(1) + " THEN h[u, v] ELSE h[v, u]]"},
		"f": {"[f EXCEPT ![p] = " + g.oneOf("f[q]", "1", "Small(f[q] + 1)") + ", ![q] = " +
			g.oneOf("f[p]", "Small(@ + 1)", "Small(f[p] + f[q])") + "]",
			"[f EXCEPT ![p] = Small(" + g.number(2) + ")]", "[f EXCEPT ![p] = Small(@ + 1)]",
			"[x \\in P |-> IF x \\in " + g.set(1) + " THEN Small(" + g.number(1) + ") ELSE f[x]]"},
		"g": {"[g EXCEPT ![p] = " + g.set(2) + "]", "[g EXCEPT ![p] = @ \\ {p}]",
			"[x \\in P |-> {y \\in g[x] : y # p} \\cup " + g.set(1) + "]"},
		"m": {`m \cup {[type |-> "ask", from |-> p]}`,
			`m \cup {[type |-> "say", to |-> p, n |-> ` + g.test(1) + "]}",
			`{x \in m : x.type = "ask"}`, `m \ {[type |-> "ask", from |-> p]}`},
		"o": {"p", "None", "IF " + g.test(1) + " THEN p ELSE o"},
		"l": {"<<p>>", "<<>>", "IF Len(l) < 2 THEN Append(l, p) ELSE Tail(l)",
			"IF l = <<>> THEN <<p, p>> ELSE l"},
		"r": {"[r EXCEPT !.a = Small(" + g.number(1) + ")]", "[r EXCEPT !.b = ~@]",
			"[a |-> Small(" + g.number(0) + "), b |-> " + g.test(1) + "]"},
		"w": {`[w EXCEPT ![p] = "on"]`, `[x \in P |-> IF x = p THEN "off" ELSE w[x]]`,
			`[w EXCEPT ![p] = IF @ = "on" THEN "off" ELSE "on"]`},
	}
	out := g.test(2)
	for _, v := range []string{"f", "g", "h", "m", "o", "l", "r", "w"} {
		change := v
		if g.IntN(3) == 0 {
			change = g.oneOf(changes[v]...)
		}
		out += " /\\ " + v + "' = (" + change + ")"
	}
	if g.IntN(3) == 0 {
		out += " /\\ (" + g.oneOf("f'[p] # f[p] \\/ ", "p \\in g'[p] \\/ ", "r'.b \\/ ") +
			g.test(1) + ")"
	}
	return out
}

// property is a formula about runs that says something of states and steps.
func (g typed) property() string {
	parts := []string{"[][\\A p, q \\in P, S \\in Q : " + g.change() + " \\/ " + g.test(1) + "]_" +
		g.oneOf("vars", "f", "<<g, m>>", "w")}
	switch g.IntN(4) {
	case 0:
		parts = append(parts, "(\\A p, q \\in P, S \\in Q : "+g.test(1)+")")
	case 1:
		parts = append(parts, "[](\\A p, q \\in P, S \\in Q : "+g.test(2)+")")
	case 2:
		parts[0] = "(\\A p, q \\in P, S \\in Q : [][" + g.change() + " \\/ " + g.test(1) +
			"]_<<f, r>>)"
	}
	return strings.Join(parts, " /\\ ")
}

// change is a formula about a step.
func (g typed) change() string {
	return "(" + g.oneOf("f'[p] >= f[p]", "f' = [f EXCEPT ![q] = f[p]]", "g[p] \\subseteq g'[p]",
		"UNCHANGED <<m, o>>", "w' # w", "\\E V \\in P : f' = [f EXCEPT ![V] = Small(@ + 1)]",
		"Len(l') >= Len(l)", "r'.a = r.a \\/ r'.b", "m \\subseteq m'",
		"h'[p, q] = h[q, p]", "o' # p",
		"g' = [g EXCEPT ![p] = @ \\cup {q}, ![q] = @ \\cup {p}]") + ")"
}

func (g typed) claim() string {
	return g.oneOf("Types", "\\A p, q \\in P, S \\in Q : "+g.test(2),
		"\\E p, q \\in P, S \\in Q : "+g.test(1))
}

package tlatest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Summed is the model of a seed with variables that have values of several kinds: numbers,
// elements, records, pairs and the empty tuple. A variable k tells of which one z is, since values
// of two kinds are compared only if one of them is an element.
func Summed(seed uint64) Model {
	g := summed{generator{rand.New(rand.NewPCG(seed, 23)), new(int)}}
	var b strings.Builder
	b.WriteString(`---- MODULE S ----
EXTENDS Integers, FiniteSets
CONSTANTS P, None, N, D
ASSUME D \in P /\ N \in Nat /\ None \notin P /\ None \notin Int
ASSUME \A e \in P : e \notin Int
VARIABLES k, z, b, s
vars == <<k, z, b, s>>
Small == P \cup {None} \cup 0..N
Record == [to : P, v : Small]
Types == /\ b \in [P -> Small] /\ s \subseteq P \cup {None}
         /\ k = "num" => z \in 0..N
         /\ k = "elem" => z \in P \cup {None}
         /\ k = "rec" => z \in Record
         /\ k = "pair" => z \in P \X P
         /\ k \in {"num", "elem", "rec", "pair", "none"}
`)
	kind, value := g.value("D", "D")
	fmt.Fprintf(&b, "Init == /\\ k = %s /\\ z = %s /\\ b = [p \\in P |-> %s] /\\ s = %s\n", kind,
		value, g.oneOf("0", "None", "p"), g.oneOf("{}", "{None}", "P"))
	var next []string
	for i := range 2 + g.IntN(2) {
		fmt.Fprintf(&b, "A%d(p, q) == %s\n", i, g.step())
		next = append(next, fmt.Sprintf("(\\E p \\in P, q \\in P : A%d(p, q))", i))
	}
	b.WriteString(`R(p, q) == /\ k = "num" /\ UNCHANGED <<b, s>>
           /\ k' = "rec" /\ z' = [to |-> p, v |-> b[q]]
E(p, q) == k' = "pair" /\ z' = <<p, q>> /\ UNCHANGED <<b, s>>
F(p, q) == /\ b[p] = q /\ b' = [b EXCEPT ![p] = N, ![q] = None]
           /\ k' = "num" /\ z' = 0 /\ UNCHANGED s
`)
	next = append(next, "(\\E p, q \\in P : R(p, q) \\/ E(p, q) \\/ F(p, q))")
	claim := g.oneOf("Types", "\\A p, q \\in P : "+g.test(2), "\\E p, q \\in P : "+g.test(1))
	fmt.Fprintf(&b, "Next == %s\nSpec == Init /\\ [][Next]_vars\nClaim == %s\n====\n",
		strings.Join(next, " \\/ "), claim)
	return Model{Module: b.String(), Inner: "---- MODULE T ----\n====\n",
		Config: "SPECIFICATION Spec\nINVARIANT Claim\nCHECK_DEADLOCK FALSE\n" +
			"CONSTANTS\nP = {p1, p2}\nNone = None\nN = 1\nD = p1\n"}
}

// summed writes expressions about elements p and q.
type summed struct{ generator }

// small is a number or an element.
func (g summed) small() string {
	return g.oneOf("0", "N", "p", "None", "b[p]", "b[q]",
		"(IF k = \"rec\" THEN z.v ELSE None)", "(IF "+g.test(0)+" THEN 1 ELSE q)")
}

// value is a value of z, with the kind that it is of.
func (g summed) value(p, q string) (kind, value string) {
	switch g.IntN(6) {
	case 0:
		return `"num"`, g.oneOf("0", "N")
	case 1:
		return `"elem"`, g.oneOf("None", p)
	case 2:
		return `"rec"`, "[to |-> " + p + ", v |-> " + g.oneOf("0", "None", q) + "]"
	case 3:
		return `"pair"`, "<<" + p + ", " + q + ">>"
	case 4:
		return `"none"`, "<<>>"
	}
	return `"elem"`, p
}

func (g summed) test(d int) string {
	if d <= 0 {
		return g.oneOf("z = None", "z = p", "b[p] = None", "b[p] = q", "p \\in s", "None \\in s",
			"b[p] = b[q]", `(k = "num" /\ z > 0)`, `(k = "rec" /\ z.to = p)`, "p = q",
			`(k = "rec" /\ z.v = None)`, `(k = "pair" /\ z[1] = p)`, `(k = "pair" /\ z = <<p, q>>)`,
			`(k = "rec" /\ z = [to |-> p, v |-> b[q]])`, "b[p] \\in P", "s = {}",
			`(k \in {"pair", "none"} /\ z = <<>>)`, `z \in P`, "b[q] \\in s", "s \\subseteq P")
	}
	a, b := g.test(d-1), g.test(d-1)
	return "(" + g.oneOf(a+" /\\ "+b, a+" \\/ "+b, a+" => "+b, "~"+a, a+" <=> "+b,
		"b[p] \\notin P \\cup {None} => b[p] >= 0 /\\ "+a, "\\E V \\in s : V = b[p] /\\ "+a,
		"\\A V \\in P \\cup {None} : b[q] # V \\/ "+a, `k = "rec" => z.v \in s \/ `+a,
		"{b[V] : V \\in P} \\cap P = P \\/ "+a, "(s \\cup {None}) \\ P = {None} \\/ "+a,
		`k \in {"num", "elem"} /\ z \in Small /\ `+a, g.small()+" = "+g.small(),
		"\\E V \\in Record : b[p] = V.v /\\ (k = \"rec\" => z = V)") + ")"
}

// step is an action with parameters p and q.
func (g summed) step() string {
	out := g.test(1)
	switch g.IntN(4) {
	case 0:
		out += " /\\ UNCHANGED <<k, z>>"
	case 1:
		out += ` /\ k = "rec" /\ z' = z.v /\ k' = (IF z.v \in P \cup {None} THEN "elem" ELSE "num")`
	case 2:
		out += ` /\ k' = "rec" /\ z' = ` + g.oneOf("[to |-> p, v |-> "+g.small()+"]",
			`(IF k = "rec" THEN [z EXCEPT !.v = `+g.small()+"] ELSE [to |-> q, v |-> p])")
	default:
		kind, value := g.value("p", "q")
		out += " /\\ k' = " + kind + " /\\ z' = " + value
	}
	out += " /\\ b' = " + g.oneOf("b", "[b EXCEPT ![p] = "+g.small()+"]",
		"[V \\in P |-> IF V = p THEN "+g.small()+" ELSE b[V]]",
		"[b EXCEPT ![p] = IF @ = None THEN 0 ELSE @]")
	return out + " /\\ s' = " + g.oneOf("s", "s \\cup {p}", "s \\cup {None}", "{V \\in s : V # p}",
		"s \\ {None}", "{V \\in P : b[V] = None}", "s \\cap P")
}

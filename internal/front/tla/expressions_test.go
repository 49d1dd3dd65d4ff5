package tla

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// sort is a type of generated expressions.
type sort struct {
	name  string // int, bool, str, set, seq, rec, fun
	parts []*sort
}

var (
	integers = &sort{name: "int"}
	truths   = &sort{name: "bool"}
	texts    = &sort{name: "str"}
)

func setOf(s *sort) *sort         { return &sort{"set", []*sort{s}} }
func seqOf(s *sort) *sort         { return &sort{"seq", []*sort{s}} }
func pairOf(a, b *sort) *sort     { return &sort{"pair", []*sort{a, b}} }
func recordOf(a, b *sort) *sort   { return &sort{"rec", []*sort{a, b}} }
func functionOf(a, b *sort) *sort { return &sort{"fun", []*sort{a, b}} }

func (s *sort) String() string { return fmt.Sprint(s.name, s.parts) }

// generator writes expressions. Each is of a sort, but for a few that have a part of another.
type generator struct {
	*rand.Rand
	scope []local
	named int
	wrong int // a part in this number is of a wrong sort; 0 for none
}

// local is a name that is bound where an expression stands.
type local struct {
	name string
	sort *sort
}

func newGenerator(seed uint64) *generator {
	return &generator{Rand: rand.New(rand.NewPCG(seed, 41))}
}

func (g *generator) oneOf(xs ...string) string { return xs[g.IntN(len(xs))] }

// anySort is a sort that has few values.
func (g *generator) anySort(depth int) *sort {
	switch n := g.IntN(10); {
	case n < 4 || depth == 0:
		return []*sort{integers, integers, texts, truths}[g.IntN(4)]
	case n < 6:
		return setOf(g.anySort(depth - 1))
	case n == 6:
		return seqOf(g.anySort(depth - 1))
	case n == 7:
		return pairOf(g.anySort(depth-1), g.anySort(depth-1))
	case n == 8:
		return recordOf(g.anySort(depth-1), g.anySort(depth-1))
	}
	return functionOf([]*sort{integers, texts, truths, setOf(integers)}[g.IntN(4)],
		g.anySort(depth-1))
}

func (g *generator) fresh() string {
	g.named++
	return fmt.Sprint("v", g.named)
}

// with is what f writes where a new name is bound.
func (g *generator) with(s *sort, f func(name string) string) string {
	name := g.fresh()
	g.scope = append(g.scope, local{name, s})
	defer func() { g.scope = g.scope[:len(g.scope)-1] }()
	return f(name)
}

// expr is an expression, within parentheses where it needs them.
func (g *generator) expr(s *sort, depth int) string {
	if g.wrong > 0 && g.IntN(g.wrong) == 0 {
		s = g.anySort(1)
	}
	if g.IntN(3) == 0 || depth <= 0 {
		for range 4 {
			if len(g.scope) == 0 {
				break
			}
			if l := g.scope[g.IntN(len(g.scope))]; l.sort.String() == s.String() {
				return l.name
			}
		}
	}
	if depth <= 0 {
		return g.literal(s)
	}
	if g.IntN(5) == 0 {
		return "(" + g.general(s, depth-1) + ")"
	}
	return "(" + g.special(s, depth-1) + ")"
}

// literal is the shortest expression of a sort.
func (g *generator) literal(s *sort) string {
	part := func(i int) string { return g.literal(s.parts[i]) }
	list := func(n int) string {
		var xs []string
		for range n {
			xs = append(xs, part(0))
		}
		return strings.Join(xs, ", ")
	}
	switch s.name {
	case "int":
		return fmt.Sprint(g.IntN(6))
	case "bool":
		return g.oneOf("TRUE", "FALSE")
	case "str":
		return g.oneOf(`"k1"`, `"k2"`, `"k3"`)
	case "set":
		return "{" + list(g.IntN(4)) + "}"
	case "seq":
		return "<<" + list(g.IntN(4)) + ">>"
	case "pair":
		return "<<" + part(0) + ", " + part(1) + ">>"
	case "rec":
		return "[f |-> " + part(0) + ", g |-> " + part(1) + "]"
	}
	return g.oneOf("("+part(0)+" :> "+part(1)+" @@ "+part(0)+" :> "+part(1)+")",
		"["+g.fresh()+" \\in "+g.literal(setOf(s.parts[0]))+" |-> "+part(1)+"]")
}

// general is an expression that may be of any sort.
func (g *generator) general(s *sort, d int) string {
	other := g.anySort(1)
	switch g.IntN(15) {
	case 0:
		return "IF " + g.expr(truths, d) + " THEN " + g.expr(s, d) + " ELSE " + g.expr(s, d)
	case 1:
		return "CASE " + g.expr(truths, d) + " -> " + g.expr(s, d) + " [] " +
			g.expr(truths, d) + " -> " + g.expr(s, d) + g.oneOf("", " [] OTHER -> "+g.expr(s, d))
	case 2:
		x := g.expr(other, d)
		return g.with(other, func(n string) string {
			return "LET " + n + " == " + x + " IN " + g.expr(s, d)
		})
	case 3:
		x := g.expr(other, d)
		body := g.with(other, func(n string) string { return "(" + n + ") == " + g.expr(s, d) })
		op := "O" + g.fresh()
		return "LET " + op + body + " IN " + op + "(" + x + ")"
	case 4:
		x := g.expr(setOf(s), d)
		return g.with(s, func(n string) string {
			return "CHOOSE " + n + " \\in " + x + " : " + g.expr(truths, d)
		})
	case 5:
		return g.expr(seqOf(s), d) + "[" + g.oneOf("1", "2", g.expr(integers, d)) + "]"
	case 6:
		return g.expr(recordOf(s, other), d) + g.oneOf(".f", `["f"]`)
	case 7:
		return g.expr(functionOf(other, s), d) + "[" + g.expr(other, d) + "]"
	case 8:
		return g.expr(pairOf(other, s), d) + "[2]"
	case 9:
		return g.oneOf("Head", "Last") + "(" + g.expr(seqOf(s), d) + ")"
	case 10:
		x, start := g.expr(setOf(other), d), g.expr(s, d)
		return "FoldSet(" + g.lambda(s, d, other, s) + ", " + start + ", " + x + ")"
	case 11:
		x, start := g.expr(seqOf(other), d), g.expr(s, d)
		return g.oneOf("FoldLeft("+g.lambda(s, d, s, other)+", "+start+", "+x+")",
			"FoldRight("+g.lambda(s, d, other, s)+", "+x+", "+start+")",
			"FoldFunction("+g.lambda(s, d, other, s)+", "+start+", "+x+")")
	case 12:
		f := "F" + g.fresh()
		start, i := g.expr(s, d), g.fresh()
		return g.with(s, func(n string) string {
			return "LET " + f + "[" + i + " \\in 0..4] == IF " + i + " = 0 THEN " + start +
				" ELSE LET " + n + " == " + f + "[" + i + " - 1] IN " + g.expr(s, d) + " IN " +
				f + "[3]"
		})
	case 13:
		x, start := g.expr(integers, d), g.expr(s, d)
		return g.with(s, func(n string) string {
			r, i := "R"+n, g.fresh()
			return "LET RECURSIVE " + r + "(_) " + r + "(" + i + ") == IF " + i + " <= 0 THEN " +
				start + " ELSE LET " + n + " == " + r + "(" + i + " - 1) IN " + g.expr(s, d) +
				" IN " + r + "(" + x + " % 4)"
		})
	}
	return "TLCEval(" + g.expr(s, d) + ")"
}

// lambda is an operator without a name.
func (g *generator) lambda(result *sort, d int, params ...*sort) string {
	if len(params) == 0 {
		return g.expr(result, d)
	}
	return g.with(params[0], func(n string) string {
		rest := g.lambda(result, d, params[1:]...)
		if strings.HasPrefix(rest, "LAMBDA ") && len(params) > 1 {
			return "LAMBDA " + n + ", " + strings.TrimPrefix(rest, "LAMBDA ")
		}
		return "LAMBDA " + n + " : " + rest
	})
}

// special is an expression with an operator of its sort.
func (g *generator) special(s *sort, d int) string {
	switch s.name {
	case "int":
		return g.integer(d)
	case "bool":
		return g.truth(d)
	case "str":
		return g.literal(s)
	case "set":
		return g.set(s, s.parts[0], d)
	case "seq":
		return g.sequence(s, s.parts[0], d)
	}
	return g.mapping(s, d)
}

func (g *generator) integer(d int) string {
	i := func() string { return g.expr(integers, d) }
	switch g.IntN(12) {
	case 0, 1, 2:
		return i() + g.oneOf(" + ", " - ", " * ") + i()
	case 3:
		return i() + g.oneOf(" \\div ", " % ") + g.oneOf("2", "3", i())
	case 4:
		return "-" + i()
	case 5:
		return i() + "^" + fmt.Sprint(g.IntN(4))
	case 6:
		return "Cardinality(" + g.expr(setOf(g.anySort(1)), d) + ")"
	case 7:
		return "Len(" + g.expr(seqOf(g.anySort(1)), d) + ")"
	case 8:
		return g.oneOf("Max", "Min") + "(" + g.expr(setOf(integers), d) + ")"
	case 9:
		return g.oneOf("SumSet", "ProductSet") + "(" + g.expr(setOf(integers), d) + ")"
	case 10:
		return "BagCardinality(" + g.expr(functionOf(texts, integers), d) + ")"
	}
	return "CopiesIn(" + g.expr(texts, d) + ", " + g.expr(functionOf(texts, integers), d) + ")"
}

func (g *generator) truth(d int) string {
	b := func() string { return g.expr(truths, d) }
	s := g.anySort(2)
	x := func() string { return g.expr(s, d) }
	xs := func() string { return g.expr(setOf(s), d) }
	switch g.IntN(12) {
	case 0, 1:
		return b() + g.oneOf(` /\ `, ` \/ `, " => ", " <=> ") + b()
	case 2:
		return "~" + b()
	case 3:
		return x() + g.oneOf(" = ", " /= ") + x()
	case 4:
		return g.expr(integers, d) + g.oneOf(" < ", " > ", " <= ", " >= ") + g.expr(integers, d)
	case 5:
		return x() + g.oneOf(` \in `, ` \notin `) + xs()
	case 6:
		return xs() + ` \subseteq ` + xs()
	case 7, 8:
		bound := xs()
		return g.with(s, func(n string) string {
			return g.oneOf(`\A `, `\E `) + n + ` \in ` + bound + " : " + b()
		})
	case 9:
		return x() + ` \in ` + g.typeSet(s, d)
	case 10:
		return g.oneOf("IsPrefix", "IsSuffix", "IsStrictPrefix") + "(" + g.expr(seqOf(s), d) +
			", " + g.expr(seqOf(s), d) + ")"
	}
	return g.oneOf("IsFiniteSet("+xs()+")", "IsABag("+g.expr(functionOf(texts, integers), d)+")",
		"IsInjective("+g.expr(seqOf(s), d)+")",
		"Contains("+g.expr(seqOf(s), d)+", "+x()+")")
}

// typeSet is a set, often an infinite one, that has the values of a sort.
func (g *generator) typeSet(s *sort, d int) string {
	part := func(i int) string { return g.typeSet(s.parts[i], d) }
	if g.IntN(4) == 0 {
		return g.expr(setOf(s), d)
	}
	switch s.name {
	case "int":
		return g.oneOf("Int", "Nat", "(-1..3)", "(Nat \\ {2})", "(Nat \\cup {-1})")
	case "bool":
		return "BOOLEAN"
	case "str":
		return "STRING"
	case "set":
		return "(SUBSET " + part(0) + ")"
	case "seq":
		return "Seq(" + part(0) + ")"
	case "pair":
		return "(" + part(0) + ` \X ` + part(1) + ")"
	case "rec":
		return "[f : " + part(0) + ", g : " + part(1) + "]"
	}
	return "[" + g.expr(setOf(s.parts[0]), d) + " -> " + part(1) + "]"
}

func (g *generator) set(s, elem *sort, d int) string {
	x := func() string { return g.expr(elem, d) }
	xs := func() string { return g.expr(s, d) }
	other := g.anySort(1)
	switch g.IntN(11) {
	case 0:
		return "{" + x() + ", " + x() + ", " + x() + "}"
	case 1, 2:
		return xs() + g.oneOf(` \cup `, ` \cap `, ` \ `) + xs()
	case 3, 4:
		bound := xs()
		return g.with(elem, func(n string) string {
			return "{" + n + ` \in ` + bound + " : " + g.expr(truths, d) + "}"
		})
	case 5:
		bound := g.expr(setOf(other), d)
		return g.with(other, func(n string) string {
			return "{" + x() + " : " + n + ` \in ` + bound + "}"
		})
	case 6:
		return "UNION " + g.expr(setOf(s), min(d, 1))
	case 7:
		return "DOMAIN " + g.expr(functionOf(elem, other), d)
	case 8:
		return g.oneOf("Range", "ToSet") + "(" + g.expr(seqOf(elem), d) + ")"
	}
	part := func(i int) string { return g.literal(setOf(elem.parts[i])) }
	switch elem.name {
	case "int":
		return g.oneOf("-1", "0", "1", "2") + ".." + g.oneOf("1", "3", "0")
	case "bool":
		return "BOOLEAN"
	case "set":
		return g.oneOf("SUBSET "+part(0), "kSubset(2, "+part(0)+")")
	case "pair":
		return part(0) + ` \X ` + part(1)
	case "rec":
		return "[f : " + part(0) + ", g : " + part(1) + "]"
	case "fun":
		return "[" + part(0) + " -> " + part(1) + "]"
	case "seq":
		return g.oneOf("BoundedSeq("+part(0)+", 2)", "["+g.oneOf("1..2", "1..0")+" -> "+part(0)+"]")
	}
	return g.literal(s)
}

func (g *generator) sequence(s, elem *sort, d int) string {
	q := func() string { return g.expr(s, d) }
	switch g.IntN(12) {
	case 0:
		return q() + ` \o ` + q()
	case 1:
		return "Append(" + q() + ", " + g.expr(elem, d) + ")"
	case 2:
		return g.oneOf("Tail", "Front", "Reverse") + "(" + q() + ")"
	case 3:
		return "SubSeq(" + q() + ", " + g.expr(integers, d) + ", " + g.expr(integers, d) + ")"
	case 4:
		return "SelectSeq(" + q() + ", " + g.lambda(truths, d, elem) + ")"
	case 5:
		if elem == integers {
			return "SortSeq(" + q() + `, LAMBDA a, b : a ` + g.oneOf("<", ">", "<=") + " b)"
		}
		return "SetToSeq(" + g.expr(setOf(elem), d) + ")"
	case 6:
		bound := g.expr(integers, d)
		return g.with(integers, func(n string) string {
			return "[" + n + ` \in 1..(` + bound + ` % 4) |-> ` + g.expr(elem, d) + "]"
		})
	case 7:
		return "[" + q() + " EXCEPT ![" + g.oneOf("1", g.expr(integers, d)) + "] = " +
			g.oneOf("@", g.expr(elem, d)) + "]"
	case 8:
		return g.oneOf("RemoveAt("+q()+", "+g.expr(integers, d)+")",
			"Remove("+q()+", "+g.expr(elem, d)+")", "SetToSeq("+g.expr(setOf(elem), d)+")",
			"InsertAt("+q()+", "+g.expr(integers, d)+", "+g.expr(elem, d)+")",
			"FlattenSeq("+g.expr(seqOf(s), d)+")")
	}
	return "<<" + g.expr(elem, d) + ", " + g.expr(elem, d) + ">>"
}

// mapping is a pair, a record or a function.
func (g *generator) mapping(s *sort, d int) string {
	a, b := s.parts[0], s.parts[1]
	pa := func() string { return g.expr(a, d) }
	pb := func() string { return g.expr(b, d) }
	f := func() string { return g.expr(s, d) }
	switch s.name {
	case "pair":
		return g.oneOf("<<"+pa()+", "+pb()+">>", "["+f()+" EXCEPT ![2] = "+pb()+"]",
			"["+f()+" EXCEPT ![1] = "+pa()+", ![2] = "+pb()+"]")
	case "rec":
		return g.oneOf("[f |-> "+pa()+", g |-> "+pb()+"]", "[g |-> "+pb()+", f |-> "+pa()+"]",
			"["+f()+" EXCEPT !.f = "+pa()+"]", "["+f()+" EXCEPT !.g = @, !.f = "+pa()+"]",
			`("f" :> `+pa()+` @@ "g" :> `+pb()+")", f()+" @@ "+f())
	}
	bound := g.expr(setOf(a), d)
	abstraction := g.with(a, func(n string) string {
		return "[" + n + ` \in ` + bound + " |-> " + g.expr(b, d) + "]"
	})
	if a == texts && b == integers && g.IntN(3) == 0 {
		return g.oneOf("SetToBag("+g.expr(setOf(texts), d)+")",
			f()+g.oneOf(" (+) ", " (-) ")+f())
	}
	if b.name == "seq" && g.IntN(3) == 0 {
		return "[" + f() + " EXCEPT ![" + pa() + "][1] = " + g.expr(b.parts[0], d) + "]"
	}
	return g.oneOf(abstraction, abstraction, f()+" @@ "+f(), pa()+" :> "+pb(),
		"["+f()+" EXCEPT !["+pa()+"] = "+pb()+"]",
		"["+f()+" EXCEPT !["+pa()+"] = "+g.oneOf("@", pb())+", !["+pa()+"] = "+pb()+"]",
		g.restriction(s, d))
}

func (g *generator) restriction(s *sort, d int) string {
	f, some := g.expr(s, d), g.expr(setOf(s.parts[0]), d)
	return g.with(s, func(n string) string {
		return "LET " + n + " == " + f + " IN Restrict(" + n + ", " + some + " \\cap DOMAIN " + n + ")"
	})
}

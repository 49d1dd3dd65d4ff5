package syntax

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/parse"
	"erelong.dev/erelong/internal/testkit"
)

// generator makes random trees.
type generator struct {
	*rand.Rand
	byFix map[fix][]*operator
}

func newGenerator(seed uint64) *generator {
	g := &generator{rand.New(rand.NewPCG(seed, 0)), map[fix][]*operator{}}
	for _, k := range slices.Sorted(maps.Keys(operators)) {
		if o := operators[k]; o.name == string(k) {
			g.byFix[o.fix] = append(g.byFix[o.fix], o)
		}
	}
	return g
}

func (g *generator) name() Name {
	return Name{Text: []string{"x", "y", "Op", "a_1", "WFx", "1b"}[g.IntN(6)]}
}

func (g *generator) names() (out []Name) {
	for range 1 + g.IntN(2) {
		out = append(out, g.name())
	}
	return out
}

func (g *generator) exprs(depth, least int) (out []Expr) {
	for range least + g.IntN(2) {
		out = append(out, g.expr(depth-1))
	}
	return out
}

func (g *generator) bound(depth int) Bound {
	return Bound{g.names(), g.IntN(3) == 0, g.expr(depth - 1)}
}

func (g *generator) bounds(depth int) (out []Bound) {
	for range 1 + g.IntN(2) {
		out = append(out, g.bound(depth))
	}
	return out
}

// single is a bound of one name or of a tuple, as {x \in S : p} has.
func (g *generator) single(depth int) Bound {
	b := g.bound(depth)
	if !b.Tuple {
		b.Names = b.Names[:1]
	}
	return b
}

func (g *generator) fields(depth int) (out []Field) {
	for range 1 + g.IntN(2) {
		out = append(out, Field{[]Name{g.name(), {Text: "IF"}}[g.IntN(2)], g.expr(depth - 1)})
	}
	return out
}

// argument is an argument of an operator, which may be an operator.
func (g *generator) argument(depth int) Expr {
	switch g.IntN(8) {
	case 0:
		return &Apply{Name: Name{Text: g.byFix[infix][g.IntN(len(g.byFix[infix]))].name}}
	case 1:
		return &Lambda{Params: g.names(), Body: g.expr(depth - 1)}
	}
	return g.expr(depth)
}

// applied is an operator with its operands, or a name with a path.
func (g *generator) applied(depth int) Expr {
	all := g.byFix[fix(g.IntN(3))]
	o := all[g.IntN(len(all))]
	a := &Apply{Name: Name{Text: o.name}, Args: []Expr{g.expr(depth - 1)}}
	if o.fix == infix {
		a.Args = append(a.Args, g.expr(depth-1))
	}
	if o == times {
		return &Times{Sets: append(a.Args, g.exprs(depth, 0)...)}
	}
	return a
}

func (g *generator) path(depth int) Expr {
	a := &Apply{Name: g.name()}
	for range g.IntN(3) {
		q := Qualifier{Name: g.name()}
		if g.IntN(2) == 0 {
			q.Args = []Expr{g.argument(depth - 1)}
		}
		a.Path = append(a.Path, q)
	}
	if len(a.Path) > 0 && g.IntN(2) == 0 {
		a.Name.Text = []string{"1", "<<", ">>", ":", "@", "+", "!!"}[g.IntN(7)]
		return a
	}
	for range g.IntN(3) {
		a.Args = append(a.Args, g.argument(depth-1))
	}
	return a
}

func (g *generator) units(depth int) (out []Unit) {
	for range 1 + g.IntN(2) {
		params := []Decl{{Name: g.name()}, {Name{Text: "F"}, 2}, {Name{Text: "++"}, 2},
			{Name{Text: "-."}, 1}, {Name{Text: "^*"}, 1}}
		switch g.IntN(5) {
		case 0:
			out = append(out, &Recursive{Decls: params})
		case 1:
			out = append(out, &FunctionDefinition{Name: g.name(), Bounds: g.bounds(depth),
				Body: g.expr(depth - 1)})
		case 2:
			with := []Substitution{{g.name(), g.argument(depth - 1)},
				{Name{Text: "+"}, &Apply{Name: Name{Text: "-"}}}}
			out = append(out, &InstanceDefinition{Name: g.name(), Params: params[:1],
				Module: g.name(), With: with})
		case 3:
			out = append(out, &Definition{Name: Name{Text: "\\oplus"}, Body: g.expr(depth - 1),
				Params: []Decl{{Name: g.name()}, {Name: g.name()}}})
		default:
			out = append(out, &Definition{Name: g.name(), Params: params, Body: g.expr(depth - 1)})
		}
	}
	return out
}

func (g *generator) expr(depth int) Expr {
	if depth <= 0 {
		return []Expr{&Number{Text: "1"}, &Number{Text: "1.5"}, &String{Value: "a\"\\\n"}, &Old{},
			&Apply{Name: g.name()}, &Tuple{}, &SetOf{}}[g.IntN(7)]
	}
	e := func() Expr { return g.expr(depth - 1) }
	switch g.IntN(27) {
	case 0:
		return &Tuple{Elems: g.exprs(depth, 1)}
	case 1:
		return &SetOf{Elems: g.exprs(depth, 1)}
	case 2:
		return &Filter{Bound: g.single(depth), Body: e()}
	case 3:
		return &Image{Body: e(), Bounds: g.bounds(depth)}
	case 4:
		return &Quantified{Quantifier: Quantifier(g.IntN(2)), Bounds: g.bounds(depth), Body: e()}
	case 5:
		return &Quantified{Quantifier: Quantifier(g.IntN(4)), Bounds: []Bound{{Names: g.names()}},
			Body: e()}
	case 6:
		b := g.single(depth)
		if g.IntN(2) == 0 {
			b.Set = nil
		}
		return &Choose{Bound: b, Body: e()}
	case 7:
		return &Function{Bounds: g.bounds(depth), Body: e()}
	case 8:
		return &FunctionSet{Domain: e(), Range: e()}
	case 9:
		return &Index{Function: e(), Args: g.exprs(depth, 1)}
	case 10:
		return &Record{Fields: g.fields(depth)}
	case 11:
		return &RecordSet{Fields: g.fields(depth)}
	case 12:
		return &Select{Record: e(), Field: g.name()}
	case 13:
		return &Except{Function: e(), Updates: []Update{{Path: []Access{{Args: g.exprs(depth, 1)},
			{Field: g.name()}}, Value: e()}}}
	case 14:
		return &If{Cond: e(), Then: e(), Else: e()}
	case 15:
		return &Case{Arms: []Arm{{e(), e()}, {e(), e()}}, Other: []Expr{nil, e()}[g.IntN(2)]}
	case 16:
		return &Let{Units: g.units(depth), Body: e()}
	case 17:
		return &Action{Angle: g.IntN(2) == 0, Body: e(), Vars: e()}
	case 18:
		return &Fair{Strong: g.IntN(2) == 0, Vars: e(), Body: e()}
	case 19:
		return &Junction{And: g.IntN(2) == 0, Items: g.exprs(depth, 1)}
	case 20:
		return &Label{Name: g.name(), Params: g.names(), Body: e()}
	case 21, 22:
		return g.path(depth)
	}
	return g.applied(depth)
}

// The text of a generated tree is read as the same tree.
func TestGenerated(t *testing.T) {
	for seed := range uint64(testkit.Size(3000, 30_000)) {
		e := newGenerator(seed).expr(5)
		m := &Module{Units: []Unit{&Definition{Name: Name{Text: "A"}, Body: e}}}
		printed(t, []*Module{m})
		if t.Failed() {
			t.Fatalf("seed %d: %s", seed, Text(e))
		}
	}
}

// Tokens of a generated text that are left out or swapped give an error with a place, or a tree.
func TestBroken(t *testing.T) {
	for seed := range uint64(testkit.Size(3000, 30_000)) {
		g := newGenerator(seed)
		src := diag.NewSource("M.tla", "---- MODULE M ----\nA == "+Text(g.expr(4))+"\n====")
		l := &lexer{src: src, errs: &diag.List{}}
		l.module()
		text := ""
		for range 1 + g.IntN(2) {
			i := g.IntN(len(l.out))
			if g.IntN(2) == 0 {
				l.out = slices.Delete(l.out, i, i+1)
			} else {
				j := g.IntN(len(l.out))
				l.out[i], l.out[j] = l.out[j], l.out[i]
			}
		}
		for _, x := range l.out {
			if x.Kind != parse.EOF {
				text += " " + src.Text[x.Start:x.End]
			}
		}
		errs := &diag.List{}
		modules := Parse(diag.NewSource("M.tla", text), errs)
		if (modules == nil) != (errs.Err() != nil) {
			t.Errorf("%s: %d modules, %v", text, len(modules), errs)
		}
		positions(t, errs)
		if modules != nil {
			printed(t, modules)
		}
	}
}

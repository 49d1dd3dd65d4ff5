package oracletest

import (
	"fmt"
	"math/rand"
	"slices"
)

// Sharp gives properties that hang on exact timing: they claim of something that two processes come
// to late, or never, but nearly, that they never do, or that it passes, or leads to something else.
func (g *Graph) Sharp(r *rand.Rand, count int) (out []Property) {
	if g.N < 2 {
		return nil
	}
	both := r.Intn(2) == 0 // what both have for each other; else the first alone
	seen := g.views(both)
	if len(seen) < 2 {
		return nil
	}
	late := func() view { // among the last half to be reached
		return seen[len(seen)-1-r.Intn((len(seen)+1)/2)]
	}
	apart := Expr{Op: Not, Args: []Expr{{Op: Same, I: 0, J: 1}}}
	for i := range count {
		v := late()
		if r.Intn(2) == 0 {
			v = g.near(r, seen, v)
		}
		is := g.formula(v, both)
		never := Expr{Op: Not, Args: []Expr{is}}
		var f Expr
		switch r.Intn(6) {
		case 0: // it does not stay
			f = Expr{Op: Always, Args: []Expr{{Op: Eventually, Args: []Expr{
				{Op: Implies, Args: []Expr{apart, never}}}}}}
		case 1: // in the end it is no more
			f = Expr{Op: Eventually, Args: []Expr{{Op: Always, Args: []Expr{
				{Op: Implies, Args: []Expr{apart, never}}}}}}
		case 2:
			f = Expr{Op: LeadsTo, Args: []Expr{{Op: And, Args: []Expr{apart, is}},
				g.formula(late(), both)}}
		default:
			f = Expr{Op: Implies, Args: []Expr{apart, never}}
		}
		out = append(out, Property{fmt.Sprintf("sharp%d", i), f, Outer})
	}
	return out
}

// view is what a formula about two processes can say of a configuration: values of variables, and
// who has crashed.
type view []int

// views lists the views of processes 0 and 1, in the order in which they are reached.
func (g *Graph) views(both bool) (out []view) {
	known := map[string]bool{}
	for _, c := range g.Configs {
		var v view
		for _, pair := range pairs(both) {
			for k := range g.Variables {
				v = append(v, int(c[g.variable(pair[0], pair[1])+k]))
			}
		}
		for i := range 2 {
			v = append(v, bit(c[g.location(i)] == crashed))
		}
		if key := fmt.Sprint(v); !known[key] {
			known[key] = true
			out = append(out, v)
		}
	}
	return out
}

func pairs(both bool) [][2]int {
	if both {
		return [][2]int{{0, 1}, {1, 0}}
	}
	return [][2]int{{0, 1}}
}

// near gives a view that no configuration has, and that differs from one in a single value; the one
// itself if there is none.
func (g *Graph) near(r *rand.Rand, seen []view, v view) view {
	for range 20 {
		w := slices.Clone(v)
		i := r.Intn(len(w))
		if most := 1; i < len(w)-2 {
			x := g.Variables[i%len(g.Variables)]
			if !x.Bool {
				most = x.Hi - x.Lo
			}
			w[i] = r.Intn(most + 1)
		} else {
			w[i] = 1 - w[i]
		}
		if !slices.ContainsFunc(seen, func(s view) bool { return slices.Equal(s, w) }) {
			return w
		}
	}
	return v
}

// formula says that processes P and Q are in a view.
func (g *Graph) formula(v view, both bool) Expr {
	var parts []Expr
	for _, pair := range pairs(both) {
		for _, x := range g.Variables {
			is := Expr{Op: Of, Name: x.Name, I: pair[0], J: pair[1]}
			switch {
			case !x.Bool:
				is = Expr{Op: Equal, Args: []Expr{is, {Op: Number, Value: v[0] + x.Lo}}}
			case v[0] == 0:
				is = Expr{Op: Not, Args: []Expr{is}}
			}
			parts, v = append(parts, is), v[1:]
		}
	}
	for i, down := range v {
		parts = append(parts, Expr{Op: []Op{Correct, Crashed}[down], I: i})
	}
	all := parts[0]
	for _, p := range parts[1:] {
		all = Expr{Op: And, Args: []Expr{all, p}}
	}
	return all
}

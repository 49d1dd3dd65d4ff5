package system_test

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"sort"
	"testing"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/testkit"
)

// This file is a deliberately naive evaluator, and compares the renderings of generated actions
// with it. A value is an int: 0 or 1 for a truth value, the index of an element or member, or an
// integer.

// state maps the text of an application, such as f[1 0], to its value.
type state map[string]int

func key(s *logic.Symbol, args []int) string { return s.Name + fmt.Sprint(args) }

// world evaluates terms in a pre- and a post-state.
type world struct {
	sys       *system.System
	instance  *system.Instance
	pre, post state
	env       map[*logic.Var]int
}

func (w world) bind(v *logic.Var, x int) world {
	env := map[*logic.Var]int{v: x}
	for u, y := range w.env {
		if u != v {
			env[u] = y
		}
	}
	w.env = env
	return w
}

func (w world) in(post state) world {
	w.post = post
	return w
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (w world) holds(t *logic.Term) bool { return w.eval(t) == 1 }

// values lists the values of a sort.
func (w world) values(s *logic.Sort) (out []int) {
	lo, hi := 0, 0
	switch s.Kind {
	case logic.KindBool:
		hi = 1
	case logic.KindUninterpreted:
		hi = w.instance.Sizes[s] - 1
	case logic.KindEnum:
		hi = len(s.Members) - 1
	case logic.KindRange:
		lo, hi = w.eval(s.Lo), w.eval(s.Hi)
	default:
		panic("the values of int cannot be listed")
	}
	for x := lo; x <= hi; x++ {
		out = append(out, x)
	}
	return out
}

// tuples lists all arguments of a symbol, or values of variables.
func (w world) tuples(sorts []*logic.Sort) [][]int {
	out := [][]int{{}}
	for _, s := range sorts {
		var next [][]int
		for _, t := range out {
			for _, x := range w.values(s) {
				next = append(next, append(slices.Clone(t), x))
			}
		}
		out = next
	}
	return out
}

func sortsOf(vs []*logic.Var) (out []*logic.Sort) {
	for _, v := range vs {
		out = append(out, v.Sort)
	}
	return out
}

// each lists the worlds for all values of variables.
func (w world) each(vs []*logic.Var) (out []world) {
	for _, t := range w.tuples(sortsOf(vs)) {
		x := w
		for i, v := range vs {
			x = x.bind(v, t[i])
		}
		out = append(out, x)
	}
	return out
}

func (w world) eval(t *logic.Term) int {
	arg := func(i int) int { return w.eval(t.Args[i]) }
	switch t.Op {
	case logic.OpTrue:
		return 1
	case logic.OpFalse:
		return 0
	case logic.OpInt:
		return int(t.Int.Int64())
	case logic.OpMember:
		return t.Index
	case logic.OpVar:
		x, ok := w.env[t.Var]
		if !ok {
			panic("unbound " + t.Var.Name)
		}
		return x
	case logic.OpApp:
		args := make([]int, len(t.Args))
		for i := range args {
			args[i] = arg(i)
		}
		from := w.pre
		if t.Step == logic.Post {
			from = w.post
		}
		if d := w.sys.DerivedOf(t.Symbol); d != nil {
			x := world{w.sys, w.instance, from, nil, nil}
			for i, v := range d.Vars {
				x = x.bind(v, args[i])
			}
			return x.eval(d.Body)
		}
		x, ok := from[key(t.Symbol, args)]
		if !ok {
			panic("read outside of a range: " + key(t.Symbol, args))
		}
		return x
	case logic.OpNot:
		return 1 - arg(0)
	case logic.OpAnd:
		for i := range t.Args {
			if arg(i) == 0 {
				return 0
			}
		}
		return 1
	case logic.OpOr:
		for i := range t.Args {
			if arg(i) == 1 {
				return 1
			}
		}
		return 0
	case logic.OpImplies:
		return truth(arg(0) == 0 || arg(1) == 1)
	case logic.OpIff, logic.OpEq:
		return truth(arg(0) == arg(1))
	case logic.OpDistinct:
		seen := map[int]bool{}
		for i := range t.Args {
			seen[arg(i)] = true
		}
		return truth(len(seen) == len(t.Args))
	case logic.OpLt:
		return truth(arg(0) < arg(1))
	case logic.OpLe:
		return truth(arg(0) <= arg(1))
	case logic.OpAdd:
		sum := 0
		for i := range t.Args {
			sum += arg(i)
		}
		return sum
	case logic.OpSub:
		return arg(0) - arg(1)
	case logic.OpMul:
		return arg(0) * arg(1)
	case logic.OpDiv: // by counting
		q := 0
		for ; q*arg(1) > arg(0); q-- {
		}
		for ; (q+1)*arg(1) <= arg(0); q++ {
		}
		return q
	case logic.OpMod:
		r := arg(0)
		for ; r < 0; r += arg(1) {
		}
		for ; r >= arg(1); r -= arg(1) {
		}
		return r
	case logic.OpNeg:
		return -arg(0)
	case logic.OpIte:
		if arg(0) == 1 {
			return arg(1)
		}
		return arg(2)
	case logic.OpForall, logic.OpExists:
		for _, x := range w.each(t.Vars) {
			if x.holds(t.Args[0]) == (t.Op == logic.OpExists) {
				return truth(t.Op == logic.OpExists)
			}
		}
		return truth(t.Op == logic.OpForall)
	case logic.OpLet:
		return w.bind(t.Vars[0], arg(0)).eval(t.Args[1])
	}
	panic("no term of a transition: " + t.String())
}

// fill lists the states that agree with s except for the symbols, which take all values.
func (w world) fill(s state, symbols []*logic.Symbol) []state {
	out := []state{s}
	for _, sym := range symbols {
		for _, args := range w.tuples(sym.Args) {
			var next []state
			for _, s := range out {
				for _, x := range w.values(sym.Result) {
					c := maps.Clone(s)
					c[key(sym, args)] = x
					next = append(next, c)
				}
			}
			out = next
		}
	}
	return out
}

// run gives the states that code can lead to; the state so far is in w.post.
func (w world) run(code []system.Stmt, done func(world)) {
	if len(code) == 0 {
		done(w)
		return
	}
	rest := code[1:]
	write := func(to state, u system.Update, value func(world) int) {
		for _, x := range w.each(u.Vars) {
			args := make([]int, len(u.Args))
			for i, a := range u.Args {
				args[i] = x.eval(a)
			}
			if _, ok := to[key(u.Symbol, args)]; !ok {
				panic("write outside of a range")
			}
			to[key(u.Symbol, args)] = value(x)
		}
	}
	switch s := code[0].(type) {
	case system.Require:
		if w.holds(s.Cond) {
			w.run(rest, done)
		}
	case system.Assign:
		next := maps.Clone(w.post)
		for _, u := range s.Updates {
			write(next, u, func(x world) int { return x.eval(u.Value) })
		}
		w.in(next).run(rest, done)
	case system.Havoc:
		states := []state{w.post}
		marked := maps.Clone(w.post) // -1 stands for any value
		write(marked, system.Update{Symbol: s.Symbol, Vars: s.Vars, Args: s.Args}, func(world) int {
			return -1
		})
		for k, x := range marked {
			if x != -1 {
				continue
			}
			var next []state
			for _, old := range states {
				for _, y := range w.values(s.Symbol.Result) {
					c := maps.Clone(old)
					c[k] = y
					next = append(next, c)
				}
			}
			states = next
		}
		for _, next := range states {
			w.in(next).run(rest, done)
		}
	case system.Choose:
		for _, x := range w.each([]*logic.Var{s.Var}) {
			if x.holds(s.Such) {
				x.run(rest, done)
			}
		}
	case system.Let:
		w.bind(s.Var, w.eval(s.Value)).run(rest, done)
	case system.If:
		block := s.Else
		if w.holds(s.Cond) {
			block = s.Then
		}
		outer := w.env
		w.run(block, func(x world) {
			x.env = outer
			x.run(rest, done)
		})
	}
}

// byCode gives the successors of w.pre by the code of an action, as texts.
func (w world) byCode(a *system.Action) []string {
	found := map[string]bool{}
	for _, x := range w.in(w.pre).each(a.Params) {
		x.run(a.Code, func(x world) { found[fmt.Sprint(x.post)] = true })
	}
	return sorted(found)
}

// byRelation gives the successors by the relation: all new values of symbols without an update,
// then the updates, then the guards.
func (w world) byRelation(a *system.Action) []string {
	found := map[string]bool{}
	free := slices.DeleteFunc(slices.Clone(a.Modifies), func(s *logic.Symbol) bool {
		return slices.ContainsFunc(a.Relation.Updates, func(u system.Update) bool {
			return u.Symbol == s
		})
	})
	for _, x := range w.each(slices.Concat(a.Params, a.Relation.Choices)) {
		for _, x.pre = range w.fill(w.pre, a.Relation.Inputs) {
			for _, post := range w.fill(w.pre, free) {
				x := x.in(maps.Clone(post))
				for _, u := range a.Relation.Updates {
					next := maps.Clone(x.post)
					for _, y := range x.each(u.Vars) {
						args := make([]int, len(u.Args))
						for i, t := range u.Args {
							args[i] = y.eval(t)
						}
						next[key(u.Symbol, args)] = y.eval(u.Value)
					}
					x = x.in(next)
				}
				if x.holds(logic.And(a.Relation.Guard...)) {
					found[fmt.Sprint(x.post)] = true
				}
			}
		}
	}
	return sorted(found)
}

// byFormula gives the successors by a two-state formula: all new values of the modified symbols for
// which it holds.
func (w world) byFormula(a *system.Action, formula *logic.Term) []string {
	found := map[string]bool{}
	for _, x := range w.each(a.Params) {
		for _, post := range w.fill(w.pre, a.Modifies) {
			if x.in(post).holds(formula) {
				found[fmt.Sprint(post)] = true
			}
		}
	}
	return sorted(found)
}

func sorted(set map[string]bool) []string {
	out := slices.Collect(maps.Keys(set))
	sort.Strings(out)
	return out
}

// random makes a world with a random state.
func random(rng *rand.Rand, sys *system.System) world {
	w := world{sys: sys, instance: sys.Instances[0], pre: state{}}
	for _, s := range sys.Symbols { // the ends of ranges come first
		if v := w.instance.Values[s]; v != nil {
			w.pre[key(s, nil)] = w.eval(v)
			continue
		}
		if s.Derived {
			continue
		}
		for _, args := range w.tuples(s.Args) {
			all := w.values(s.Result)
			w.pre[key(s, args)] = all[rng.Intn(len(all))]
		}
	}
	return w
}

// successors counts the results of a comparison, so that a test can check that the comparison is
// not empty.
type successors struct{ none, some, many int }

func (c *successors) add(n int) {
	switch n {
	case 0:
		c.none++
	case 1:
		c.some++
	default:
		c.many++
	}
}

// TestCodeOfAndSolve compares, for actions written as formulas, the formula, the relation and the
// code.
func TestCodeOfAndSolve(t *testing.T) {
	rng := rand.New(rand.NewSource(7))
	var seen successors
	updates, guards, choices := 0, 0, 0
	for range 250 {
		formulas := map[*system.Action]*logic.Term{}
		sys, err := systemtest.Generate(rng, systemtest.Options{Formula: true, Bits: 9,
			OnFormula: func(a *system.Action, f *logic.Term) { formulas[a] = f }})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range sys.Actions {
			updates += len(a.Relation.Updates)
			choices += len(a.Relation.Choices)
			for _, g := range a.Relation.Guard {
				guards += truth(logic.MaxStep(g) == logic.Post)
			}
			for range 2 {
				w := random(rng, sys)
				want := w.byFormula(a, formulas[a])
				if got := w.byRelation(a); !slices.Equal(got, want) {
					t.Fatalf("relation of %s differs in %v:\n%s\ngot  %v\nwant %v\n%s", formulas[a],
						w.pre, a.Name, got, want, sys)
				}
				if got := w.byCode(a); !slices.Equal(got, want) {
					t.Fatalf("code of %s differs in %v:\n%s\ngot  %v\nwant %v\n%s", formulas[a],
						w.pre, a.Name, got, want, sys)
				}
				seen.add(len(want))
			}
		}
	}
	if seen.none < 100 || seen.some < 100 || seen.many < 100 || updates < 100 || guards < 100 ||
		choices < 100 {
		t.Errorf("the comparison is too weak: %+v, %d updates, %d guards over new values, %d choices", seen, updates, guards, choices)
	}
}

// TestRelationOf compares code with the relation derived from it.
func TestRelationOf(t *testing.T) {
	rng := rand.New(rand.NewSource(8))
	var seen successors
	inputs, choices := 0, 0
	for range testkit.Size(100, 700) {
		sys, err := systemtest.Generate(rng, systemtest.Options{Imperative: true, Bits: 9})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range sys.Actions {
			combinations := 1
			w := random(rng, sys)
			for _, in := range a.Relation.Inputs {
				for range w.tuples(in.Args) {
					combinations *= len(w.values(in.Result))
				}
			}
			if combinations > 200 {
				continue
			}
			inputs += len(a.Relation.Inputs)
			choices += len(a.Relation.Choices)
			for range 2 {
				w := random(rng, sys)
				want := w.byCode(a)
				// The inputs are in the pre-state there. They do not occur in the compared texts,
				// because the post-state is made from w.pre.
				if got := w.byRelation(a); !slices.Equal(got, want) {
					t.Fatalf("relation of %s differs in %v:\ngot  %v\nwant %v\n%s", a.Name, w.pre,
						got, want, sys)
				}
				seen.add(len(want))
			}
		}
	}
	if seen.none < 100 || seen.some < 100 || seen.many < 100 || inputs < 100 || choices < 100 {
		t.Errorf("the comparison is too weak: %+v, %d inputs, %d choices", seen, inputs, choices)
	}
}

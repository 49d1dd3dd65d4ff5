// Package systemtest makes random small systems for tests.
//
// In: a source of random numbers and a few bounds. Out: well-formed systems with one finite
// instance, called small. Unless the options say otherwise, every read and write stays within its
// range, so that engines can be compared without regard to errors. The actions come from code and
// from formulas, with both renderings, and use everything that the IR offers.
package systemtest

import (
	std "context"
	"fmt"
	"maps"
	"math/bits"
	"math/rand"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// Options bounds the systems that Generate makes. The zero value stands for the defaults.
type Options struct {
	Actions    int // how many; 3 by default
	Properties int // how many invariants, without the ranges; 2 by default
	// a bound on the logarithm of the number of states, immutable symbols included; 10 by default
	Bits       int
	Formula    bool // only actions written as formulas
	Imperative bool // only actions written as code
	Undivided  bool // no division
	// arguments may lie outside of their ranges, and a trusted invariant may be among the
	// properties; the claims about arguments are among them
	Outside bool
	// OnFormula is called with the formula of each action that was written as a formula.
	OnFormula func(*system.Action, *logic.Term)
}

// Unnamed gives the system's instance without the values that are elements of uninterpreted sorts,
// since no user can name elements: the immutable symbols then have every such value.
func Unnamed(sys *system.System) *system.Instance {
	in := *sys.Instances[0]
	in.Values = maps.Clone(in.Values)
	maps.DeleteFunc(in.Values, func(sym *logic.Symbol, _ *logic.Term) bool {
		return sym.Result.Kind == logic.KindUninterpreted
	})
	sys.Instances[0] = &in
	return &in
}

// Generate makes a system. Equal random numbers give equal systems. An error is a defect of package
// system.
func Generate(rng *rand.Rand, opts Options) (*system.System, error) {
	if opts.Actions == 0 {
		opts.Actions = 3
	}
	if opts.Properties == 0 {
		opts.Properties = 2
	}
	if opts.Bits == 0 {
		opts.Bits = 10
	}
	g := &generator{rng: rng, opts: opts, sys: &system.System{Name: "random"},
		small: &system.Instance{Name: "small", Sizes: map[*logic.Sort]int{},
			Values: map[*logic.Symbol]*logic.Term{}}}
	g.sys.Instances = []*system.Instance{g.small}
	g.outside = opts.Outside
	g.sorts()
	g.symbols()
	g.outside = false
	g.initial()
	g.outside = opts.Outside
	for i := range opts.Actions {
		name := fmt.Sprintf("step%d", i)
		formula := opts.Formula || !opts.Imperative && rng.Intn(2) == 0
		make := g.imperative
		if formula {
			make = g.formula
		}
		a, err := make(name)
		if err != nil {
			return nil, fmt.Errorf("generating %s: %w", name, err)
		}
		g.sys.Actions = append(g.sys.Actions, a)
	}
	g.properties()
	if opts.Outside {
		claims, err := system.Implicit(std.Background(), g.sys)
		if err != nil {
			return nil, fmt.Errorf("claims about arguments: %w\n%s", err, g.sys)
		}
		g.sys.Properties = append(g.sys.Properties, claims...)
	}
	if err := system.Validate(g.sys); err != nil {
		return nil, fmt.Errorf("generated system: %w\n%s", err, g.sys)
	}
	return g.sys, nil
}

type generator struct {
	rng   *rand.Rand
	opts  Options
	sys   *system.System
	small *system.Instance

	uninterpreted []*logic.Sort
	enum          *logic.Sort // nil for none
	limit         *logic.Symbol
	bits          int  // of the states so far
	outside       bool // arguments may lie outside of their ranges
}

func (g *generator) one(n int) bool { return g.rng.Intn(n) == 0 }

func pick[T any](g *generator, from []T) T { return from[g.rng.Intn(len(from))] }

func (g *generator) sorts() {
	for _, name := range []string{"node", "item"}[:1+g.rng.Intn(2)] {
		s := &logic.Sort{Kind: logic.KindUninterpreted, Name: name}
		g.uninterpreted = append(g.uninterpreted, s)
		g.small.Sizes[s] = 1 + g.rng.Intn(3)
	}
	g.sys.Sorts = append(g.sys.Sorts, g.uninterpreted...)
	if !g.one(3) {
		g.enum = &logic.Sort{Kind: logic.KindEnum, Name: "colour",
			Members: []string{"red", "green", "blue"}[:2+g.rng.Intn(2)]}
		g.sys.Sorts = append(g.sys.Sorts, g.enum)
	}
	g.limit = &logic.Symbol{Name: "limit", Kind: logic.Constant, Result: logic.Int}
	g.sys.Symbols = append(g.sys.Symbols, g.limit)
	g.small.Values[g.limit] = logic.IntLit(int64(1 + g.rng.Intn(2)))
}

// upTo makes a new range 0..limit each time: ranges are compared by their ends.
func (g *generator) upTo() *logic.Sort {
	return &logic.Sort{Kind: logic.KindRange, Name: "0..limit", Lo: logic.IntLit(0),
		Hi: logic.App(g.limit, logic.Pre)}
}

// domain picks a sort with finitely many values in the instance.
func (g *generator) domain() *logic.Sort {
	switch g.rng.Intn(5) {
	case 0:
		return g.upTo()
	case 1:
		if g.enum != nil {
			return g.enum
		}
	}
	return pick(g, g.uninterpreted)
}

// size is the number of values of a sort in the instance.
func (g *generator) size(s *logic.Sort) int {
	switch s.Kind {
	case logic.KindBool:
		return 2
	case logic.KindEnum:
		return len(s.Members)
	case logic.KindRange:
		return int(g.small.Values[g.limit].Int.Int64()) + 1
	}
	return g.small.Sizes[s]
}

// cost is the logarithm, rounded up, of the number of values of a function.
func (g *generator) cost(args []*logic.Sort, result *logic.Sort) int {
	n := bits.Len(uint(g.size(result) - 1))
	for _, a := range args {
		n *= g.size(a)
	}
	return n
}

// declare adds a symbol unless that makes too many states.
func (g *generator) declare(s *logic.Symbol) bool {
	c := g.cost(s.Args, s.Result)
	if g.small.Values[s] != nil {
		c = 0
	}
	if g.bits+c > g.opts.Bits {
		return false
	}
	g.bits += c
	g.sys.Symbols = append(g.sys.Symbols, s)
	return true
}

func (g *generator) symbols() {
	for _, s := range g.uninterpreted { // so that every sort has a term
		c := &logic.Symbol{Name: "a_" + s.Name, Kind: logic.Constant, Result: s}
		if g.one(2) {
			g.small.Values[c] = logic.Member(s, g.rng.Intn(g.small.Sizes[s]))
		}
		g.declare(c)
	}
	if s := pick(g, g.uninterpreted); g.one(2) {
		edge := &logic.Symbol{Name: "edge", Kind: logic.Relation, Args: []*logic.Sort{s, s},
			Result: logic.Bool}
		if g.bits+g.cost(edge.Args, edge.Result) <= g.opts.Bits/2 {
			g.declare(edge)
		}
	}
	for i := range 8 {
		s := &logic.Symbol{Mutable: true, Result: logic.Bool}
		for range pick(g, []int{0, 0, 1, 1, 1, 2}) {
			s.Args = append(s.Args, g.domain())
		}
		if g.one(2) {
			s.Result = g.domain()
		}
		switch {
		case s.Result == logic.Bool:
			s.Kind, s.Name = logic.Relation, fmt.Sprintf("r%d", i)
		case len(s.Args) > 0:
			s.Kind, s.Name = logic.Function, fmt.Sprintf("f%d", i)
		default:
			s.Kind, s.Name = logic.Constant, fmt.Sprintf("c%d", i)
		}
		g.declare(s)
	}
	if g.mutable() == nil {
		g.declare(&logic.Symbol{Name: "on", Kind: logic.Relation, Result: logic.Bool,
			Mutable: true})
	}
	if g.one(2) {
		g.derived()
	}
}

// derived adds a derived relation.
func (g *generator) derived() {
	s := &logic.Symbol{Name: "derived", Kind: logic.Relation, Args: []*logic.Sort{g.domain()},
		Result:  logic.Bool,
		Mutable: true, Derived: true}
	v := &logic.Var{Name: "D", Sort: s.Args[0]}
	body := g.bool(2, context{vars: []*logic.Var{v}, steps: []int{logic.Pre}})
	g.sys.Symbols = append(g.sys.Symbols, s)
	g.sys.Derived = append(g.sys.Derived, &system.Derived{
		Symbol: s, Vars: []*logic.Var{v}, Body: body,
		Axiom: logic.Forall([]*logic.Var{v},
			logic.Iff(logic.App(s, logic.Pre, logic.Ref(v)), body)),
	})
}

// mutable lists the symbols that actions may write.
func (g *generator) mutable() (out []*logic.Symbol) {
	for _, s := range g.sys.Symbols {
		if s.Mutable && !s.Derived {
			out = append(out, s)
		}
	}
	return out
}

// initial adds axioms and initial conditions that have a model: each fixes some symbol.
func (g *generator) initial() {
	for _, s := range g.sys.Symbols {
		if s.Derived || g.small.Values[s] != nil || g.one(3) {
			continue
		}
		vars := g.variables(s.Args)
		def := logic.Forall(vars,
			logic.Eq(logic.App(s, logic.Pre, logic.Refs(vars)...),
				g.term(s.Result, 1, context{vars: vars})))
		switch {
		case def.IsTrue():
		case s.Mutable:
			g.sys.Inits = append(g.sys.Inits, &system.Formula{Name: "init_" + s.Name, Term: def})
		case len(s.Args) > 0:
			// The definition must not be of a constant here, because it may use other constants
			// circularly.
			g.sys.Axioms = append(g.sys.Axioms, &system.Formula{Term: logic.Forall(vars,
				logic.Implies(logic.And(g.equal(vars)...),
					logic.App(s, logic.Pre, logic.Refs(vars)...)))})
		}
	}
}

// equal equates all variables of one sort.
func (g *generator) equal(vars []*logic.Var) (out []*logic.Term) {
	for i, v := range vars[1:] {
		if logic.SameSort(v.Sort, vars[i].Sort) {
			out = append(out, logic.Eq(logic.Ref(vars[i]), logic.Ref(v)))
		}
	}
	return out
}

// variables makes a variable for each sort.
func (g *generator) variables(sorts []*logic.Sort) []*logic.Var {
	out := make([]*logic.Var, len(sorts))
	for i, s := range sorts {
		out[i] = &logic.Var{Name: pick(g, []string{"X", "Y", "Z"}), Sort: s}
	}
	return out
}

func (g *generator) properties() {
	for i := range g.opts.Properties {
		kind := pick(g, []system.PropertyKind{system.Safety, system.Invariant})
		if g.outside && g.one(4) {
			kind = system.Trusted
		}
		g.sys.Properties = append(g.sys.Properties, &system.Property{
			Name: fmt.Sprintf("inv%d", i), Kind: kind,
			Term: g.bool(3, context{steps: []int{logic.Pre}})})
	}
	for _, s := range g.mutable() {
		if s.Result.Kind == logic.KindRange {
			vars := g.variables(s.Args)
			g.sys.Properties = append(g.sys.Properties, &system.Property{
				Name: "range:" + s.Name, Kind: system.Range,
				Term: logic.Forall(vars,
					logic.InSort(s.Result, logic.App(s, logic.Pre, logic.Refs(vars)...)))})
		}
	}
}

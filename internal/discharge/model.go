package discharge

import (
	"context"
	"errors"
	"math/big"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vc"
)

// A solver's model may be large, and each solver prints it differently. So the question is for a
// small model: each uninterpreted sort gets named constants that are all its elements, integers are
// bounded, and the solver gives the values of ground terms only.
const maxSize = 4 // elements of a sort

// bounds on the absolute value of integers are tried in this order; 0 stands for none.
var bounds = []int64{8, 64, 0}

// modeller asks for models of the theory and a negated goal.
type modeller struct{ *processes }

// smallModel looks for a small model of the theory and the negated goal: with few elements first,
// by each solver in turn. What is hard for one solver is often easy for another one, so all of them
// try at a low limit before any of them may spend more. Without limits there are these two.
func (p modeller) smallModel(ctx context.Context, o *Obligation, limits ...int64) *result.Trace {
	var sorts []*logic.Sort
	for _, s := range p.in.sys.Sorts {
		if s.Kind == logic.KindUninterpreted {
			sorts = append(sorts, s)
		}
	}
	if len(limits) == 0 {
		limits = []int64{p.glance(), p.quick}
	}
	answer := o.Rlimit // the cost of the answer
	frames := p.frames(sorts)
	broken := make([]bool, len(p.in.drivers))
	for _, limit := range limits {
		var open []frame // no solver says that they are too small
		for _, f := range frames {
			m, excluded := p.modelIn(ctx, o, f, limit, broken)
			if m != nil {
				return p.shrink(ctx, o, sorts, m, o.Rlimit < answer+max(answer, leastForPicture))
			}
			if !excluded {
				open = append(open, f)
			}
		}
		frames = open
	}
	return nil
}

// glance is the low limit for a small model.
func (p modeller) glance() int64 { return max(p.quick/10, 1) }

// frame bounds the elements of each sort, and the absolute value of integers; 0 stands for none.
type frame struct {
	sizes map[*logic.Sort]int
	bound int64
}

// frames lists the bounds for small models, in the order in which they are tried.
func (p modeller) frames(sorts []*logic.Sort) (out []frame) {
	largest := maxSize
	if len(sorts) == 0 {
		largest = 1
	}
	limits := bounds
	if !p.hasIntegers() {
		limits = []int64{0}
	}
	for _, bound := range limits {
		for size := 1; size <= largest; size++ {
			f := frame{sizes: map[*logic.Sort]int{}, bound: bound}
			for _, s := range sorts {
				f.sizes[s] = size
			}
			out = append(out, f)
		}
	}
	return out
}

// modelIn asks the solvers for a model in a frame, one after the other. Excluded says that there is
// none. A solver with an error is broken, and not asked again: the picture is not worth it.
func (p modeller) modelIn(
	ctx context.Context, o *Obligation, f frame, limit int64, broken []bool,
) (m *model, excluded bool) {
	for driver := range p.in.drivers {
		if broken[driver] {
			continue
		}
		m, err := p.model(ctx, o, driver, f, limit)
		switch {
		case errors.Is(err, errNoModel):
			return nil, true
		case errors.Is(err, smt.ErrGuard): // the machine may be busy
		case err != nil:
			broken[driver] = true
		case m != nil:
			return m, false
		}
	}
	return nil, false
}

// leastForPicture are resources with which a small model is always cheap.
const leastForPicture = DefaultRlimit / 300

// shrink removes elements from one sort after the other. A requested run keeps its elements if the
// model was expensive compared with the answer: its length is given, so fewer elements do not make
// it much clearer.
func (p modeller) shrink(
	ctx context.Context, o *Obligation, sorts []*logic.Sort, m *model, cheap bool,
) *result.Trace {
	for _, s := range sorts {
		for len(m.elements[s]) > 1 && (cheap || p.group.Path.Kind != result.Witness) {
			sizes := map[*logic.Sort]int{}
			for t, es := range m.elements {
				sizes[t] = len(es)
			}
			sizes[s]--
			smaller, err := p.model(ctx, o, m.driver, frame{sizes, m.bound}, p.quick)
			if err != nil || smaller == nil {
				break
			}
			m = smaller
		}
	}
	o.small = m
	return m.trace
}

// model is a model as read from a solver.
type model struct {
	elements map[*logic.Sort][]*logic.Var // constants for its elements, each for a different one
	bound    int64
	trace    *result.Trace
	cells    []*cell
	integers []*big.Int // the requested integers; nil for an unknown one

	group  *Group // in which it was found,
	driver int    // and by which solver
}

// errNoModel says that no model satisfies a restriction.
var errNoModel = errors.New("no such model")

// model asks for a model in a frame. It gives nil when the solver gives no answer.
func (p modeller) model(
	ctx context.Context, o *Obligation, driver int, f frame, limit int64,
) (*model, error) {
	elements := map[*logic.Sort][]*logic.Var{}
	for s, n := range f.sizes {
		for range n {
			elements[s] = append(elements[s], &logic.Var{Name: s.Name, Sort: s})
		}
	}
	return p.modelWith(ctx, o, driver,
		restriction{elements: elements, bound: f.bound, limit: limit})
}

// restriction asks for a model whose elements are the given constants, which may be equal, and with
// further conditions.
type restriction struct {
	elements map[*logic.Sort][]*logic.Var
	bound    int64
	more     []*logic.Term
	integers []*logic.Term // the requested values
	limit    int64
}

func (p modeller) modelWith(
	ctx context.Context, o *Obligation, driver int, q restriction,
) (*model, error) {
	rendering := p.modelRendering()
	base, err := p.script(rendering)
	if err != nil {
		return nil, err
	}
	r := &reader{sys: p.in.sys, script: base.Fork(), elements: q.elements}
	if err := r.restrict(p.group, q.bound); err != nil {
		return nil, err
	}
	negated, err := r.negated(o.Goal)
	if err != nil {
		return nil, err
	}
	for _, t := range append([]*logic.Term{negated}, q.more...) {
		if err := r.script.Assert(t); err != nil {
			return nil, err
		}
	}
	k := sessionKey{driver, rendering, true}
	answer, err := p.check(ctx, o, k, r.script, q.limit)
	switch {
	case err != nil:
		return nil, err
	case answer.NoFiniteModel:
		return nil, errNoModel
	case answer.Status != smt.Sat:
		return nil, nil
	}
	tr, err := r.read(ctx, p.session(k), p.group.Path)
	if err != nil {
		return nil, err
	}
	tr.Line = o.Line
	m := &model{
		elements: map[*logic.Sort][]*logic.Var{}, bound: q.bound, trace: tr, cells: r.cells,
		integers: make([]*big.Int, len(q.integers)),
		group:    p.group, driver: driver,
	}
	for i, t := range q.integers {
		if err := r.want(t, func(v smt.Sexpr) { m.integers[i], _ = v.Int() }); err != nil {
			return nil, err
		}
	}
	if err := r.flush(ctx, p.session(k)); err != nil {
		return nil, err
	}
	for s, atoms := range r.atoms {
		for _, atom := range atoms {
			m.elements[s] = append(m.elements[s], atom.element)
		}
	}
	return m, nil
}

// modelRendering prefers definitions, which leave less to the model. But z3 expands them in
// requested terms, and then refuses terms with quantifiers.
func (p modeller) modelRendering() vc.Rendering {
	for _, u := range p.group.Theory.Updates {
		if logic.Has(u.Value, (*logic.Term).IsQuantifier) {
			return vc.Relational
		}
	}
	return vc.Macro
}

// hasIntegers reports whether any value of the picture is an integer.
func (p *processes) hasIntegers() bool {
	for _, sym := range p.in.sys.Symbols {
		if sym.Result.Base() == logic.Int {
			return true
		}
	}
	for _, v := range p.group.Theory.Consts {
		if v.Sort.Base() == logic.Int {
			return true
		}
	}
	return false
}

// restrict adds the elements, the bound on integers, and a declaration of every symbol whose values
// are read later: a declaration after the answer would discard the model.
func (r *reader) restrict(g *Group, bound int64) error {
	r.bound = bound
	for _, s := range r.sys.Sorts {
		if s.Kind != logic.KindUninterpreted {
			continue
		}
		x := &logic.Var{Name: "X", Sort: s}
		var oneOf []*logic.Term
		for _, e := range r.elements[s] {
			if !slices.Contains(g.Theory.Consts, e) {
				if err := r.script.DeclareVar(e); err != nil {
					return err
				}
			}
			oneOf = append(oneOf, logic.Eq(logic.Ref(x), logic.Ref(e)))
		}
		if err := r.script.Assert(logic.Forall([]*logic.Var{x}, logic.Or(oneOf...))); err != nil {
			return err
		}
	}
	for _, v := range g.Theory.Consts {
		if bound > 0 && v.Sort.Base() == logic.Int {
			if err := r.script.Assert(r.within(logic.Ref(v))); err != nil {
				return err
			}
		}
	}
	for _, c := range copies(r.sys, g.Path.States) {
		if err := r.script.Declare(c.symbol, c.version); err != nil {
			return err
		}
		if bound == 0 || c.symbol.Result.Base() != logic.Int {
			continue
		}
		vars := make([]*logic.Var, len(c.symbol.Args))
		for i, s := range c.symbol.Args {
			vars[i] = &logic.Var{Name: "X", Sort: s}
		}
		if err := r.script.Assert(logic.Forall(vars,
			r.within(logic.App(c.symbol, c.version, logic.Refs(vars)...)))); err != nil {
			return err
		}
	}
	return nil
}

// within says that an integer is within the bound.
func (r *reader) within(t *logic.Term) *logic.Term {
	return logic.And(logic.Le(logic.IntLit(-r.bound), t), logic.Le(t, logic.IntLit(r.bound)))
}

// negated is the negation of a goal. Where symbols have integers as arguments, the integers of
// which the goal is false are constants, within the bound, if there is one: the picture of the
// model has to show these points.
func (r *reader) negated(goal *logic.Term) (*logic.Term, error) {
	if goal.Op != logic.OpForall || !r.sys.TakesIntegers() {
		return logic.Not(goal), nil
	}
	var others []*logic.Var
	by := map[*logic.Var]*logic.Term{}
	for _, v := range goal.Vars {
		if v.Sort != logic.Int {
			others = append(others, v)
			continue
		}
		w := &logic.Var{Name: v.Name, Sort: v.Sort}
		if err := r.script.DeclareVar(w); err != nil {
			return nil, err
		}
		if r.bound > 0 {
			if err := r.script.Assert(r.within(logic.Ref(w))); err != nil {
				return nil, err
			}
		}
		r.witnesses = append(r.witnesses, w)
		by[v] = logic.Ref(w)
	}
	return logic.Not(logic.Forall(others, logic.Subst(goal.Args[0], by))), nil
}

// symbolCopy is one version of a symbol.
type symbolCopy struct {
	symbol  *logic.Symbol
	version int
}

// copies lists the copies of all symbols that occur in the states.
func copies(sys *system.System, states []vc.Versions) []symbolCopy {
	var out []symbolCopy
	seen := map[symbolCopy]bool{}
	for _, sym := range sys.Symbols {
		for _, state := range states {
			c := symbolCopy{sym, state[sym]}
			if !seen[c] {
				seen[c] = true
				out = append(out, c)
			}
		}
	}
	return out
}

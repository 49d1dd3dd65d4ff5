package explicit

import (
	"context"
	"errors"
	"fmt"
	"math/bits"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine/explore/program"
	"erelong.dev/erelong/internal/engine/explore/store"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/por"
	"erelong.dev/erelong/internal/system"
)

// A set of bits holds 64 states in a word. What a ground action does, and whether a formula is
// true, depends on a few slots (package por finds them), so it is learned from a compiled program,
// once for all states with the same values there. Then steps go from words to words.

// fields is a program that knows where a slot is in a packed state.
type fields interface {
	Field(slot int) (word int, bits uint64)
}

// plan says of which parts a program consists. Threads share it.
type plan struct {
	program compile.Program // its claims are the terms
	terms   []*logic.Term
	claims  []*part
	actions [][]groundPart // for each action
	ground  *por.Analysis
}

// part is a formula, whose atoms are terms of the plan.
type part struct {
	op   formulaOp
	args []*part
	term int
	mask uint64 // of an atom: the bits of codes that it depends on
}

// groundPart is a ground action: it takes a step only where its guards are true.
type groundPart struct {
	guards  []*part
	mask    uint64
	binding int
}

// Bounds: of the bits of an atom that could be divided, of the number of atoms, and of the values
// that a divided quantifier ranges over.
const atomBits, maxAtoms, maxInstances = 12, 512, 64

// newPlan divides the program of a search for words of a set. It returns nil where that is not
// possible.
func (b *inBits) newPlan(ctx context.Context) (_ *plan, err error) {
	main, ok := b.Program.(fields)
	if !ok {
		return nil, nil
	}
	var refused *por.Error
	p := &plan{}
	if p.ground, err = por.New(b.Model, nil); errors.As(err, &refused) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("finding what actions read and write: %w", err)
	}
	d := &divider{plan: p, inBits: b, main: main, known: map[*logic.Term]*part{}}
	for _, c := range b.props {
		if c.Kind != system.Range || !b.within(c) {
			p.claims = append(p.claims, d.part(c.Term))
		}
	}
	guards := p.ground.Guards()
	for i := range b.System.Actions {
		var grounds []groundPart
		for g := p.ground.Ground(i, 0); g < p.ground.End(i); g++ {
			f := p.ground.Footprint(g)
			part := groundPart{binding: g - p.ground.Ground(i, 0),
				mask: d.mask(f.Reads) | d.mask(f.Writes)}
			for _, k := range p.ground.GuardsOf(g) {
				part.guards = append(part.guards, d.part(guards[k]))
			}
			grounds = append(grounds, part)
		}
		p.actions = append(p.actions, grounds)
	}
	if len(p.terms) > maxAtoms {
		return nil, nil
	}
	p.program, err = program.Bindings(ctx, b.Model, p.terms, b.forced)
	if err != nil {
		return nil, err
	}
	if other, ok := p.program.(fields); !ok || !b.sameFields(main, other) {
		return nil, p.program.Close()
	}
	return p, nil
}

// within reports whether no packed state violates a range.
func (b *inBits) within(p *system.Property) bool {
	var states []uint64
	states, err := b.Store.States(0, 1, &states)
	return err == nil && program.Keeps(b.Model, b.Program, p, b.Program.Unpack(states))
}

func (b *inBits) sameFields(x, y fields) bool {
	for slot := range b.SlotSymbols() {
		_, one := x.Field(slot)
		_, other := y.Field(slot)
		if one != other {
			return false
		}
	}
	return true
}

// divider makes parts.
type divider struct {
	*plan
	*inBits
	main  fields
	known map[*logic.Term]*part
}

// mask gives the bits of codes that hold slots, and immutable ones, on which ranges may depend.
func (d *divider) mask(slots por.Set) (out uint64) {
	for slot, s := range d.SlotSymbols() {
		if slots.Has(slot) || !s.Mutable {
			_, bits := d.main.Field(slot)
			out |= bits
		}
	}
	return d.set.Code(out)
}

// part divides a formula that depends on many bits.
func (d *divider) part(t *logic.Term) *part {
	if p := d.known[t]; p != nil {
		return p
	}
	p := d.divide(t)
	d.known[t] = p
	return p
}

func (d *divider) divide(t *logic.Term) *part {
	all := func(op formulaOp, ts ...*logic.Term) *part {
		p := &part{op: op}
		for _, t := range ts {
			p.args = append(p.args, d.part(t))
		}
		return p
	}
	mask := d.mask(d.ground.Reads(t))
	if bits.OnesCount64(mask) > d.opts.atomBits && len(d.terms) <= maxAtoms {
		switch t.Op {
		case logic.OpNot:
			return all(negation, t.Args...)
		case logic.OpAnd:
			return all(conjunction, t.Args...)
		case logic.OpOr:
			return all(disjunction, t.Args...)
		case logic.OpImplies:
			return all(disjunction, logic.Not(t.Args[0]), t.Args[1])
		case logic.OpIff:
			return all(equivalence, t.Args...)
		case logic.OpIte:
			return all(conditional, t.Args...)
		case logic.OpForall:
			if ts := d.instances(t); ts != nil {
				return all(conjunction, ts...)
			}
		case logic.OpExists:
			if ts := d.instances(t); ts != nil {
				return all(disjunction, ts...)
			}
		}
	}
	d.terms = append(d.terms, t)
	return &part{op: atom, term: len(d.terms) - 1, mask: mask}
}

// instances are the bodies of a quantifier, for all values of its variables; nil if they are too
// many, or none.
func (d *divider) instances(t *logic.Term) []*logic.Term {
	out := []*logic.Term{t.Args[0]}
	for _, v := range t.Vars {
		lo, n := int64(0), int64(0)
		switch v.Sort.Kind {
		case logic.KindBool:
			n = 2
		case logic.KindEnum:
			n = int64(len(v.Sort.Members))
		case logic.KindUninterpreted:
			n = int64(d.Instance.Sizes[v.Sort])
		case logic.KindRange:
			if r, ok := program.RangeOf(d.Model, v.Sort); ok {
				lo, n = r.Lo, r.Hi-r.Lo+1
			}
		}
		if n < 1 || n*int64(len(out)) > maxInstances {
			return nil
		}
		var next []*logic.Term
		for _, body := range out {
			for i := range n {
				next = append(next,
					logic.Subst(body, map[*logic.Var]*logic.Term{v: logic.Literal(v.Sort, lo+i)}))
			}
		}
		out = next
	}
	return out
}

// wordwise expands words of states, in one thread.
type wordwise struct {
	*plan
	*bitThread
	*interp.Model
	set     *store.Bits
	worker  compile.Worker
	claims  []*formula
	actions [][]*groundAction
	atoms   map[*part]*formula
	steps   []taken // of an action with parameters, in a word
	// Whether states without a successor must be expanded one by one.
	deadlock bool

	current
	err   error
	fresh int64 // states that were found
	// States that were expanded by words, and states that the program was asked about.
	states, asked int64
	bytes, limit  int64 // what was learned takes bytes
	reps          []uint64
	at            []int // the states of reps in the word
}

// current is the word that is expanded.
type current struct {
	serial uint64 // of the word
	code   uint64 // of its first state
	unfit  bool   // something in the word cannot be learned
}

type groundAction struct {
	*pattern
	guards  []*formula
	action  int
	binding int
}

// taken are steps of some states of a word.
type taken struct {
	code  uint64
	shift int
	from  uint64
}

func (b *inBits) newWordwise(p *plan, t *bitThread) (*wordwise, error) {
	worker, err := p.program.Worker()
	if err != nil {
		return nil, fmt.Errorf("starting a worker: %w", err)
	}
	x := &wordwise{plan: p, bitThread: t, Model: b.Model, set: b.set, worker: worker,
		limit: b.limit / int64(4*len(b.threads)), deadlock: b.deadlock != nil,
		atoms: map[*part]*formula{}}
	for _, c := range p.claims {
		x.claims = append(x.claims, x.formula(c))
	}
	for i, grounds := range p.actions {
		var list []*groundAction
		for _, g := range grounds {
			a := &groundAction{pattern: newPattern(g.mask, &x.bytes), action: i, binding: g.binding}
			for _, guard := range g.guards {
				a.guards = append(a.guards, x.formula(guard))
			}
			list = append(list, a)
		}
		x.actions = append(x.actions, list)
	}
	return x, nil
}

func (x *wordwise) formula(p *part) *formula {
	if f := x.atoms[p]; f != nil {
		return f
	}
	f := &formula{op: p.op, index: p.term}
	if p.op == atom {
		f.atom = newPattern(p.mask, &x.bytes)
	}
	for _, a := range p.args {
		f.args = append(f.args, x.formula(a))
	}
	x.atoms[p] = f
	return f
}

// learningPays reports whether learning has paid so far, and has not taken too much memory.
func (x *wordwise) learningPays() bool {
	const trial, share = 1 << 14, 4
	return (x.asked < trial || x.asked*share < x.states) && x.bytes < x.limit
}

// expand expands the states of a word, or only checks the properties in them. It returns false when
// the states must be expanded one by one.
func (x *wordwise) expand(code, word uint64, level int, onlyCheck bool) (bool, error) {
	x.serial++
	x.code, x.unfit, x.err = code, false, nil
	for _, c := range x.claims {
		if x.holds(c, word) != word || x.unfit {
			return false, x.err
		}
	}
	if onlyCheck {
		x.states += int64(bits.OnesCount64(word))
		return true, nil
	}
	transitions, moving := int64(0), uint64(0)
	for i, grounds := range x.actions {
		x.steps = x.steps[:0]
		n, moves := x.act(grounds, word, level)
		if x.unfit {
			return false, x.err
		}
		transitions += n
		moving |= moves
		x.enabled[i] = x.enabled[i] || moves != 0
	}
	if moving != word && x.deadlock {
		return false, nil
	}
	x.states += int64(bits.OnesCount64(word))
	x.transitions += transitions
	x.deadlocks += int64(bits.OnesCount64(word &^ moving))
	return true, nil
}

// act takes the steps of an action. It returns their number, and the states that have one.
func (x *wordwise) act(grounds []*groundAction, word uint64, level int) (n int64, moves uint64) {
	for _, g := range grounds {
		among := word
		for _, guard := range g.guards {
			among = x.holds(guard, among)
		}
		if among == 0 {
			continue
		}
		r := g.rule(x.code)
		if unknown := among &^ r.known; unknown != 0 {
			x.learnSteps(g, r, unknown)
		}
		if x.unfit {
			return n, moves
		}
		for i := range r.moves {
			m := &r.moves[i]
			from := m.from & among
			if from == 0 {
				continue
			}
			moves |= from
			to := x.code&^g.above | m.to
			x.fresh += int64(x.set.AddWord(&g.place, to, m.apply(from), level))
			if len(grounds) > 1 {
				from = x.without(taken{to, m.shift, from})
			}
			n += int64(bits.OnesCount64(from))
		}
	}
	return n, moves
}

// without leaves out steps that the action takes with other values of its parameters, too.
func (x *wordwise) without(t taken) uint64 {
	for i := range x.steps {
		if s := &x.steps[i]; s.code == t.code && s.shift == t.shift {
			fresh := t.from &^ s.from
			s.from |= t.from
			return fresh
		}
	}
	x.steps = append(x.steps, t)
	return t.from
}

// ask gives the states among some in which an atom is true.
func (x *wordwise) ask(f *formula, among uint64) uint64 {
	r := f.atom.rule(x.code)
	unknown := among &^ r.known
	if unknown == 0 {
		return r.value & among
	}
	b := x.represent(f.atom, unknown, func(states []uint64) (*compile.Batch, error) {
		return program.Check(x.worker, states)
	})
	if b == nil {
		return 0
	}
	claimWords := (len(x.terms) + 63) / 64
	for i, state := range x.at {
		r.known |= f.atom.low[state]
		if b.Violated[i*claimWords+f.index/64]>>(f.index%64)&1 == 0 {
			r.value |= f.atom.low[state]
		}
	}
	return r.value & among
}

// learnSteps learns the steps of a ground action in states of the word.
func (x *wordwise) learnSteps(g *groundAction, r *rule, unknown uint64) {
	b := x.represent(g.pattern, unknown, x.worker.Expand)
	if b == nil {
		return
	}
	for _, state := range x.at {
		r.known |= g.low[state]
	}
	for k, source := range b.Source {
		if int(b.Action[k]) != g.action || int(b.Binding[k]) != g.binding {
			continue
		}
		if !g.step(r, x.code, x.at[source], x.set.Code(b.States[k])) {
			x.unfit, x.err = true, fmt.Errorf("internal error: %s writes more than is known",
				x.System.Actions[g.action].Name)
		}
	}
}

// represent runs the program on states of the word such that each unknown one shares the bits of a
// pattern with one of them. It returns nil where that fails.
func (x *wordwise) represent(
	p *pattern, unknown uint64, run func([]uint64) (*compile.Batch, error),
) *compile.Batch {
	x.reps, x.at = x.reps[:0], x.at[:0]
	for unknown != 0 {
		state := bits.TrailingZeros64(unknown)
		x.reps = append(x.reps, x.set.State(x.code+uint64(state)))
		x.at = append(x.at, state)
		unknown &^= p.low[state]
	}
	x.asked += int64(len(x.reps))
	b, err := run(x.reps)
	if err != nil {
		x.err = fmt.Errorf("learning what a step does: %w", err)
	}
	if x.unfit = err != nil || len(b.Failed) > 0; x.unfit {
		return nil
	}
	return b
}

package program

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/por"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vacuity"
)

// reduced is a program whose workers give only the steps of a stubborn set of each state, if there
// is a suitable one (see package por). A complete search then decides deadlocks and claims
// as it does without reduction. The same applies to failing evaluations, to actions that are never
// enabled, and to antecedents that are never true. Depths, counts, and the order in which
// violations are found may differ.
//
// A stubborn set puts the other steps off, and they must not be put off for ever (the ignoring
// problem). In searches that use the set of found states, some step of the set has to lead to a
// state that is still to be expanded (for breadth-first search: Bošnački and Holzmann, Improving
// Spin's partial-order reduction for breadth-first search, 2005). Here some step has to lead
// upwards in a fixed order of all states: there are finitely many states, so a run along such steps
// ends in a state whose steps are all taken. This needs no look at the store, so the reduction
// depends on the state alone, and not on the search, on threads, or on limits of memory. The order
// is the order of packed states as numbers, where the truth values that are true in an initial
// state are inverted. So counting up, and leaving the initial truth values, leads upwards, as most
// steps of most systems do before they begin anew.
//
// A state that violates a range is not expanded, so other steps must not be put off to it. Whether
// a step leaves a range depends on the step alone, and every possible step is taken somewhere. So
// ranges, unlike other claims, are not part of the analysis: systems of counters would have no
// reduction otherwise.
type reduced struct {
	compile.Program
	analysis *por.Analysis
	model    *interp.Model
	turned   []uint64           // the bits of truth values that are true in an initial state
	ranges   []*system.Property // that packed states can violate
	props    int                // claims of the program; the guards of the analysis follow
}

// NewReduced makes the program for some properties, of which the first are all ranges; or an
// unreduced one, with the reason.
func NewReduced(ctx context.Context, m *interp.Model, props []*system.Property, ranges int,
	newProgram Make, forced map[int]compile.Interval) (_ compile.Program, why string, err error) {
	var terms []*logic.Term
	for _, p := range props {
		terms = append(terms, p.Term)
	}
	claims := slices.Clone(terms[ranges:])
	for _, sign := range vacuity.Signs(m.System) {
		if slices.ContainsFunc(props[ranges:], func(p *system.Property) bool {
			return p.Name == sign.Property
		}) {
			never := logic.Not(sign.Term)
			if sign.Term.Op == logic.OpExists {
				never = logic.Forall(sign.Term.Vars, logic.Not(sign.Term.Args[0]))
			}
			claims = append(claims, never)
		}
	}
	var refused *por.Error
	a, err := por.New(m, claims)
	if errors.As(err, &refused) {
		p, err := newProgram(ctx, m, terms, forced)
		return p, refused.Reason, err
	}
	if err != nil {
		return nil, "", fmt.Errorf("finding independent actions: %w", err)
	}
	p, err := newProgram(ctx, m, append(slices.Clone(terms), a.Guards()...), forced)
	if err != nil {
		return nil, "", err
	}
	r := &reduced{Program: p, analysis: a, model: m, props: len(props)}
	if err := r.prepare(ctx, props[:ranges]); err != nil {
		return nil, "", errors.Join(err, p.Close())
	}
	return r, "", nil
}

// prepare uses an initial state to fix the order and to find out which ranges packed states can
// violate.
func (r *reduced) prepare(ctx context.Context, ranges []*system.Property) error {
	r.turned = make([]uint64, r.Words())
	var first interp.State
	err := r.model.Initial(ctx, func(s interp.State) error {
		first = s
		return interp.ErrStop
	})
	if err != nil || first == nil {
		return nil // the search reports it
	}
	low := first.Clone()
	for i, sym := range r.model.SlotSymbols() {
		if sym.Mutable && sym.Result == logic.Bool {
			low[i] = 0
		}
	}
	for _, s := range []interp.State{first, low} {
		packed, err := r.Pack(s)
		if err != nil {
			return fmt.Errorf("packing an initial state: %w", err)
		}
		for w, v := range packed {
			r.turned[w] ^= v
		}
	}
	for _, p := range ranges {
		if p.Kind != system.Range || !Keeps(r.model, r.Program, p, first) {
			r.ranges = append(r.ranges, p)
		}
	}
	return nil
}

// Keeps reports whether no packed form of a state has a value outside the range of a range
// property. It tries the nearest values, in a state.
func Keeps(
	m *interp.Model, program compile.Program, p *system.Property, s interp.State,
) bool {
	slots, ok := 0, true
	for i, sym := range m.SlotSymbols() {
		if !logic.Occurs(p.Term, sym, logic.Pre) || !sym.Mutable {
			continue
		}
		d, fixed := RangeOf(m, sym.Result)
		if slots++; !fixed || slots > maxProbes {
			return false
		}
		before := s[i]
		for _, v := range []int64{d.Lo - 1, d.Hi + 1} {
			s[i] = v
			_, err := program.Pack(s)
			ok = ok && err != nil
		}
		s[i] = before
	}
	return ok
}

// maxProbes bounds the values of a symbol that are tried one by one.
const maxProbes = 256

// upwards reports whether a state is above another one in the order of all states.
func (r *reduced) upwards(from, to []uint64) bool {
	for w, turned := range r.turned {
		if from[w] != to[w] {
			return to[w]^turned > from[w]^turned
		}
	}
	return false
}

// leaves reports whether a state violates a range.
func (r *reduced) leaves(packed []uint64) bool {
	if len(r.ranges) == 0 {
		return false
	}
	s := r.Unpack(packed)
	return slices.ContainsFunc(r.ranges, func(p *system.Property) bool {
		holds, err := r.model.Holds(p.Term, s)
		return err != nil || !holds
	})
}

// Worker makes a worker that takes only some steps.
func (r *reduced) Worker() (compile.Worker, error) {
	w, err := r.Program.Worker()
	if err != nil {
		return nil, err
	}
	return &reducedWorker{Worker: w, reduced: r, chooser: r.analysis.NewChooser()}, nil
}

type reducedWorker struct {
	compile.Worker
	reduced  *reduced
	chooser  *por.Chooser
	batch    compile.Batch
	violated []uint64
	enabled  []int // ground actions of a state
}

// Check evaluates the claims without computing successors.
func (w *reducedWorker) Check(states []uint64) (*compile.Batch, error) {
	b, err := Check(w.Worker, states)
	if err != nil {
		return nil, err
	}
	w.batch = *b
	w.claims(len(states) / w.reduced.Words())
	return &w.batch, nil
}

// Expand leaves out successors, where a stubborn set allows it.
func (w *reducedWorker) Expand(states []uint64) (*compile.Batch, error) {
	b, err := w.Worker.Expand(states)
	if err != nil {
		return nil, err
	}
	w.batch = *b
	words, next, kept := w.reduced.Words(), 0, 0
	n := len(states) / words
	for i := range n {
		first := next
		for next < len(b.Source) && b.Source[next] == uint32(i) {
			next++
		}
		members, some := w.choose(i, n, states[i*words:(i+1)*words], first, next)
		for k := first; k < next; k++ {
			if some && !members.Has(w.ground(k)) {
				continue
			}
			copy(b.States[kept*words:], b.States[k*words:(k+1)*words])
			b.Source[kept], b.Action[kept] = b.Source[k], b.Action[k]
			kept++
		}
	}
	w.batch.States, w.batch.Source, w.batch.Action = b.States[:kept*words], b.Source[:kept],
		b.Action[:kept]
	w.claims(n)
	return &w.batch, nil
}

// ground is the number of the ground action of a successor.
func (w *reducedWorker) ground(k int) int {
	return w.reduced.analysis.Ground(int(w.batch.Action[k]), int(w.batch.Binding[k]))
}

// choose finds the ground actions whose steps are kept, in the i-th of n states. The successors of
// the state are given by their indices in the batch.
func (w *reducedWorker) choose(i, n int, state []uint64, first, next int) (por.Set, bool) {
	w.enabled = w.enabled[:0]
	for k := first; k < next; k++ {
		if g := w.ground(k); len(w.enabled) == 0 || w.enabled[len(w.enabled)-1] != g {
			w.enabled = append(w.enabled, g)
		}
	}
	if len(w.enabled) < 2 {
		return nil, false
	}
	words := len(state)
	claims := w.batch.Violated[len(w.batch.Violated)/n*i:]
	holds := func(guard int) bool {
		bit := w.reduced.props + guard
		return claims[bit/64]>>(bit%64)&1 == 0
	}
	goesOn := func(members por.Set) bool {
		for k := first; k < next; k++ {
			to := w.batch.States[k*words : (k+1)*words]
			if members.Has(w.ground(k)) && w.reduced.upwards(state, to) && !w.reduced.leaves(to) {
				return true
			}
		}
		return false
	}
	return w.chooser.Choose(w.enabled, holds, goesOn)
}

// claims removes the guards from the violated claims of n states.
func (w *reducedWorker) claims(n int) {
	props := w.reduced.props
	have, want := (props+len(w.reduced.analysis.Guards())+63)/64, (props+63)/64
	w.violated = w.violated[:0]
	for i := range n {
		for k := range want {
			v := w.batch.Violated[i*have+k]
			if rest := props - 64*k; rest < 64 {
				v &= 1<<rest - 1
			}
			w.violated = append(w.violated, v)
		}
	}
	w.batch.Violated = w.violated
}

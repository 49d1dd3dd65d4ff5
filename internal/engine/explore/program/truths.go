package program

import (
	"errors"
	"math"
	"slices"
	"sync"

	"erelong.dev/erelong/internal/engine/explore/store"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// truths evaluates formulas of steps, for runs. The formulas that are true of a step are a set, and
// the sets that were met have numbers.
type truths struct {
	terms      []*logic.Term
	formulas   []formula
	predicates []int           // of the formulas that are predicates of steps, -1 of the others
	settling   system.Settling // nil where nothing is known of them
	stutters   bool

	mu      sync.Mutex
	numbers map[string]uint16
	sets    []string // a byte for each formula, 1 for true
}

var errSets = errors.New("the steps differ in more than 65536 sets of formulas that are true of " +
	"them")

// AskTruths has the workers say of each step which formulas are true of it: Batch.Binding is the
// number of the set. A run may stay in a state from which there is no step, or, if the system says
// so, in any state: the workers give that as a step of an action behind the last one.
func (p *Computed) AskTruths(terms []*logic.Term) (err error) {
	p.truths = &truths{terms: terms, stutters: p.sys.Computed.Stutters,
		numbers: map[string]uint16{}}
	p.truths.settling, _ = p.sys.Computed.Computed.(system.Settling)
	for _, t := range terms {
		p.truths.predicates = append(p.truths.predicates, p.stepPredicate(t))
	}
	p.truths.formulas, err = formulasOf(p.sys, terms)
	return err
}

// stepPredicate is the number of the predicate of steps that a formula is; -1 for another one.
func (p *Computed) stepPredicate(t *logic.Term) int {
	if t.Op == logic.OpApp && t.Step == logic.Pre {
		if d := p.sys.DerivedOf(t.Symbol); d != nil && d.Predicate != nil && d.Predicate.OfStep {
			return d.Predicate.Number
		}
	}
	return -1
}

// stays reports whether a run may stay in a state that has a number of other steps.
func (t *truths) stays(steps int) bool { return t.stutters || steps == 0 }

// TruthNumber is the number of a set, which holds reports.
func (p *Computed) TruthNumber(holds func(*logic.Term) (bool, error)) (uint16, error) {
	var set []byte
	for _, t := range p.truths.terms {
		yes, err := holds(t)
		if err != nil {
			return 0, err
		}
		set = append(set, asByte(yes))
	}
	return p.truths.number(set)
}

// Truths tells whether each formula is in the set with a number.
func (p *Computed) Truths(number uint16) []byte {
	p.truths.mu.Lock()
	defer p.truths.mu.Unlock()
	return []byte(p.truths.sets[number])
}

func (t *truths) number(set []byte) (uint16, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, ok := t.numbers[string(set)]
	if ok {
		return n, nil
	}
	if len(t.sets) > math.MaxUint16 {
		return 0, errSets
	}
	n = uint16(len(t.sets))
	t.sets = append(t.sets, string(set))
	t.numbers[t.sets[n]] = n
	return n, nil
}

// truthOf is the number of the set for a step from the state that is expanded, to the last state of
// the batch or one that it stands for. The same step may be found many times.
func (w *computedWorker) truthOf(next []int64) (uint16, error) {
	if w.standing != nil {
		return w.truth(next)
	}
	b, words := &w.batch, w.Words()
	last := len(b.Source) - 1
	packed := b.States[last*words:]
	at := &w.met[store.Hash(packed)%mostMet]
	if k := int(*at); k < last && b.Source[k] == b.Source[last] &&
		slices.Equal(b.States[k*words:(k+1)*words], packed) {
		return b.Binding[k], nil
	}
	*at = int32(last)
	return w.truth(next)
}

// mostMet is how many successors of a state are known to have been met, at most.
const mostMet = 1 << 10

// truth is truthOf for a step that was not met.
func (w *computedWorker) truth(next []int64) (uint16, error) {
	p := w.planOf(next)
	if len(p.ask) == 0 && p.known {
		return p.number, nil
	}
	set := append(w.set[:0], p.set...)
	for _, k := range p.ask {
		holds, err := w.truths.formulas[k](w.told, w.state, next)
		if err != nil {
			return 0, err
		}
		set[k] = asByte(holds)
	}
	w.set = set
	n, ok := w.known[string(set)]
	if !ok {
		var err error
		if n, err = w.truths.number(set); err != nil {
			return 0, err
		}
		w.known[string(set)] = n
	}
	p.number, p.known = n, true
	return n, nil
}

// plan is how the truth of the formulas is found for the steps that change some variables.
type plan struct {
	set    []byte // the truth of the ones of which that tells it
	ask    []int  // the others
	number uint16 // of the set of one of these steps, which is known
	known  bool
}

// mostMoves bounds the variables for which there are plans.
const mostMoves = 64

// planOf is the plan for a step.
func (w *computedWorker) planOf(next []int64) *plan {
	moves := uint64(0)
	if len(next) <= mostMoves {
		for i, v := range next {
			if v != w.state[i] {
				moves |= 1 << i
			}
		}
	}
	p := w.plans[moves]
	if p == nil {
		p = w.truths.plan(moves, len(next))
		w.plans[moves] = p
	}
	return p
}

// plan makes a plan.
func (t *truths) plan(moves uint64, variables int) *plan {
	p := &plan{set: make([]byte, len(t.formulas))}
	each := make([]bool, variables)
	for i := range each {
		each[i] = moves>>i&1 != 0
	}
	for k, predicate := range t.predicates {
		truth, known := false, false
		if t.settling != nil && predicate >= 0 && variables <= mostMoves {
			truth, known = t.settling.Settled(predicate, each)
		}
		if p.set[k] = asByte(truth); !known {
			p.ask = append(p.ask, k)
		}
	}
	return p
}

func asByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}

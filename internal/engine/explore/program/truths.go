package program

import (
	"errors"
	"math"
	"slices"
	"sync"

	"erelong.dev/erelong/internal/engine/explore/store"
	"erelong.dev/erelong/internal/logic"
)

// truths evaluates formulas of steps, for runs. The formulas that are true of a step are a set, and
// the sets that were met have numbers.
type truths struct {
	terms    []*logic.Term
	formulas []formula
	stutters bool

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
	p.truths.formulas, err = formulasOf(p.sys, terms)
	return err
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
	words, last := w.Words(), len(w.batch.Source)-1
	packed := w.batch.States[last*words:]
	if last == 0 || w.batch.Source[last-1] != w.batch.Source[last] {
		clear(w.met)
	}
	hash := store.Hash(packed)
	at, met := w.met[hash]
	if met && slices.Equal(w.batch.States[at*words:(at+1)*words], packed) {
		return w.batch.Binding[at], nil
	}
	w.met[hash] = last
	return w.truth(next)
}

// truth is truthOf for a step that was not met.
func (w *computedWorker) truth(next []int64) (uint16, error) {
	set := w.set[:0]
	for _, f := range w.truths.formulas {
		holds, err := f(w.told, w.state, next)
		if err != nil {
			return 0, err
		}
		set = append(set, asByte(holds))
	}
	w.set = set
	if n, ok := w.known[string(set)]; ok {
		return n, nil
	}
	n, err := w.truths.number(set)
	if err == nil {
		w.known[string(set)] = n
	}
	return n, err
}

func asByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}

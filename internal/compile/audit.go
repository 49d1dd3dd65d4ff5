package compile

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
)

// audit compares what a program computes with the interpreter, in a few states of every
// exploration. A fault in the compiler, or in the runtime below it, shows in most states of a
// system that it concerns; so a few are enough to find it, and a search for all states is not
// slower for them. Tests compare many states, but of other systems.
type audit struct {
	ctx    context.Context // of the exploration
	claims []*logic.Term
	ranges []*logic.Term // no results are needed where one is false
	seen   atomic.Uint64 // states that were expanded

	mu    sync.Mutex    // of the model's budget
	model *interp.Model // nil when the budget is used up
}

// auditWork bounds the work of all comparisons of a program; see interp.Budget. It is at most
// about a tenth of a second.
const auditWork = 50_000

// errDisagree is the error of a comparison that fails.
var errDisagree = errors.New("internal error: a compiled program and the interpreter disagree, " +
	"please report it")

func newAudit(ctx context.Context, m *interp.Model, claims []*logic.Term) *audit {
	model := m.Under(ctx).Within(&interp.Budget{Left: auditWork})
	a := &audit{ctx: ctx, model: model, claims: claims}
	for _, p := range m.System.Ending() {
		a.ranges = append(a.ranges, p.Term)
	}
	return a
}

// next is the first state from n on, of an exploration, that is compared: the first 32 are, and
// then 16 whenever the number of states doubles. Their numbers have at most five significant bits.
func next(n uint64) uint64 {
	step := uint64(1) << max(0, bits.Len64(n)-5)
	return (n + step - 1) / step * step
}

// batch compares some states of a batch.
func (a *audit) batch(p *program, states []uint64, b *Batch) error {
	count := uint64(len(states) / p.words)
	end := a.seen.Add(count)
	first := end - count
	for n := next(first); n < end; n = next(n + 1) {
		i := int(n - first)
		if err := a.state(p, i, p.unpack(states[i*p.words:]), b); err != nil {
			return err
		}
	}
	return nil
}

// state compares state i of a batch. Nothing is known about a state where the program failed: the
// search asks the interpreter there.
func (a *audit) state(p *program, i int, s interp.State, b *Batch) error {
	if slices.Contains(b.Failed, uint32(i)) {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	m := a.model
	if m == nil {
		return nil
	}
	err := a.compare(m, p, i, s, b)
	switch {
	case errors.Is(err, interp.ErrWork):
		a.model = nil
	case errors.Is(err, errDisagree) && a.ctx.Err() == nil:
		return err
	}
	return nil
}

func (a *audit) compare(m *interp.Model, p *program, i int, s interp.State, b *Batch) error {
	for _, r := range a.ranges {
		if holds, err := m.Holds(r, s); err != nil || !holds {
			return err
		}
	}
	for k, c := range a.claims {
		holds, err := m.Holds(c, s)
		if err != nil {
			return fmt.Errorf("%w: in the state %s, %s has no value in the interpreter: %w",
				errDisagree, show(m, s), c, err)
		}
		if violated := b.Violated[i*p.claimWords+k/64]>>(k%64)&1 == 1; violated == holds {
			return fmt.Errorf("%w: in the state %s, %s is %t, and in the interpreter %t",
				errDisagree, show(m, s), c, !violated, holds)
		}
	}
	first, _ := slices.BinarySearch(b.Source, uint32(i))
	last, _ := slices.BinarySearch(b.Source, uint32(i+1))
	for k, action := range m.System.Actions {
		got, want := map[string]bool{}, map[string]bool{}
		err := m.Steps(a.ctx, s, action, func(step interp.Step) error {
			want[m.Key(step.State)] = true
			return nil
		})
		if err != nil {
			return fmt.Errorf("%w: in the state %s, %s has no value in the interpreter: %w",
				errDisagree, show(m, s), action.Name, err)
		}
		for j := first; j < last; j++ {
			if int(b.Action[j]) == k {
				got[m.Key(p.unpack(b.States[j*p.words:]))] = true
			}
		}
		for _, sides := range []struct {
			some, other map[string]bool
			only        string
		}{{got, want, "program"}, {want, got, "interpreter"}} {
			for key := range sides.some {
				if !sides.other[key] {
					return fmt.Errorf("%w: from the state %s, %s leads to %s in the %s only",
						errDisagree, show(m, s), action.Name,
						show(m, m.StateOfKey(key)), sides.only)
				}
			}
		}
	}
	return nil
}

func show(m *interp.Model, s interp.State) string {
	var out []string
	for _, b := range m.Bindings(s, true) {
		out = append(out, fmt.Sprintf("%s = %v", b.Name, b.Value))
	}
	return strings.Join(out, ", ")
}

package ranking

import (
	"context"
	"sync"

	"erelong.dev/erelong/internal/engine/ranking/synth"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// fitted proves a property with measures that fit the graphs of small instances.
func fitted(ctx context.Context, sys *system.System, prop *system.Property,
	invariants []*system.Property, given Options, r result.Result,
) (result.Result, error) {
	hints, err := given.Fits.measures(ctx, sys, prop, given.Instances)
	if err != nil || hints == nil {
		return r, err
	}
	given.fitted, given.Note = true, nil
	r.Evidence = &result.Evidence{}
	_, err = attempt(ctx, sys, prop, hints, invariants, given, &r)
	if r.Evidence.Ranking != nil {
		r.Evidence.Ranking.Proof.Hints = sys.HintText(hints)
	}
	return r, err
}

// Fits keeps the measures that were found for the properties of a system. They depend on no
// invariant, so attempts with further invariants need no search of their own. The zero value is
// empty. Nil keeps nothing.
type Fits struct {
	mu    sync.Mutex
	found map[string]*system.Ranking // by properties; nil where nothing fits
}

// measures gives measures that fit the graphs of small instances, for a system in normal form; nil
// if there are none. It looks for them the first time only.
func (f *Fits) measures(ctx context.Context, sys *system.System, prop *system.Property,
	instances []*system.Instance,
) (*system.Ranking, error) {
	if f == nil {
		return synthesised(ctx, sys, prop, instances)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	found, ok := f.found[prop.Name]
	if !ok {
		var err error
		if found, err = synthesised(ctx, sys, prop, instances); err != nil {
			return nil, err
		}
		if f.found == nil {
			f.found = map[string]*system.Ranking{}
		}
		f.found[prop.Name] = found
	}
	return inCopy(sys, prop, found), nil
}

// inCopy is the same ranking for another copy of the system, which has actions of its own.
func inCopy(sys *system.System, prop *system.Property, r *system.Ranking) *system.Ranking {
	if r == nil {
		return nil
	}
	out := *r
	out.Property, out.Measures = prop, make([]*system.Measure, len(r.Measures))
	for i, m := range r.Measures {
		c := *m
		if m.Action != nil {
			c.Action = actionOf(sys, m.Action.Name)
		}
		out.Measures[i] = &c
	}
	return &out
}

// synthesised looks for measures that fit the graphs of small instances.
func synthesised(ctx context.Context, sys *system.System, prop *system.Property,
	instances []*system.Instance,
) (*system.Ranking, error) {
	p := &synth.Problem{System: sys, Property: prop, Instances: instances,
		Enabled: map[*system.Action]*logic.Term{}, Due: map[*system.Action]*logic.Term{}}
	for _, a := range sys.Actions {
		if e := enabled(sys, a); e != nil {
			p.Enabled[a], p.Due[a] = e, due(a, e)
		}
	}
	return synth.Search(ctx, p)
}

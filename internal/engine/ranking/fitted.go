package ranking

import (
	"context"
	"fmt"
	"math"
	"sync"

	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/engine/ranking/synth"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// fitted proves a property with measures that fit the graphs of small instances.
func fitted(ctx context.Context, sys *system.System, prop *system.Property,
	invariants []*system.Property, given Options, r result.Result,
) (result.Result, error) {
	hints, err := given.Fits.measures(ctx, sys, prop, given.Instances)
	key := ""
	if hints != nil {
		key = fmt.Sprint(given.Measured, sys.HintText(hints))
	}
	for _, q := range invariants {
		key += "\n" + q.Name + ": " + q.Term.String()
	}
	if err != nil || hints == nil || given.Fits.failed(prop, key, false) {
		return r, err
	}
	given.fitted, given.Note = true, nil
	r.Evidence = &result.Evidence{}
	_, err = attempt(ctx, sys, prop, hints, invariants, given, &r)
	if err == nil && ctx.Err() == nil && r.Verdict == result.Unknown {
		given.Fits.failed(prop, key, true)
	}
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
	found map[string]*measuring // by properties
}

// measuring is the search for the measures of one property.
type measuring struct {
	search *synth.Search
	found  *system.Ranking // nil where nothing fits
	failed map[string]bool // the attempts at a proof, by measures and invariants
}

// failed reports whether an attempt at a proof was in vain, and notes that it is now.
func (f *Fits) failed(prop *system.Property, key string, now bool) bool {
	if f == nil {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.found[prop.Name]
	before := m.failed[key]
	if now {
		m.failed[key] = true
	}
	return before
}

// measures gives measures that fit the graphs of small instances, for a system in normal form; nil
// if there are none. It looks for them the first time only.
func (f *Fits) measures(ctx context.Context, sys *system.System, prop *system.Property,
	instances []*system.Instance,
) (*system.Ranking, error) {
	if f == nil {
		f = &Fits{}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.found[prop.Name]
	if m == nil {
		s, err := measurable(ctx, sys, prop, instances)
		if err != nil {
			return nil, err
		}
		m = &measuring{search: s, failed: map[string]bool{}}
		if err = m.fit(ctx); err != nil {
			return nil, err
		}
		if f.found == nil {
			f.found = map[string]*measuring{}
		}
		f.found[prop.Name] = m
	}
	return inCopy(sys, prop, m.found), nil
}

// refute has other measures found: they fit the instance of a trace, too, if the ones so far do not
// fit it; else a measure that is refuted is not among them. It reports whether there are some.
func (f *Fits) refute(ctx context.Context, prop *system.Property, t *result.Trace,
	refuted *system.Measure) (bool, error) {
	if f == nil {
		return false, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.found[prop.Name]
	if m == nil {
		return false, nil
	}
	joined := false
	var err error
	if t != nil {
		joined, err = m.search.Join(ctx, t)
	}
	if err != nil {
		return false, err
	}
	if !joined {
		if refuted == nil {
			return false, nil
		}
		m.search.Ban(refuted)
	}
	err = m.fit(ctx)
	return m.found != nil, err
}

// fit looks for other measures.
func (m *measuring) fit(ctx context.Context) (err error) {
	ctx, ended := effort.Begin(ctx, "a fit")
	defer ended()
	m.found, err = m.search.Fit(ctx)
	return err
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

// measurable is the search for measures that fit the graphs of small instances.
func measurable(ctx context.Context, sys *system.System, prop *system.Property,
	instances []*system.Instance,
) (*synth.Search, error) {
	ctx, ended := effort.Begin(ctx, "small instances")
	defer ended()
	p := &synth.Problem{System: sys, Property: prop, Instances: instances,
		Enabled: map[*system.Action]*logic.Term{}, Due: map[*system.Action]*logic.Term{}}
	for _, a := range sys.Actions {
		if e := enabled(sys, a); e != nil {
			p.Enabled[a], p.Due[a] = e, due(a, e)
		}
	}
	p.Simpler = func(seen []*interp.Graph) (out []synth.Simpler) {
		for _, c := range likely(sys, seen, math.MaxInt) {
			out = append(out,
				synth.Simpler{Action: c.action, Enabled: c.when, Due: due(c.action, c.when)})
		}
		return out
	}
	return synth.New(ctx, p)
}

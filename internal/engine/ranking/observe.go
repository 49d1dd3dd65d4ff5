package ranking

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// An instance is observed to compare its runs with the bounds: the runs in which each fair action
// that a bound waits for is taken, or becomes impossible, within M steps, counted from the trigger.
// In a state of the instance, a bound is a number: the sizes of the sorts, M, and the values that
// fit the choices are known. A run that stays pending for longer, or for ever, contradicts the
// proof.

// Limits of the graph of an instance, and of its states with the ages of the fair actions.
const (
	mostObserved = 20_000
	mostAged     = 200_000
	mostWaits    = 200 // an age is a byte
)

// contradiction is the error of an instance that has a run that a proof excludes.
type contradiction struct{ property, instance, what string }

func (c *contradiction) Error() string {
	return fmt.Sprintf("internal error: the bound of %s is proved, but in the instance %s %s: "+
		"please report it", c.property, c.instance, c.what)
}

// watched is a bound on the number of steps of some actions; nil means all.
type watched struct {
	term    *logic.Term
	actions []*system.Action // of the user's system
}

func (w *watched) counts(a *system.Action) bool {
	return w.actions == nil || slices.Contains(w.actions, a)
}

// watch writes down the bounds of actions that have fewer steps, and compares all bounds with the
// runs of the instances. Without a bound on all steps, runs cannot be compared. It gives the
// obligations that the bounds rest on beside the ones of steps.
func (t *trial) watch(ctx context.Context, steps *logic.Term, tiers []*tier,
	out *result.Ranking) (limits []*discharge.Obligation, err error) {
	fewer := t.bounds.fewer(tiers, steps != nil)
	if t.given.Rounds != "" {
		within, done := t.steps.stages.during(ctx, result.StageBounds)
		fewer, limits = t.bounds.rounds(within, t.steps.solvers, t.given.Rounds, tiers)
		done()
	}
	for _, b := range fewer {
		x := result.ActionBound{Steps: b.term.String()}
		for _, a := range b.actions {
			x.Actions = append(x.Actions, a.Name)
		}
		out.Fewer = append(out.Fewer, x)
	}
	for _, in := range t.given.Instances {
		seen := result.Observed{Instance: in.Name, Why: "there is no bound on all steps"}
		if steps != nil {
			seen, err = t.bounds.observe(ctx, in, t.c.meanings,
				append([]*watched{{term: steps}}, fewer...))
		}
		if err != nil {
			return limits, err
		}
		out.Observed = append(out.Observed, seen)
	}
	return limits, nil
}

// observe gives the longest runs of an instance while the property is pending. What cannot be
// observed is said; the error is a contradiction, or that the context has ended.
func (b *bounds) observe(
	ctx context.Context, in *system.Instance, of meanings, watched []*watched,
) (result.Observed, error) {
	out := result.Observed{Instance: in.Name}
	o := &observer{p: b.p, bounds: b, meanings: of, watched: watched, places: map[waitKey]int{}}
	err := o.explore(ctx, in, o.awaited())
	if err == nil {
		err = o.run(ctx, &out)
	}
	var wrong *contradiction
	if ctx.Err() != nil || errors.As(err, &wrong) {
		return out, err
	}
	if err != nil {
		out.Why = err.Error()
	}
	return out, nil
}

// observer is the graph of an instance, and what a bound needs of it.
type observer struct {
	p *problem
	*walk
	bounds *bounds
	meanings
	watched []*watched
	edges   [][]taken
	waits   []*wait
	places  map[waitKey]int // in waits
	most    int             // M
	aged    int             // states with ages so far
}

// taken is a step of the graph.
type taken struct {
	action *system.Action
	wait   int // that the step ends, -1 for none
	to     int
}

// wait is a fair action with its parameters, for which a bound waits.
type wait struct {
	fair *fairness
	can  []bool // in each state
}

type waitKey struct {
	fair *fairness
	args string
}

// awaited lists the fair actions that bounds mention, by left_a, by a sum of these or by M_a.
func (o *observer) awaited() (out []*fairness) {
	for _, f := range o.p.fair {
		mentions := func(t *logic.Term) bool {
			if t.Op != logic.OpApp {
				return false
			}
			sum := o.summed[t.Symbol]
			return t.Symbol == f.left || t.Symbol == o.bounds.most[f] ||
				sum != nil && sum.fairness == f
		}
		if slices.ContainsFunc(o.watched, func(w *watched) bool {
			return logic.Has(w.term, mentions)
		}) {
			out = append(out, f)
		}
	}
	return out
}

// explore finds the reachable states and their steps.
func (o *observer) explore(
	ctx context.Context, in *system.Instance, fair []*fairness,
) (err error) {
	edges := map[int][]taken{}
	o.walk, err = walkThrough(ctx, o.p.original, in, mostObserved, nil,
		func(from int, a *system.Action, args []interp.Arg, to int) {
			t := taken{a, o.waitOf(fair, a, args), to}
			if !slices.Contains(edges[from], t) {
				edges[from] = append(edges[from], t)
			}
		})
	switch {
	case err != nil:
		return err
	case !o.whole:
		return fmt.Errorf("it has more than %d states", mostObserved)
	}
	for n := range o.states {
		o.edges = append(o.edges, edges[n])
	}
	for i, w := range o.waits {
		w.can = make([]bool, len(o.states))
		for n, out := range o.edges {
			w.can[n] = slices.ContainsFunc(out, func(t taken) bool { return t.wait == i })
		}
	}
	return nil
}

// waitOf gives the place of an action with its parameters among the waits; -1 if no bound waits for
// it.
func (o *observer) waitOf(fair []*fairness, a *system.Action, args []interp.Arg) int {
	i := slices.IndexFunc(fair, func(f *fairness) bool { return o.p.originals[f.action] == a })
	if i < 0 {
		return -1
	}
	var values []int64
	for _, x := range args {
		values = append(values, x.Value)
	}
	key := waitKey{fair[i], fmt.Sprint(values)}
	n, ok := o.places[key]
	if !ok {
		n = len(o.waits)
		o.places[key], o.waits = n, append(o.waits, &wait{fair: fair[i]})
	}
	return n
}

// run looks at the runs for all values of the property's variables.
func (o *observer) run(ctx context.Context, out *result.Observed) error {
	out.States = len(o.states)
	values, err := o.tuples(o.p.vars)
	if err != nil {
		return err
	}
	var views []*view
	for _, given := range values {
		v, err := o.view(out.Instance, given)
		if err != nil {
			return err
		}
		views = append(views, v)
		o.most = max(o.most, v.waiting())
	}
	if len(o.waits) > 0 {
		o.most = max(o.most, 2) // 1 would ask for each fair action at once
	}
	if o.most > mostWaits {
		return fmt.Errorf("%d fair actions are possible at once, and the limit is %d", o.most,
			mostWaits)
	}
	out.Waits = o.most
	var most []result.Count
	for _, v := range views {
		for n := range o.states {
			if !v.pending[n] || !v.triggered[n] {
				continue
			}
			counts, err := v.from(ctx, n)
			if err != nil {
				return err
			}
			for i, c := range counts {
				if i == len(most) {
					most = append(most, c)
				} else if c.Steps > most[i].Steps {
					most[i] = c
				}
			}
		}
	}
	if most == nil {
		return errors.New("the property is never pending in it")
	}
	out.Count, out.Fewer = most[0], most[1:]
	return nil
}

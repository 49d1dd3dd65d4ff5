package timed

import (
	"fmt"
	"math/big"
	"slices"
)

// Run is a run with exact delays: Delays[i] passes before Steps[i], and the last delay after the
// last step.
type Run struct {
	Steps  [][]Participant
	Delays []*big.Rat
}

// Moment is a state of a run, on arrival.
type Moment struct {
	State  []int32 // as Stepper.State gives it
	Clocks []*big.Rat
}

// clockwork runs a network with exact clock values. It shares with the zone engine only the
// semantics of data.
type clockwork struct {
	*Stepper
	clocks []*big.Rat
}

// Replay checks that a run is a run of the network and ends in a state where the formula holds.
func Replay(net *Network, run *Run, f *Formula) error {
	_, err := Moments(net, run, f)
	return err
}

// Moments replays a run, and gives the states on arrival and the last one. f may be nil.
func Moments(net *Network, run *Run, f *Formula) ([]Moment, error) {
	w := &clockwork{Stepper: NewStepper(net, nil)}
	for range net.Clocks {
		w.clocks = append(w.clocks, new(big.Rat))
	}
	if len(run.Delays) != len(run.Steps)+1 {
		return nil, fmt.Errorf("a run of %d steps has %d delays", len(run.Steps), len(run.Delays))
	}
	if !w.invariant() {
		return nil, fmt.Errorf("the invariants do not hold initially")
	}
	var out []Moment
	for i, delay := range run.Delays {
		out = append(out, w.moment())
		if err := w.wait(delay); err != nil {
			return nil, fmt.Errorf("state %d: %w", i, err)
		}
		if i == len(run.Steps) {
			break
		}
		if err := w.step(run.Steps[i]); err != nil {
			return nil, fmt.Errorf("state %d: %w", i, err)
		}
	}
	if f != nil && !w.holds(f) {
		return nil, fmt.Errorf("the last state is not as claimed")
	}
	if w.Memory.Fault != nil {
		return nil, w.Memory.Fault
	}
	return append(out, w.moment()), nil
}

func (w *clockwork) moment() Moment {
	m := Moment{State: w.State(nil)}
	for _, c := range w.clocks {
		m.Clocks = append(m.Clocks, new(big.Rat).Set(c))
	}
	return m
}

func (w *clockwork) wait(d *big.Rat) error {
	switch {
	case d.Sign() < 0:
		return fmt.Errorf("the delay %s is negative", d.RatString())
	case d.Sign() > 0 && w.Urgent():
		return fmt.Errorf("time passes in an urgent state")
	}
	if d.Sign() == 0 {
		return nil
	}
	still := w.Still(nil)
	for i := 1; i < len(w.clocks); i++ {
		if !slices.Contains(still, i) {
			w.clocks[i].Add(w.clocks[i], d)
		}
	}
	if !w.invariant() { // it held before, and the delays for which it holds are an interval
		return fmt.Errorf("an invariant does not hold after the delay %s", d.RatString())
	}
	return nil
}

func (w *clockwork) step(parts []Participant) error {
	known := false
	all := w.steps()
	for _, ps := range all {
		known = known || slices.EqualFunc(ps, parts, func(a, b Participant) bool {
			return a.Process == b.Process && a.Edge == b.Edge && slices.Equal(a.Values, b.Values)
		})
	}
	if !known {
		return fmt.Errorf("the step is not possible")
	}
	if w.net.Prioritised() {
		mine := w.Priority(parts)
		for _, ps := range all {
			if w.Priority(ps).Above(mine) && w.fork().take(ps) == nil {
				return fmt.Errorf("a step of a higher priority is possible")
			}
		}
	}
	return w.take(parts)
}

// steps gives the steps that the data allow, with the receivers of broadcasts that the clocks
// allow.
func (w *clockwork) steps() [][]Participant {
	w.Able = func(part Participant) bool {
		w.Bind([]Participant{part})
		return w.all(part.Edge.Clocks)
	}
	defer func() { w.Able = nil }()
	return w.stepsByData()
}

// stepsByData gives the steps that the data allow, now or later.
func (w *clockwork) stepsByData() (all [][]Participant) {
	w.Each(func(ps []Participant) { all = append(all, slices.Clone(ps)) })
	return all
}

// take makes a step of any priority.
func (w *clockwork) take(parts []Participant) error {
	w.Bind(parts)
	for _, p := range parts {
		if !w.all(p.Edge.Clocks) {
			return fmt.Errorf("a guard does not hold")
		}
	}
	var missing *Participant
	w.LeftOut(parts, func(part Participant) {
		if w.all(part.Edge.Clocks) {
			missing = &part
		}
	})
	if missing != nil {
		return fmt.Errorf("%s can receive, too", w.net.Processes[missing.Process].Name)
	}
	w.Apply(parts)
	for _, r := range w.Memory.Resets {
		w.clocks[r.Clock].SetInt64(int64(r.Value))
	}
	if !w.invariant() {
		return fmt.Errorf("an invariant does not hold after the step")
	}
	return nil
}

func (w *clockwork) invariant() bool {
	for p := range w.net.Processes {
		if !w.all(w.Location(p).Clocks) {
			return false
		}
	}
	return w.Admissible()
}

func (w *clockwork) all(cs []Constraint) bool {
	for i := range cs {
		if !w.satisfies(&cs[i]) {
			return false
		}
	}
	return true
}

func (w *clockwork) satisfies(c *Constraint) bool {
	if c.Cond != nil && c.Cond(&w.Memory) == 0 {
		return true
	}
	d := new(big.Rat).Sub(w.clocks[c.I.Index(&w.Memory)], w.clocks[c.J.Index(&w.Memory)])
	sign := d.Cmp(new(big.Rat).SetInt64(int64(c.Bound.Eval(&w.Memory))))
	return sign < 0 || sign == 0 && !c.Strict
}

func (w *clockwork) holds(f *Formula) bool {
	switch f.Op {
	case And:
		return !slices.ContainsFunc(f.Args, func(p *Formula) bool { return !w.holds(p) })
	case Or:
		return slices.ContainsFunc(f.Args, w.holds)
	case Data:
		return f.Eval(&w.Memory) != 0
	case Timing:
		return w.satisfies(&f.Constraint)
	case Alive:
		return w.alive()
	}
	return !w.alive()
}

// alive reports whether a step is possible, now or later. It is enough
// to try the moments.
func (w *clockwork) alive() bool {
	tries := []*big.Rat{new(big.Rat)}
	if !w.Urgent() {
		tries = w.moments()
	}
	for _, d := range tries {
		later := w.fork()
		if later.wait(d) != nil {
			return false // an invariant ends here
		}
		if later.canStep() {
			return true
		}
	}
	return false
}

// moments gives delays that stand for all delays. Nothing changes between two numbers that a clock
// is compared with: they are no delay, each such moment, the middle between two, and one after all.
func (w *clockwork) moments() []*big.Rat {
	out := []*big.Rat{new(big.Rat)}
	moments := w.changes()
	slices.SortFunc(moments, (*big.Rat).Cmp)
	before := new(big.Rat)
	for _, m := range moments {
		if m.Cmp(before) <= 0 {
			continue
		}
		middle := new(big.Rat).Add(before, m)
		out = append(out, middle.Quo(middle, big.NewRat(2, 1)), m)
		before = m
	}
	return append(out, new(big.Rat).Add(before, big.NewRat(1, 1)))
}

func (w *clockwork) fork() *clockwork {
	v := &clockwork{Stepper: NewStepper(w.net, nil)}
	copy(v.Memory.Cells, w.Memory.Cells)
	for _, c := range w.clocks {
		v.clocks = append(v.clocks, new(big.Rat).Set(c))
	}
	return v
}

// canStep: if some step is possible by itself, a possible step with the highest priority exists.
func (w *clockwork) canStep() bool {
	return slices.ContainsFunc(w.steps(), func(ps []Participant) bool {
		return w.fork().take(ps) == nil
	})
}

// changes gives the delays after which a constraint of a step or of its target could change its
// value.
func (w *clockwork) changes() (out []*big.Rat) {
	stops := w.net.Stops()
	add := func(v *clockwork, cs []Constraint) {
		for i := range cs {
			bound := int64(cs[i].Bound.Eval(&v.Memory))
			x, y := w.clocks[cs[i].I.Index(&v.Memory)], w.clocks[cs[i].J.Index(&v.Memory)]
			values := []*big.Rat{x, y}
			if stops { // one of them may stand still
				values = append(values, new(big.Rat).Sub(x, y), new(big.Rat).Sub(y, x))
			}
			for _, x := range values {
				out = append(out, new(big.Rat).Sub(big.NewRat(bound, 1), x),
					new(big.Rat).Sub(big.NewRat(-bound, 1), x))
			}
		}
	}
	for p := range w.net.Processes {
		add(w, w.Location(p).Clocks)
	}
	for _, ps := range w.stepsByData() {
		v := w.fork()
		v.Bind(ps)
		for _, p := range ps {
			add(v, p.Edge.Clocks)
		}
		v.Apply(ps)
		for p := range w.net.Processes {
			add(v, v.Location(p).Clocks)
		}
	}
	return out
}

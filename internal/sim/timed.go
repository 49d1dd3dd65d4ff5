package sim

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"sync"

	"erelong.dev/erelong/internal/engine/zone"
	"erelong.dev/erelong/internal/report"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/timed"
)

// Runs answers questions about runs that have addresses: of a specification (Explorer), or of a
// network of timed automata (TimedExplorer).
type Runs interface {
	View(ctx context.Context, a Address) (*View, error)
	Take(ctx context.Context, a Address, step int) (Address, error)
	Until(ctx context.Context, a Address, text string) (Address, error)
	Evaluate(ctx context.Context, a Address, text string) ([]string, error)
	Why(ctx context.Context, a Address, text string) (*result.Why, error)
	Trace(ctx context.Context, a Address) (*result.Trace, error)
	Instance() string
}

// TimedExplorer answers questions about runs of a network of timed automata, in which steps and
// delays are chosen. Clocks have exact values. Beside them stands the zone: all values with which
// the same steps lead to the state.
type TimedExplorer struct {
	mu       sync.Mutex
	net      *timed.Network
	title    string
	recorded []instant // empty for none
	loop     int       // of the recorded run, -1 for none
	run      []instant
	followed Address
}

// instant is a state of a run, with the move that led to it.
type instant struct {
	at    *timed.Simulator
	move  zone.DelayedStep
	now   *big.Rat
	shown result.Step
}

// ErrTimed is given to what needs expressions over a state.
var ErrTimed = errors.New("expressions are not evaluated in states of timed automata")

// NewTimedExplorer makes an explorer that begins in the initial state or, if there is a trace, has
// replayed it.
func NewTimedExplorer(net *timed.Network, t *result.Trace, title string) (*TimedExplorer, error) {
	x := &TimedExplorer{net: net, title: title, loop: -1, followed: Address{First: 1}}
	first, err := timed.NewSimulator(net)
	if err != nil {
		return nil, err
	}
	m := first.Moment()
	x.run = []instant{{at: first, now: new(big.Rat),
		shown: zone.StepOf(net, m, m, zone.DelayedStep{}, new(big.Rat))}}
	if t == nil {
		return x, nil
	}
	for i, s := range t.Steps[1:] {
		move, err := x.recognise(s)
		if err == nil {
			err = x.extend(move)
		}
		if err != nil {
			return nil, fmt.Errorf("state %d of the trace: %w", i+1, err)
		}
	}
	x.recorded, x.loop, x.followed = slices.Clone(x.run), t.Loop, Address{First: len(x.run)}
	return x, nil
}

// recognise finds the move of a recorded step after the last state.
func (x *TimedExplorer) recognise(s result.Step) (zone.DelayedStep, error) {
	move := zone.DelayedStep{Delay: new(big.Rat)}
	i := slices.IndexFunc(s.Args, func(b result.Binding) bool { return b.Name == "delay" })
	if i >= 0 {
		if _, ok := move.Delay.SetString(s.Args[i].Value.Text); !ok {
			return move, fmt.Errorf("%s is no delay", s.Args[i].Value)
		}
	}
	last := x.run[len(x.run)-1]
	later := last.at.Fork()
	if err := later.Wait(move.Delay); err != nil {
		return move, err
	}
	if s.Action == "wait" {
		return move, nil
	}
	for _, parts := range later.Steps() {
		move.Parts = parts
		shown := zone.StepOf(x.net, later.Moment(), later.Moment(), move, last.now)
		if report.Call(shown) == report.Call(s) {
			return move, nil
		}
	}
	return move, fmt.Errorf("there is no step %s", report.Call(s))
}

// extend adds a move to the run.
func (x *TimedExplorer) extend(move zone.DelayedStep) error {
	last := x.run[len(x.run)-1]
	next := last.at.Fork()
	if err := next.Wait(move.Delay); err != nil {
		return err
	}
	before := next.Moment()
	if len(move.Parts) > 0 {
		if err := next.Take(move.Parts); err != nil {
			return err
		}
	}
	if err := next.Fault(); err != nil {
		return err
	}
	now := new(big.Rat).Add(last.now, move.Delay)
	x.run = append(x.run,
		instant{next, move, now, zone.StepOf(x.net, before, next.Moment(), move, now)})
	return nil
}

// moves lists what can be chosen in a state: its steps, and then its delays.
func moves(at *timed.Simulator) (out []zone.DelayedStep) {
	for _, parts := range at.Steps() {
		out = append(out, zone.DelayedStep{Delay: new(big.Rat), Parts: parts})
	}
	for _, d := range at.Delays() {
		out = append(out, zone.DelayedStep{Delay: d.For})
	}
	return out
}

// follow brings the run to an address, and gives the state of it that the address names. What the
// run has in common with the last one is kept.
func (x *TimedExplorer) follow(ctx context.Context, a Address) (int, error) {
	most := max(len(x.recorded), 1)
	if a.First == 0 {
		a.First = most
	}
	if a.First < 1 || a.First > most {
		return 0, fmt.Errorf("there is no initial state %d", a.First)
	}
	if a.First != x.followed.First {
		x.run, x.followed = slices.Clone(x.recorded[:a.First]), Address{First: a.First}
	}
	common := 0
	for common < min(len(a.Steps), len(x.followed.Steps)) &&
		a.Steps[common] == x.followed.Steps[common] {
		common++
	}
	x.run, x.followed.Steps = x.run[:a.First+common], slices.Clone(a.Steps[:common])
	for _, k := range a.Steps[common:] {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		all := moves(x.run[len(x.run)-1].at)
		if k < 1 || k > len(all) {
			return 0, fmt.Errorf("state %d has %s, and none has the number %d", len(x.run)-1,
				plural(len(all), "step", "steps"), k)
		}
		if err := x.extend(all[k-1]); err != nil {
			return 0, err
		}
		x.followed.Steps = append(x.followed.Steps, k)
	}
	if a.At == -1 {
		a.At = len(x.run) - 1
	}
	if a.At < 0 || a.At >= len(x.run) {
		return 0, fmt.Errorf("the run has no state %d: its last is state %d", a.At, len(x.run)-1)
	}
	return a.At, nil
}

// View shows the state with an address.
func (x *TimedExplorer) View(ctx context.Context, a Address) (*View, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	at, err := x.follow(ctx, a)
	if err != nil {
		return nil, err
	}
	v := &View{Title: x.title, Loop: x.loopOf(), Timed: true, Universe: []result.Universe{},
		Constants: []*ValueTree{},
		Choices:   x.choices(x.run[at].at), Truths: []Truth{},
		Address: Address{First: x.followed.First, Steps: slices.Clone(x.followed.Steps), At: at}}
	v.Deadlock = len(v.Choices) == 0 || !x.run[at].at.Holds(&timed.Formula{Op: timed.Alive})
	for i, r := range x.run {
		stop := Stop{Call: report.Call(r.shown), Changes: []string{}, Violated: x.violatedBy(r.at)}
		if i > 0 {
			stop.Changes = short(x.run[i-1].shown.State, r.shown.State)
		}
		v.Run = append(v.Run, stop)
	}
	v.State = parts(x.run[max(at-1, 0)].shown.State, x.run[at].shown.State)
	for _, q := range x.net.Queries {
		if f := q.Formula; f != nil && (q.Kind == timed.Invariantly || q.Kind == timed.Possibly) {
			v.Truths = append(v.Truths,
				Truth{Name: q.Text, Kind: "query", Value: fmt.Sprint(x.run[at].at.Holds(f)),
					Remark: "its formula, in this state", Line: lineIn(x.net, q)})
		}
	}
	var steps [][]timed.Participant
	for _, r := range x.run[1 : at+1] {
		if len(r.move.Parts) > 0 {
			steps = append(steps, r.move.Parts)
		}
	}
	if v.Zone, err = zone.Reached(ctx, x.net, steps); err != nil {
		return nil, err
	}
	return v, nil
}

// lineIn is the line of a query in the file of the model, 0 for one in another file.
func lineIn(net *timed.Network, q *timed.Query) int {
	if q.Span.IsZero() || q.Span.Source != net.Source {
		return 0
	}
	return q.Span.Line()
}

// violatedBy names the queries A[] whose formula is false.
func (x *TimedExplorer) violatedBy(at *timed.Simulator) []string {
	out := []string{}
	for _, q := range x.net.Queries {
		if q.Kind == timed.Invariantly && q.Formula != nil && !at.Holds(q.Formula) {
			out = append(out, q.Text)
		}
	}
	return out
}

// choices describes what can be chosen in a state.
func (x *TimedExplorer) choices(at *timed.Simulator) []Choice {
	out := []Choice{}
	before := at.Moment()
	state := zone.StepOf(x.net, before, before, zone.DelayedStep{}, new(big.Rat)).State
	for i, move := range moves(at) {
		next := at.Fork()
		c := Choice{Number: i + 1, Action: "wait", Call: "wait " + move.Delay.RatString()}
		if len(move.Parts) == 0 {
			if err := next.Wait(move.Delay); err != nil {
				c.Number, c.Why = 0, err.Error()
			}
			steps := next.Steps()
			c.Changes = []string{"then " + plural(len(steps), "step", "steps")}
			for _, parts := range steps {
				c.Changes = append(c.Changes, zone.Describe(x.net, parts))
			}
			out = append(out, c)
			continue
		}
		shown := zone.StepOf(x.net, before, before, move, new(big.Rat))
		c.Action = shown.Action
		shown.Args = shown.Args[1:] // the delay is nothing
		c.Call = report.Call(shown)
		if channel := shown.Sync.Channel; channel != "" {
			c.Call = channel + ": " + c.Call
		}
		err := next.Take(move.Parts)
		if err == nil {
			err = next.Fault()
		}
		if err != nil {
			c.Number, c.Why = 0, err.Error()
		} else {
			m := next.Moment()
			c.Changes = short(state,
				zone.StepOf(x.net, m, m, zone.DelayedStep{}, new(big.Rat)).State)
		}
		out = append(out, c)
	}
	return out
}

func (x *TimedExplorer) loopOf() int {
	if len(x.followed.Steps) == 0 && len(x.run) == len(x.recorded) {
		return x.loop
	}
	return -1
}

// Take is the address after a step or a delay from the state with an address.
func (x *TimedExplorer) Take(ctx context.Context, a Address, step int) (Address, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	at, err := x.follow(ctx, a)
	if err != nil {
		return a, err
	}
	next := Address{First: x.followed.First, Steps: slices.Clone(x.followed.Steps), At: at + 1}
	if k := at + 1 - x.followed.First; k >= 0 && k < len(next.Steps) && next.Steps[k] == step {
		return next, nil // the run has this step already
	}
	if kept := at + 1 - next.First; kept >= 0 {
		next.Steps = append(next.Steps[:kept], step)
	} else {
		next.First, next.Steps = at+1, []int{step}
	}
	_, err = x.follow(ctx, next)
	return next, err
}

// Trace is the whole run of an address.
func (x *TimedExplorer) Trace(ctx context.Context, a Address) (*result.Trace, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, err := x.follow(ctx, a); err != nil {
		return nil, err
	}
	t := &result.Trace{Loop: x.loopOf(), Instance: x.title}
	for _, r := range x.run {
		t.Steps = append(t.Steps, r.shown)
	}
	return t, nil
}

// Until is not offered.
func (x *TimedExplorer) Until(_ context.Context, a Address, _ string) (Address, error) {
	return a, ErrTimed
}

// Evaluate is not offered.
func (x *TimedExplorer) Evaluate(context.Context, Address, string) ([]string, error) {
	return nil, ErrTimed
}

// Why is not offered.
func (x *TimedExplorer) Why(context.Context, Address, string) (*result.Why, error) {
	return nil, ErrTimed
}

// Instance is the name of the model, with the constants that were given.
func (x *TimedExplorer) Instance() string { return x.title }

package zone

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/timed"
)

// Trace puts a run into the form that reports show: states on arrival, with the delay before each
// step as its argument.
func Trace(net *timed.Network, r *Result) (*result.Trace, error) {
	moments, err := timed.Moments(net, r.Run, nil)
	if err != nil {
		return nil, fmt.Errorf("replaying the run: %w", err)
	}
	t := &result.Trace{Loop: -1}
	now := new(big.Rat)
	for i, m := range moments {
		var move DelayedStep
		if i > 0 {
			move.Delay = r.Run.Delays[i-1]
			now.Add(now, move.Delay)
		}
		if i > 0 && i <= len(r.Run.Steps) {
			move.Parts = r.Run.Steps[i-1]
		} else if i > 0 && move.Delay.Sign() == 0 {
			continue
		}
		t.Steps = append(t.Steps, StepOf(net, moments[max(i-1, 0)], m, move, now))
	}
	if r.Loop >= 0 {
		last := len(t.Steps) - 1
		t.Loop = min(r.Loop, last)
		if t.Loop == last { // no step is taken, which may well be possible
			t.Back.Action = "wait"
		}
	}
	return t, nil
}

// DelayedStep is a delay and then a step. Without participants it is the delay alone; without a
// delay it stands for the start of a run.
type DelayedStep struct {
	Delay *big.Rat
	Parts []timed.Participant
}

// StepOf puts a move between two moments of a run, the second of which is at a time, into the form
// that reports show.
func StepOf(
	net *timed.Network, before, after timed.Moment, move DelayedStep, now *big.Rat,
) result.Step {
	s := result.Step{State: state(net, after), Sync: &result.Sync{Time: now.RatString()}}
	switch {
	case move.Delay == nil:
		return s
	case len(move.Parts) == 0:
		s.Action, s.Args = "wait", delay(move.Delay)
		return s
	}
	s.Action, s.Args = Describe(net, move.Parts), delay(move.Delay)
	if e := move.Parts[0].Edge; e.Sync != timed.Internal {
		steps := timed.NewStepper(net, nil)
		steps.Load(before.State)
		steps.Bind(move.Parts)
		s.Sync.Channel = net.Channels[e.Channel.Eval(&steps.Memory)].Name
	}
	for _, p := range move.Parts {
		name := net.Processes[p.Process].Name
		s.Sync.Processes = append(s.Sync.Processes, name)
		for k, v := range p.Values {
			s.Args = append(s.Args, result.Binding{Name: name + "." + p.Edge.Selects[k].Name,
				Value: result.Int(strconv.Itoa(int(v)))})
		}
	}
	return s
}

func delay(d *big.Rat) []result.Binding {
	return []result.Binding{{Name: "delay", Value: result.Atom("time", d.RatString())}}
}

// Describe names the processes with the locations that they leave and reach.
func Describe(net *timed.Network, parts []timed.Participant) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		ls := net.Processes[p.Process].Locations
		texts[i] = fmt.Sprintf("%s %s -> %s", net.Processes[p.Process].Name, ls[p.Edge.Source].Name,
			ls[p.Edge.Target].Name)
	}
	return strings.Join(texts, ", ")
}

func state(net *timed.Network, m timed.Moment) (out []result.Binding) {
	for i, p := range net.Processes {
		out = append(out,
			result.Binding{Name: p.Name,
				Value: result.Atom("location", p.Locations[m.State[i]].Name)})
	}
	for i, v := range net.Variables {
		value := m.State[len(net.Processes)+i]
		b := result.Binding{Name: v.Name, Value: result.Int(strconv.Itoa(int(value)))}
		if v.Bool {
			b.Value = result.Bool(value != 0)
		}
		out = append(out, b)
	}
	for i, c := range net.Clocks {
		if i > 0 {
			out = append(out,
				result.Binding{Name: c, Value: result.Atom("time", m.Clocks[i].RatString())})
		}
	}
	return out
}

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
	steps := timed.NewStepper(net, nil)
	for i, m := range moments {
		s := result.Step{State: state(net, m)}
		if i > 0 {
			now.Add(now, r.Run.Delays[i-1])
		}
		s.Sync = &result.Sync{Time: now.RatString()}
		switch {
		case i == 0:
		case i <= len(r.Run.Steps):
			s.Action = describe(net, r.Run.Steps[i-1])
			s.Args = delay(r.Run.Delays[i-1])
			if e := r.Run.Steps[i-1][0].Edge; e.Sync != timed.Internal {
				steps.Load(moments[i-1].State)
				steps.Bind(r.Run.Steps[i-1])
				s.Sync.Channel = net.Channels[e.Channel.Eval(&steps.Memory)].Name
			}
			for _, p := range r.Run.Steps[i-1] {
				s.Sync.Processes = append(s.Sync.Processes, net.Processes[p.Process].Name)
				for k, v := range p.Values {
					s.Args = append(s.Args, result.Binding{Name: net.Processes[p.Process].Name + "." + p.Edge.Selects[k].Name, Value: result.Int(strconv.Itoa(int(v)))})
				}
			}
		case r.Run.Delays[i-1].Sign() == 0:
			continue
		default:
			s.Action, s.Args = "wait", delay(r.Run.Delays[i-1])
		}
		t.Steps = append(t.Steps, s)
	}
	if r.Loop >= 0 {
		t.Loop = min(r.Loop, len(t.Steps)-1)
	}
	return t, nil
}

func delay(d *big.Rat) []result.Binding {
	return []result.Binding{{Name: "delay", Value: result.Atom("time", d.RatString())}}
}

// describe names the processes with the locations that they leave and reach.
func describe(net *timed.Network, parts []timed.Participant) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		ls := net.Processes[p.Process].Locations
		texts[i] = fmt.Sprintf("%s %s -> %s", net.Processes[p.Process].Name, ls[p.Edge.Source].Name, ls[p.Edge.Target].Name)
	}
	return strings.Join(texts, ", ")
}

func state(net *timed.Network, m timed.Moment) (out []result.Binding) {
	for i, p := range net.Processes {
		out = append(out, result.Binding{Name: p.Name, Value: result.Atom("location", p.Locations[m.State[i]].Name)})
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
			out = append(out, result.Binding{Name: c, Value: result.Atom("time", m.Clocks[i].RatString())})
		}
	}
	return out
}

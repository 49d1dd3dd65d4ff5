package timed

import (
	"fmt"
	"math/big"
	"slices"
)

// Simulator is a state of a network with exact clock values, from which steps and delays can be
// chosen. It is for one goroutine.
type Simulator struct{ work *clockwork }

// NewSimulator begins in the initial state.
func NewSimulator(net *Network) (*Simulator, error) {
	w := &clockwork{Stepper: NewStepper(net, nil)}
	for range net.Clocks {
		w.clocks = append(w.clocks, new(big.Rat))
	}
	if !w.invariant() {
		return nil, fmt.Errorf("the invariants do not hold initially")
	}
	return &Simulator{w}, nil
}

// Fork gives a copy.
func (s *Simulator) Fork() *Simulator { return &Simulator{s.work.fork()} }

// Moment is the state.
func (s *Simulator) Moment() Moment { return s.work.moment() }

// Wait lets time pass.
func (s *Simulator) Wait(d *big.Rat) error { return s.work.wait(d) }

// Take makes a step.
func (s *Simulator) Take(parts []Participant) error { return s.work.step(parts) }

// Holds reports whether a formula is true.
func (s *Simulator) Holds(f *Formula) bool { return s.work.fork().holds(f) }

// Fault is an error of the model, nil for none.
func (s *Simulator) Fault() error {
	if f := s.work.Memory.Fault; f != nil {
		return f
	}
	return nil
}

// Steps gives the steps that are possible now.
func (s *Simulator) Steps() (out [][]Participant) {
	for _, ps := range s.work.steps() {
		if s.work.fork().step(ps) == nil {
			out = append(out, ps)
		}
	}
	return out
}

// Delay is a delay, and the steps that are possible after it.
type Delay struct {
	For   *big.Rat
	Steps [][]Participant
}

// Delays gives delays after which something else is possible than before, the shortest first: of
// neighbouring delays after which the same steps are possible, the first and the last one. The very
// first is always among them, so by repeated delays every order of the clocks' fractions is
// reached. Nothing changes between two numbers that a clock is compared with, so these moments, the
// middles between them, and a moment after all of them stand for all delays.
func (s *Simulator) Delays() (out []Delay) {
	if s.work.Urgent() {
		return nil
	}
	var all []Delay
	for _, d := range s.work.moments() {
		later := s.Fork()
		if d.Sign() == 0 {
			continue
		}
		if later.Wait(d) != nil {
			break // an invariant ends here
		}
		all = append(all, Delay{d, later.Steps()})
	}
	now := s.Steps()
	for i, d := range all {
		before, after := now, [][]Participant(nil)
		if i > 0 {
			before = all[i-1].Steps
		}
		last := i == len(all)-1
		if !last {
			after = all[i+1].Steps
		}
		if i == 0 || last || !sameSteps(before, d.Steps) || !sameSteps(d.Steps, after) {
			out = append(out, d)
		}
	}
	return out
}

func sameSteps(a, b [][]Participant) bool {
	return slices.EqualFunc(a, b, func(x, y []Participant) bool {
		return slices.EqualFunc(x, y, func(p, q Participant) bool {
			return p.Process == q.Process && p.Edge == q.Edge && slices.Equal(p.Values, q.Values)
		})
	})
}

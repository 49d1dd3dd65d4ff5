package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system"
)

func (s *Session) cmdList(ctx context.Context, arg string) error {
	if arg == "" {
		return s.list(ctx, "")
	}
	a, err := s.action(arg)
	if err != nil {
		return err
	}
	return s.list(ctx, a.Name)
}

// action finds an action by its name, or by an unambiguous beginning of it.
func (s *Session) action(name string) (*system.Action, error) {
	var found []*system.Action
	var names []string
	for _, a := range s.sys.Actions {
		if a.Name == name {
			return a, nil
		}
		if strings.HasPrefix(a.Name, name) {
			found = append(found, a)
		}
		names = append(names, a.Name)
	}
	if len(found) == 1 {
		return found[0], nil
	}
	if near := diag.Closest(name, names); near != "" && len(found) == 0 {
		return nil, fmt.Errorf("there is no action %q; did you mean %q?", name, near)
	}
	return nil, fmt.Errorf("there is no action %q; the actions are: %s", name,
		strings.Join(names, ", "))
}

func (s *Session) cmdMore(_ context.Context, arg string) error {
	if err := none(arg, "more"); err != nil {
		return err
	}
	if len(s.rest) == 0 {
		return errors.New("there is nothing more to show")
	}
	s.page(s.rest)
	return nil
}

// numbered is the step with a number in the list of this state.
func (s *Session) numbered(ctx context.Context, arg string) (position, error) {
	x, err := s.currentSuccessors(ctx)
	if err != nil {
		return position{}, err
	}
	if len(x.steps) == 0 {
		return position{}, errors.New("no step is possible in this state")
	}
	k, err := number(arg, "a step", -1, 1, len(x.steps))
	if err != nil {
		return position{}, err
	}
	return x.steps[k-1], nil
}

func (s *Session) cmdStep(ctx context.Context, arg string) error {
	word, rest := split(arg)
	if isNumber(arg) && arg != "" {
		step, err := s.numbered(ctx, arg)
		if err != nil {
			return err
		}
		s.take(step)
		return s.showCurrent(ctx)
	}
	if word == "" {
		return errors.New("step takes the number of a step, or an action with its arguments")
	}
	a, err := s.action(word)
	if err != nil {
		return err
	}
	return s.choose(ctx, a, rest)
}

func (s *Session) cmdBack(ctx context.Context, arg string) error {
	if s.at == 0 {
		return errors.New("this is the first state")
	}
	n, err := number(arg, "how far to go back", 1, 1, s.at)
	if err != nil {
		return err
	}
	s.goTo(s.at - n)
	return s.showCurrent(ctx)
}

func (s *Session) cmdForward(ctx context.Context, arg string) error {
	last := len(s.run) - 1
	if s.at == last {
		return errors.New("this is the last state of the run")
	}
	n, err := number(arg, "how far to go forward", 1, 1, last-s.at)
	if err != nil {
		return err
	}
	s.goTo(s.at + n)
	return s.showCurrent(ctx)
}

func (s *Session) cmdGoto(ctx context.Context, arg string) error {
	k, err := number(arg, "a state of the run", -1, 0, len(s.run)-1)
	if err != nil {
		return err
	}
	s.goTo(k)
	return s.showCurrent(ctx)
}

func (s *Session) cmdRestart(ctx context.Context, arg string) error {
	if err := none(arg, "restart"); err != nil {
		return err
	}
	init, err := s.initials(ctx)
	if err != nil {
		return err
	}
	if len(init.states) == 1 {
		s.begin(init.states[0])
		return s.showCurrent(ctx)
	}
	first := s.everything(init.states[0])
	rows := []row{{"1", "the first; the others differ from it:", ""}}
	for i, state := range init.states[1:] {
		rows = append(rows, row{strconv.Itoa(i + 2), inShort(first, s.everything(state)), ""})
	}
	s.printf("%s; `init K` begins in one of them, `init EXPR` in the first where a formula is "+
		"true:\n", init.count())
	s.page(s.layOut(rows))
	return nil
}

func (s *Session) cmdInit(ctx context.Context, arg string) error {
	if arg != "" && isNumber(arg) {
		init, err := s.initials(ctx)
		if err != nil {
			return err
		}
		k, err := number(arg, "an initial state", -1, 1, len(init.states))
		if err != nil {
			return err
		}
		s.begin(init.states[k-1])
		return s.showCurrent(ctx)
	}
	t, err := s.formula(arg)
	if err != nil {
		return err
	}
	var found interp.State
	n := 0
	err = s.model.Initial(ctx, func(state interp.State) error {
		holds, err := s.model.Holds(t, state)
		switch {
		case err != nil:
			return err
		case holds:
			found = state
			return interp.ErrStop
		case n == s.o.MaxStates:
			return fmt.Errorf("the formula is false in the first %d", n)
		}
		n++
		return nil
	})
	switch {
	case err != nil:
		return err
	case found == nil:
		return errors.New("the formula is false in every initial state")
	}
	s.begin(found)
	return s.showCurrent(ctx)
}

// cmdRandom stops where a property becomes false that was true before.
func (s *Session) cmdRandom(ctx context.Context, arg string) error {
	n, err := number(arg, "how many steps to take", 1, 1, maxRandom)
	if err != nil {
		return err
	}
	from, before := s.at, s.violated()
	for range n {
		x, err := s.successors(ctx, s.state(), false)
		if err != nil {
			return err
		}
		if len(x.steps) == 0 {
			break
		}
		s.take(x.steps[s.random.IntN(len(x.steps))])
		after := s.violated()
		if slices.ContainsFunc(after, func(p string) bool { return !slices.Contains(before, p) }) {
			break
		}
		before = after
	}
	return s.showCurrentFrom(ctx, from)
}

// cmdUntil searches breadth-first, so the run that it finds is a shortest one.
func (s *Session) cmdUntil(ctx context.Context, arg string) error {
	t, err := s.formula(arg)
	if err != nil {
		return err
	}
	if holds, err := s.model.Holds(t, s.state()); err != nil {
		return err
	} else if holds {
		return errors.New("the formula is true in this state already")
	}
	path, err := s.search(ctx, t)
	if err != nil {
		return err
	}
	from := s.at
	for _, m := range path {
		s.take(m)
	}
	return s.showCurrentFrom(ctx, from)
}

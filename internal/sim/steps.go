package sim

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// successors are the steps of a state, and the reasons why there are no others.
type successors struct {
	steps  []position
	cut    []cutStep
	failed []failure
	many   []string // actions with more steps than are listed
}

// cutStep leads to a state that trusted invariants exclude.
type cutStep struct {
	position
	by string
}

// failure is an action whose steps have no value here.
type failure struct {
	action string
	err    error
}

// deadlock reports whether it is certain that there is no step.
func (x *successors) deadlock() bool { return len(x.steps)+len(x.failed) == 0 }

// successors computes the steps of a state, and with cut the steps that trusted invariants exclude.
func (w *walk) successors(
	ctx context.Context, state interp.State, cut bool,
) (*successors, error) {
	x := &successors{}
	if w.sys.Computed != nil {
		return x, w.computed(ctx, state, x)
	}
	for _, a := range w.sys.Actions {
		err := w.steps(ctx, w.model, state, a, x, func(m position) { x.steps = append(x.steps, m) })
		if err == nil && cut && w.uncut != nil {
			err = w.steps(ctx, w.uncut, state, a, x, func(m position) {
				if by := w.excluded(m.state); by != "" {
					x.cut = append(x.cut, cutStep{m, by})
				}
			})
			if err != nil {
				err = fmt.Errorf("the steps that trusted invariants cut off: %w", err)
			}
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			x.failed = append(x.failed, failure{a.Name, err})
		}
	}
	return x, nil
}

// steps calls add for the steps of an action, each once, up to a limit.
func (w *walk) steps(
	ctx context.Context, m *interp.Model, state interp.State, a *system.Action, x *successors,
	add func(position),
) error {
	seen := map[string]bool{}
	return m.Steps(ctx, state, a, func(step interp.Step) error {
		if !w.list(step, seen, x, add) {
			return interp.ErrStop
		}
		return nil
	})
}

// list calls add for a step of an action unless it was seen. It reports whether more can be listed.
func (w *walk) list(
	step interp.Step, seen map[string]bool, x *successors, add func(position),
) (more bool) {
	next := position{step.Action.Name, w.model.ArgBindings(step.Args), step.State}
	key := w.call(next) + "\n" + w.model.Key(step.State)
	if seen[key] {
		return true
	}
	if len(seen) == w.o.MaxSteps {
		if !slices.Contains(x.many, step.Action.Name) {
			x.many = append(x.many, step.Action.Name)
		}
		return false
	}
	seen[key] = true
	add(next)
	return true
}

// computed adds the steps of a computed system, which are computed for all actions together.
func (w *walk) computed(ctx context.Context, state interp.State, x *successors) error {
	seen := map[*system.Action]map[string]bool{}
	err := w.model.EachStep(ctx, state, func(step interp.Step) error {
		if seen[step.Action] == nil {
			seen[step.Action] = map[string]bool{}
		}
		w.list(step, seen[step.Action], x, func(m position) { x.steps = append(x.steps, m) })
		return nil
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		x.failed = append(x.failed, failure{"steps", err})
	}
	return nil
}

// excluded names the first trusted invariant that a state does not satisfy.
func (w *walk) excluded(state interp.State) string {
	for _, p := range w.sys.Properties {
		if p.Kind != system.Trusted {
			continue
		}
		if holds, err := w.model.Holds(p.Term, state); err != nil || !holds {
			return p.Name
		}
	}
	return ""
}

// currentSuccessors gives the steps of the current state.
func (w *walk) currentSuccessors(ctx context.Context) (*successors, error) {
	if w.succ != nil {
		return w.succ, nil
	}
	x, err := w.successors(ctx, w.state(), true)
	if err != nil {
		return nil, err
	}
	w.succ = x
	return x, nil
}

// showCurrent shows the current state, its defects, and its steps.
func (s *Session) showCurrent(ctx context.Context) error {
	s.printState(s.at)
	s.warn()
	return s.list(ctx, "")
}

// showCurrentFrom is arrive after several steps, which it names.
func (s *Session) showCurrentFrom(ctx context.Context, from int) error {
	for i := from + 1; i < s.at; i++ {
		s.printHead(i)
	}
	return s.showCurrent(ctx)
}

// printState shows a state of the run: the changes of its step, or everything.
func (s *Session) printState(i int) {
	s.printHead(i)
	state := s.variables(s.run[i].state)
	switch {
	case i == 0:
		s.printBindings(state, nil)
	case s.o.View.Full:
		s.printBindings(state, s.variables(s.run[i-1].state))
	default:
		s.printChanges(s.variables(s.run[i-1].state), state)
	}
}

func (s *Session) printHead(i int) {
	head := fmt.Sprintf("state %d", i)
	if c := s.call(s.run[i]); c != "" {
		head += ": " + s.paint(bold, c)
	}
	s.printf("%s\n", head)
}

// warn names the properties that the current state violates, and returns them.
func (s *Session) warn() (violated []string) {
	for _, p := range s.sys.Properties {
		if !p.IsInvariant() {
			continue
		}
		holds, err := s.model.Holds(p.Term, s.state())
		switch {
		case err != nil:
			s.printf("%s\n", s.paint(red, fmt.Sprintf("%s has no value here: %v", p.Name, err)))
		case !holds:
			violated = append(violated, p.Name)
			s.printf("%s (%s); see `why %s`\n", s.paint(red, p.Name+" is violated"),
				s.model.FalseConjunct(p.Term, s.state()), p.Name)
		}
	}
	return violated
}

// list shows the steps of the current state, or, with a name, the steps of one action.
func (s *Session) list(ctx context.Context, action string) error {
	x, err := s.currentSuccessors(ctx)
	if err != nil {
		return err
	}
	s.printSteps(x, func(m position) bool { return action == "" || m.action == action })
	return nil
}

func (s *Session) printSteps(x *successors, which func(position) bool) {
	before := s.variables(s.state())
	var rows []row
	for i, m := range x.steps {
		if which(m) {
			rows = append(rows,
				row{strconv.Itoa(i + 1), s.call(m), inShort(before, s.variables(m.state))})
		}
	}
	possible := len(rows)
	for _, c := range x.cut {
		if which(c.position) {
			rows = append(rows,
				row{"-", s.call(c.position), "not available: trusted invariant " + c.by})
		}
	}
	for _, f := range x.failed {
		if which(position{action: f.action}) {
			rows = append(rows, row{"!", f.action, "error: " + f.err.Error()})
		}
	}
	switch {
	case x.deadlock() && len(x.cut) > 0:
		s.printf("%s: trusted invariants cut off %s\n",
			s.paint(red, "deadlock: this state has no successor"),
			plural(len(x.cut), "step", "steps"))
	case x.deadlock():
		s.printf("%s\n", s.paint(red, "deadlock: this state has no successor"))
	case possible == 1:
		s.printf("1 step is possible:\n")
	case possible == 0:
		s.printf("no step is possible\n")
	default:
		s.printf("%d steps are possible:\n", possible)
	}
	s.page(s.layOut(rows))
	for _, name := range x.many {
		if which(position{action: name}) {
			s.printf("%s has more steps: only %d are listed\n", name, s.o.MaxSteps)
		}
	}
}

// choose takes the step that a name and arguments determine, or lists the matching steps.
func (s *Session) choose(ctx context.Context, action *system.Action, text string) error {
	wanted, err := parseArguments(text)
	if err != nil {
		return err
	}
	x, err := s.currentSuccessors(ctx)
	if err != nil {
		return err
	}
	var fit []position
	fits := func(m position) bool { return m.action == action.Name && wanted.fit(m.args) }
	for _, m := range x.steps {
		if fits(m) {
			fit = append(fit, m)
		}
	}
	switch {
	case len(fit) == 1:
		s.take(fit[0])
		return s.showCurrent(ctx)
	case len(fit) > 1:
		s.printSteps(x, fits)
		s.printf("Choose one by its number, or give more arguments.\n")
		return nil
	}
	return s.noStep(x, action, wanted, fits)
}

// noStep says why no step of an action can be taken.
func (s *Session) noStep(
	x *successors, action *system.Action, wanted arguments, fits func(position) bool,
) error {
	for _, f := range x.failed {
		if f.action == action.Name {
			return fmt.Errorf("the steps of %s cannot be computed here: %w", action.Name, f.err)
		}
	}
	for _, c := range x.cut {
		if fits(c.position) {
			return fmt.Errorf("%s is not available: the trusted invariant %s excludes the state "+
				"it leads to", s.call(c.position), c.by)
		}
	}
	some := slices.IndexFunc(x.steps, func(m position) bool { return m.action == action.Name })
	if some < 0 {
		return fmt.Errorf("%s is not enabled in this state", action.Name)
	}
	args := x.steps[some].args
	if err := wanted.check(action.Name, args); err != nil {
		return err
	}
	return fmt.Errorf("%s is not enabled with these arguments; `list %s` shows its steps",
		action.Name, action.Name)
}

// arguments are the requested parameters and choices of an action; * stands for any value.
type arguments []argument

type argument struct{ name, value string } // without a name it counts by its position

// parseArguments reads (client0, K = 3), or the same without parentheses.
func parseArguments(text string) (arguments, error) {
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "("); ok {
		inner, ok = strings.CutSuffix(inner, ")")
		if !ok {
			return nil, fmt.Errorf("the parenthesis is not closed")
		}
		text = inner
	}
	if strings.ContainsAny(text, "()") {
		return nil, fmt.Errorf("arguments are values or NAME = VALUE, with commas between them")
	}
	var out arguments
	words := strings.Fields(strings.ReplaceAll(strings.ReplaceAll(text, ",", " "), "=", " = "))
	for i := 0; i < len(words); i++ {
		a := argument{value: words[i]}
		if i+1 < len(words) && words[i+1] == "=" {
			if i+2 == len(words) {
				return nil, fmt.Errorf("the value of %s is missing", words[i])
			}
			a = argument{words[i], words[i+2]}
			i += 2
		}
		if a.value == "=" || a.name == "=" {
			return nil, fmt.Errorf("arguments are values or NAME = VALUE, with commas between them")
		}
		out = append(out, a)
	}
	return out, nil
}

// at finds the argument of a step for the i-th request, or a negative number.
func (w arguments) at(i int, args []result.Binding) int {
	if w[i].name == "" {
		if i < len(args) {
			return i
		}
		return -1
	}
	return slices.IndexFunc(args, func(b result.Binding) bool { return b.Name == w[i].name })
}

func (w arguments) fit(args []result.Binding) bool {
	for i, wish := range w {
		at := w.at(i, args)
		if at < 0 || wish.value != "*" && args[at].Value.String() != wish.value {
			return false
		}
	}
	return true
}

// check reports errors in the requests themselves.
func (w arguments) check(action string, args []result.Binding) error {
	for i, wish := range w {
		if w.at(i, args) >= 0 {
			continue
		}
		if wish.name == "" {
			return fmt.Errorf("%s takes at most %s", action,
				plural(len(args), "argument", "arguments"))
		}
		var names []string
		for _, a := range args {
			names = append(names, a.Name)
		}
		if near := diag.Closest(wish.name, names); near != "" {
			return fmt.Errorf("%s has no parameter %s; did you mean %s?", action, wish.name, near)
		}
		return fmt.Errorf("%s has no parameter %s", action, wish.name)
	}
	return nil
}

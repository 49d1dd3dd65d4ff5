package conformance

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/conformance/observe"
	"erelong.dev/erelong/internal/conformance/runlog"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// given is an argument that a record or a declaration gives: a value, or an expression.
type given struct {
	name  string // empty where the position says which one it is
	value any
	text  string // of the expression, empty for a value
}

// caller makes steps of events: it gives actions of the system the arguments of the file.
type caller struct {
	*Checker
	write literals
}

func (c *Checker) caller() caller { return caller{c, c.literals()} }

// errOther says that a value has another constructor than the action is for.
var errOther = errors.New("its constructor is another one")

// forms lists the actions of the system for an action of the file: one for each constructor of its
// parameters.
func (c caller) forms(name string) (out []*system.Action) {
	if forms := c.actions[name]; forms != nil {
		return forms
	}
	view := c.spec.System.View
	if view == nil {
		return nil
	}
	for _, a := range c.spec.System.Actions {
		if s := view.Actions[a.Name]; s != nil && s.Name == name {
			out = append(out, a)
		}
	}
	return out
}

// shown is the name of an action in the file.
func (c caller) shown(a *system.Action) string { return c.spec.System.View.Action(a.Name) }

// direct lists the ways in which an event that has the name of an action is a step.
func (c caller) direct(e *runlog.Event) ([]alternative, error) {
	if _, err := c.action(e.Name); err != nil {
		return nil, fmt.Errorf("the event %q is not declared: %w. Declare `event %s is ...` or "+
			"`ignore %s`", e.Name, err, e.Name, e.Name)
	}
	args := make([]given, len(e.Args))
	for i, f := range e.Args {
		args[i] = given{name: f.Name, value: f.Value}
	}
	calls, err := c.calls(e.Name, args)
	if err != nil {
		return nil, err
	}
	out := make([]alternative, len(calls))
	for i := range calls {
		out[i].calls = calls[i : i+1 : i+1]
	}
	return out, nil
}

// ways lists the ways in which a declared event is steps.
func (c caller) ways(e *runlog.Event, d *observe.Event) ([]alternative, error) {
	out := []alternative{{}}
	for _, dc := range d.Calls {
		args, err := c.arguments(e, dc)
		if err != nil {
			return nil, err
		}
		calls, err := c.calls(dc.Action, args)
		if err != nil {
			return nil, err
		}
		var next []alternative
		for _, a := range out {
			for _, made := range calls {
				next = append(next, alternative{append(slices.Clip(a.calls), made)})
			}
		}
		out = next
	}
	return out, nil
}

// arguments are what a declaration gives. An argument that the record does not have is open.
func (c caller) arguments(e *runlog.Event, d observe.Call) (out []given, err error) {
	for i, a := range d.Args {
		g := given{name: a.Name}
		if g.name == "" {
			if g.name, err = c.parameterAt(d.Action, i); err != nil {
				return nil, err
			}
		}
		has := false
		if only, ok := a.Value.Only(); ok {
			g.value, has = c.at(e, only)
		} else if g.text, has, err = c.filled(e, a.Value); err != nil {
			return nil, err
		}
		if has {
			out = append(out, g)
		}
	}
	return out, nil
}

// parameterAt is the name of a parameter in the file.
func (c caller) parameterAt(action string, position int) (string, error) {
	forms := c.forms(action)
	if s := c.structuredAction(forms[0]); s != nil && len(s.Params) > 0 {
		if position < len(s.Params) {
			return s.Params[position].Name, nil
		}
		return "", fmt.Errorf("%s has %d parameters", action, len(s.Params))
	}
	name, _, err := c.variable(forms[0], position, "")
	return name, err
}

// argumentName is the name of an argument of a declared call, which has a name or a position.
func (c caller) argumentName(
	form *system.Action, action string, position int, name string,
) (string, error) {
	if name == "" {
		return c.parameterAt(action, position)
	}
	if s := c.structuredAction(form); s != nil && slices.ContainsFunc(s.Params,
		func(p result.NamedKey) bool { return p.Name == name }) {
		return name, nil
	}
	name, _, err := c.variable(form, position, name)
	return name, err
}

func (c caller) structuredAction(a *system.Action) *result.StructuredAction {
	if c.spec.System.View == nil {
		return nil
	}
	return c.spec.System.View.Actions[a.Name]
}

// calls gives the forms of an action their arguments. A form for other constructors is left out.
func (c caller) calls(action string, args []given) (out []call, err error) {
	for _, a := range c.forms(action) {
		made := call{action: a, shown: action, args: make([]argument, 0, len(args)),
			given: make([]shownArgument, 0, len(args))}
		var problem error
		for _, g := range args {
			if problem = c.give(&made, g); problem != nil {
				break
			}
		}
		switch {
		case problem == nil:
			out = append(out, made)
		case !errors.Is(problem, errOther):
			return nil, problem
		default:
			err = problem
		}
	}
	if len(out) == 0 {
		return nil, err
	}
	return out, nil
}

// give gives a call an argument.
func (c caller) give(made *call, g given) error {
	declared := g.name
	if s := c.structuredAction(made.action); s != nil {
		for _, p := range s.Params {
			switch {
			case p.Name != declared:
			case p.Key.Form != result.Plain:
				return c.giveParts(made, p, g)
			default:
				g.name = p.Flat[0]
			}
		}
		for _, choice := range s.Choices {
			if choice.Name == g.name {
				return fmt.Errorf("%s of %s is a choice of structured data: say it by an "+
					"observation", g.name, made.shown)
			}
		}
	}
	name, sort, err := c.variable(made.action, 0, g.name)
	if err != nil {
		return err
	}
	a, err := c.argument(made.shown, name, sort, g)
	if err != nil {
		return err
	}
	made.args = append(made.args, a)
	made.given = append(made.given, shownArgument{declared, len(made.args) - 1, ""})
	return nil
}

// giveParts gives a call the parts of a structured argument.
func (c caller) giveParts(made *call, p result.NamedKey, g given) error {
	var parts []given
	text := g.text
	if g.text != "" {
		texts, err := c.partTexts(p.Key, "("+g.text+")")
		if err != nil {
			return fmt.Errorf("%s = %s of %s: %w", p.Name, g.text, made.shown, err)
		}
		for _, t := range texts {
			parts = append(parts, given{text: t})
		}
	} else {
		values, fits, err := c.write.flatRow(p.Key, g.value)
		switch {
		case err != nil:
			return fmt.Errorf("argument %s of %s: %w", p.Name, made.shown, err)
		case !fits:
			return fmt.Errorf("argument %s of %s: %w", p.Name, made.shown, errOther)
		}
		for _, v := range values {
			parts = append(parts, given{value: v})
		}
	}
	var sorts []*logic.Sort
	for i, flat := range p.Flat {
		name, sort, err := c.variable(made.action, 0, flat)
		if err != nil {
			return err
		}
		a, err := c.argument(made.shown, name, sort, parts[i])
		if err != nil {
			return err
		}
		sorts = append(sorts, sort)
		made.args = append(made.args, a)
	}
	if text == "" {
		var err error
		if text, _, err = c.write.key(p.Key, sorts, g.value); err != nil {
			return err
		}
	}
	made.given = append(made.given, shownArgument{p.Name, -1, text})
	return nil
}

// partTexts lists the expressions of the parts of a value that an expression gives.
func (c caller) partTexts(k *result.Key, text string) (out []string, err error) {
	if k.Form == result.Plain {
		return []string{text}, nil
	}
	if k.Form == result.Variant {
		is, err := c.expression(text + " is " + k.Name)
		switch {
		case err != nil:
			return nil, err
		case is.term.IsFalse():
			return nil, errOther
		case !is.term.IsTrue():
			return nil, fmt.Errorf("its constructor depends on the state")
		}
	}
	for i, p := range k.Parts {
		inner, err := c.partTexts(p, text+"."+k.PartName(i))
		if err != nil {
			return nil, err
		}
		out = append(out, inner...)
	}
	return out, nil
}

// argument is the value of a parameter or choice of the system.
func (c caller) argument(
	action, name string, s *logic.Sort, g given,
) (argument, error) {
	if g.text == "" {
		x, err := c.value(s, g.value)
		if err != nil {
			return argument{}, fmt.Errorf("argument %s of %s: %w", name, action, err)
		}
		return argument{name: name, sort: s, value: x}, nil
	}
	p, err := c.expression(g.text)
	if err != nil {
		return argument{}, fmt.Errorf("%s = %s of %s: %w", name, g.text, action, err)
	}
	if !logic.SameSort(p.term.Sort, s.Base()) {
		return argument{}, fmt.Errorf("%s = %s of %s has sort %s instead of %s", name, g.text,
			action, p.term.Sort, s)
	}
	return argument{name: name, sort: s, term: p.term, needs: p.needs}, nil
}

// text is how messages write the steps of an alternative.
func (c *Checker) text(a alternative) string {
	var parts []string
	for _, made := range a.calls {
		parts = append(parts, c.callText(made))
	}
	return strings.Join(parts, " then ")
}

func (c *Checker) callText(made call) string {
	var given []string
	for _, g := range made.given {
		text := g.text
		if g.arg >= 0 {
			if a := made.args[g.arg]; a.term != nil {
				text = logic.Printer{Style: logic.Stateless}.Term(a.term)
			} else {
				text = c.show(a.sort, a.value)
			}
		}
		given = append(given, g.name+" = "+text)
	}
	return made.shown + "(" + strings.Join(given, ", ") + ")"
}

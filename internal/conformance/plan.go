package conformance

import (
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/conformance/observe"
	"erelong.dev/erelong/internal/conformance/runlog"
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// bind checks that the declarations fit the specification.
func (c *Checker) bind() error {
	if err := c.bindNames(); err != nil {
		return err
	}
	for _, w := range c.file.Silent {
		forms, err := c.action(w.Text)
		if err != nil {
			return c.declError(w.Line, "%v", err)
		}
		if slices.Contains(c.silent, forms[0]) {
			return c.declError(w.Line, "%s is declared silent twice", w.Text)
		}
		c.silent = append(c.silent, forms...)
	}
	for _, w := range c.file.Timing.Intervals {
		if !slices.ContainsFunc(c.model.SlotSymbols(), func(s *logic.Symbol) bool {
			return s.Name == w.Text && s.Mutable && s.Result.Kind == logic.KindBool &&
				len(s.Args) > 0
		}) {
			return c.declError(w.Line,
				"%s is no mutable relation with arguments: the times are shown in which one is "+
					"true", w.Text)
		}
	}
	for _, e := range c.file.Events {
		for _, call := range e.Calls {
			forms, err := c.action(call.Action)
			if err != nil {
				return c.declError(e.Line, "%v", err)
			}
			seen := map[string]bool{}
			for i, arg := range call.Args {
				name, err := c.caller().argumentName(forms[0], call.Action, i, arg.Name)
				switch {
				case err != nil:
					return c.declError(e.Line, "%v", err)
				case seen[name]:
					return c.declError(e.Line, "%s has two values for %s", call.Action, name)
				}
				seen[name] = true
			}
		}
	}
	return nil
}

// action finds an action of the file.
func (c *Checker) action(name string) ([]*system.Action, error) {
	if forms := c.caller().forms(name); forms != nil {
		return forms, nil
	}
	var all []string
	for _, a := range c.spec.System.Actions {
		all = append(all, c.caller().shown(a))
	}
	slices.Sort(all)
	all = slices.Compact(all)
	if near := diag.Closest(name, all); near != "" {
		return nil, fmt.Errorf("the specification has no action %q; is %s meant?", name, near)
	}
	return nil, fmt.Errorf("the specification has no action %q; its actions are %s", name,
		strings.Join(all, ", "))
}

// variable finds a parameter or choice of an action, by its name or by its position.
func (c *Checker) variable(
	a *system.Action, position int, name string,
) (string, *logic.Sort, error) {
	if name == "" {
		if position >= len(a.Params) {
			return "", nil, fmt.Errorf("%s has %d parameters", a.Name, len(a.Params))
		}
		return a.Params[position].Name, a.Params[position].Sort, nil
	}
	for _, v := range a.Params {
		if v.Name == name {
			return name, v.Sort, nil
		}
	}
	vars := slices.Clone(a.Params)
	if a.Imperative {
		vars = append(vars, system.Choices(a.Code)...)
	} else if a.Relation != nil {
		vars = append(vars, a.Relation.Choices...)
	}
	var names []string
	for _, v := range vars {
		if v.Name == name {
			return name, v.Sort, nil
		}
		names = append(names, v.Name)
	}
	if s := c.caller().structuredAction(a); s != nil {
		names = nil
		for _, p := range s.Params {
			names = append(names, p.Name)
		}
	}
	if near := diag.Closest(name, names); near != "" {
		return "", nil, fmt.Errorf("%s has no parameter %q; is %s meant?", a.Name, name, near)
	}
	return "", nil,
		fmt.Errorf("%s has no parameter %q; its parameters are %s", a.Name, name,
			strings.Join(names, ", "))
}

// ignores reports whether an event is declared to be no step.
func (c *Checker) ignores(e *runlog.Event) bool {
	return slices.ContainsFunc(c.file.Ignored, func(i observe.Ignore) bool {
		return slices.Contains(i.Events, e.Name) && c.meets(e, i.If)
	})
}

package conformance

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"erelong.dev/erelong/internal/conformance/observe"
	"erelong.dev/erelong/internal/conformance/runlog"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// problem is a log as the search sees it.
type problem struct {
	name    string
	order   observe.Order
	events  []*event // without the ignored ones, in the order of the file
	ignored int
	lanes   []lane
	sends   map[string]position // of the messages that the log sends
	notes   []string
}

// event is an event with what the declarations say of it.
type event struct {
	*runlog.Event
	position
	alternatives []alternative
	observations []observation
}

// alternative is one way in which an event can be steps; without calls it is none.
type alternative struct {
	text  string
	calls []call
}

// call is a step with the arguments that are known.
type call struct {
	action *system.Action
	args   []argument
}

// argument is the value of a parameter or choice. The term is nil for a value that does not depend
// on the state.
type argument struct {
	name  string
	sort  *logic.Sort
	value int64
	term  *logic.Term
}

// observation is a statement about the state after an event.
type observation struct {
	text     string
	index    int         // of the declaration, negative for a field of the record's observations
	formula  *logic.Term // that is true
	term     *logic.Term // with a value; nil for a formula
	value    int64
	notation *logic.Sort // of the value
}

func eventError(log string, e *runlog.Event, format string, args ...any) error {
	return &runlog.Error{File: log, Line: e.Line, Column: 1, Message: fmt.Sprintf(format, args...)}
}

// problem prepares a log.
func (c *Checker) problem(name string, events []*runlog.Event) (*problem, error) {
	p := &problem{name: name}
	for _, e := range events {
		if c.ignores(e) {
			p.ignored++
			continue
		}
		prepared, err := c.prepare(name, e)
		if err != nil {
			return nil, err
		}
		p.events = append(p.events, prepared)
	}
	return p, p.arrange(c.file.Order)
}

// prepare finds the steps and the observations of an event.
func (c *Checker) prepare(log string, e *runlog.Event) (*event, error) {
	out := &event{Event: e}
	declared := false
	for _, d := range c.file.Events {
		if d.Name != e.Name {
			continue
		}
		declared = true
		if !c.meets(e, d.If) {
			continue
		}
		a := alternative{}
		var texts []string
		for _, dc := range d.Calls {
			made, err := c.call(e, dc)
			if err != nil {
				return nil, eventError(log, e, "event %s, declared in %s:%d: %v", e.Name,
					c.file.Name, d.Line, err)
			}
			a.calls = append(a.calls, made)
			texts = append(texts, c.callText(made))
		}
		a.text = strings.Join(texts, " then ")
		out.alternatives = append(out.alternatives, a)
	}
	switch {
	case len(out.alternatives) > 0:
	case declared:
		return nil, eventError(log, e,
			"no declaration of event %s applies to this one: each has a condition that is false",
			e.Name)
	case e.Name == runlog.FirstState:
		out.alternatives = []alternative{{}}
	case e.Name == runlog.AnyAction:
		for _, a := range c.spec.System.Actions {
			made := call{action: a}
			out.alternatives = append(out.alternatives, alternative{c.callText(made), []call{made}})
		}
	default:
		a, err := c.direct(e)
		if err != nil {
			return nil, eventError(log, e, "%v", err)
		}
		out.alternatives = []alternative{a}
	}
	var err error
	if out.observations, err = c.observations(e); err != nil {
		return nil, eventError(log, e, "%v", err)
	}
	return out, nil
}

// direct is the alternative of an event that has the name of an action.
func (c *Checker) direct(e *runlog.Event) (alternative, error) {
	action, err := c.action(e.Name)
	if err != nil {
		return alternative{},
			fmt.Errorf("the event %q is not declared: %w. Declare `event %s is ...` or `ignore %s`",
				e.Name, err, e.Name, e.Name)
	}
	made := call{action: action}
	var keys []string
	for k := range e.Args {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		name, s, err := c.variable(action, 0, k)
		if err != nil {
			return alternative{}, err
		}
		v, err := c.value(s, e.Args[k])
		if err != nil {
			return alternative{}, fmt.Errorf("argument %s of %s: %w", k, action.Name, err)
		}
		made.args = append(made.args, argument{name: name, sort: s, value: v})
	}
	return alternative{c.callText(made), []call{made}}, nil
}

// call gives a declared step its arguments. An argument that the record does not have is open.
func (c *Checker) call(e *runlog.Event, d observe.Call) (call, error) {
	made := call{action: c.actions[d.Action]}
	for i, a := range d.Args {
		name, s, err := c.variable(made.action, i, a.Name)
		if err != nil {
			return made, err
		}
		if only, ok := a.Value.Only(); ok {
			v, has := c.at(e, only)
			if !has {
				continue
			}
			x, err := c.value(s, v)
			if err != nil {
				return made,
					fmt.Errorf("%s = %s of %s: %w", name, a.Value.Text, made.action.Name, err)
			}
			made.args = append(made.args, argument{name: name, sort: s, value: x})
			continue
		}
		text, has, err := c.filled(e, a.Value)
		if err != nil {
			return made, err
		}
		if !has {
			continue
		}
		t, err := c.expression(text)
		if err != nil {
			return made, fmt.Errorf("%s = %s of %s: %w", name, text, made.action.Name, err)
		}
		if !logic.SameSort(t.Sort, s.Base()) {
			return made,
				fmt.Errorf("%s = %s of %s has sort %s instead of %s", name, text, made.action.Name,
					t.Sort, s)
		}
		made.args = append(made.args, argument{name: name, sort: s, term: t})
	}
	return made, nil
}

func (c *Checker) callText(made call) string {
	var args []string
	for _, a := range made.args {
		if a.term != nil {
			args = append(args, a.name+" = "+logic.Printer{Style: logic.Stateless}.Term(a.term))
		} else {
			args = append(args, a.name+" = "+c.show(a.sort, a.value))
		}
	}
	return made.action.Name + "(" + strings.Join(args, ", ") + ")"
}

// observations lists what the record and the declarations say of the state after an event.
func (c *Checker) observations(e *runlog.Event) ([]observation, error) {
	out, err := c.recorded(e)
	if err != nil {
		return nil, err
	}
	for i, d := range c.file.Observations {
		if !d.Applies(e.Name) || !c.meets(e, d.If) {
			continue
		}
		o, has, err := c.declared(e, d)
		switch {
		case err != nil:
			return nil, fmt.Errorf("observation %s, declared in %s:%d: %w", d.Text, c.file.Name,
				d.Line, err)
		case has:
			o.index = i
			out = append(out, o)
		}
	}
	return out, nil
}

// declared makes a declared observation. It returns false if the record lacks a value.
func (c *Checker) declared(e *runlog.Event, d *observe.Observation) (observation, bool, error) {
	text, has, err := c.filled(e, d.Left)
	if err != nil || !has {
		return observation{}, false, err
	}
	var v any
	if d.Right != nil {
		if v, has = c.at(e, *d.Right); !has {
			return observation{}, false, nil
		}
	}
	t, err := c.expression(text)
	if err != nil {
		return observation{}, false, err
	}
	if d.Right == nil {
		if t.Sort != logic.Bool {
			return observation{}, false,
				fmt.Errorf("%s has sort %s, and is no formula", text, t.Sort)
		}
		return observation{text: text, formula: t}, true, nil
	}
	o, err := c.equation(text, t, v)
	return o, err == nil, err
}

// equation observes that a term has a value.
func (c *Checker) equation(text string, t *logic.Term, v any) (observation, error) {
	s := t.Sort
	x, err := c.value(s, v)
	if err != nil {
		return observation{}, err
	}
	return observation{text: text, term: t, value: x, notation: s,
		formula: logic.Eq(t, logic.Literal(s, x))}, nil
}

// recorded reads the observations of a record: a variable, or an expression, and its value. The
// value of a variable with arguments is an object of arguments and values, or for a relation the
// list of everything in it. Where the first argument is missing it is the node of the event.
func (c *Checker) recorded(e *runlog.Event) (out []observation, err error) {
	var keys []string
	for k := range e.Obs {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		i := slices.IndexFunc(c.spec.System.Symbols, func(s *logic.Symbol) bool {
			return s.Name == k
		})
		var list []observation
		if i >= 0 {
			list, err = c.symbol(e, c.spec.System.Symbols[i], e.Obs[k])
		} else {
			var t *logic.Term
			if t, err = c.expression(k); err == nil {
				var o observation
				o, err = c.equation(k, t, e.Obs[k])
				list = []observation{o}
			}
		}
		if err != nil {
			return nil, fmt.Errorf("observation %s: %w", k, err)
		}
		out = append(out, list...)
	}
	for i := range out {
		out[i].index = -1
	}
	return out, nil
}

// symbol observes values of a variable. An empty list is about the node where the relation may have
// it as its first argument.
func (c *Checker) symbol(e *runlog.Event, s *logic.Symbol, v any) ([]observation, error) {
	if depth(v) != len(s.Args)-1 {
		return c.points(s, nil, v)
	}
	node, err := c.value(s.Args[0], e.Node)
	list, isList := v.([]any)
	switch {
	case err != nil && isList && len(list) == 0:
		return c.points(s, nil, v)
	case e.Node == "":
		return nil, fmt.Errorf("%s has an argument that is neither given nor the node of the "+
			"event, which has none", s.Signature())
	case err != nil:
		return nil, fmt.Errorf("the node of the event as the first argument of %s: %w",
			s.Signature(), err)
	}
	return c.points(s, []int64{node}, v)
}

// depth is the number of arguments that a value of a variable has. An empty list may have more than
// it shows.
func depth(v any) int {
	switch v := v.(type) {
	case map[string]any:
		most := 0
		for _, inner := range v {
			most = max(most, depth(inner))
		}
		return 1 + most
	case []any:
		if len(v) > 0 {
			if tuple, ok := v[0].([]any); ok {
				return len(tuple)
			}
		}
		return 1
	}
	return 0
}

// points observes the values of a variable at the points with the given first arguments.
func (c *Checker) points(s *logic.Symbol, args []int64, v any) ([]observation, error) {
	rest := s.Args[len(args):]
	switch v := v.(type) {
	case map[string]any:
		if len(rest) == 0 {
			return nil, fmt.Errorf("%s has %d arguments, and the object has more", s.Signature(),
				len(s.Args))
		}
		var keys []string
		for k := range v {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		var out []observation
		for _, k := range keys {
			x, err := c.value(rest[0], k)
			if err != nil {
				return nil, err
			}
			list, err := c.points(s, append(slices.Clip(args), x), v[k])
			if err != nil {
				return nil, err
			}
			out = append(out, list...)
		}
		return out, nil
	case []any:
		return c.extension(s, args, v)
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf(
			"%s has %d arguments: its value is an object of arguments and values", s.Signature(),
			len(s.Args))
	}
	terms := make([]*logic.Term, len(args))
	for i, x := range args {
		terms[i] = logic.Literal(s.Args[i], x)
	}
	t := logic.App(s, logic.Pre, terms...)
	x, err := c.value(s.Result, v)
	if err != nil {
		return nil, err
	}
	name := logic.Printer{Style: logic.Stateless}.Term(t)
	return []observation{{text: name, term: t, value: x, notation: s.Result,
		formula: logic.Eq(t, logic.Literal(s.Result, x))}}, nil
}

// extension observes a whole relation: the listed tuples are in it, and no others.
func (c *Checker) extension(s *logic.Symbol, args []int64, list []any) ([]observation, error) {
	rest := s.Args[len(args):]
	if s.Result.Kind != logic.KindBool || len(rest) == 0 {
		return nil, fmt.Errorf("a list is the value of a relation, and %s is none", s.Signature())
	}
	prefix := make([]*logic.Term, len(args))
	for i, x := range args {
		prefix[i] = logic.Literal(s.Args[i], x)
	}
	vars := make([]*logic.Var, len(rest))
	for i, r := range rest {
		if r.Kind == logic.KindInt {
			return nil, errors.New("a relation over all integers cannot be listed")
		}
		vars[i] = &logic.Var{Name: fmt.Sprintf("X%d", i+1), Sort: r}
	}
	members := logic.False
	for _, item := range list {
		tuple, ok := item.([]any)
		if !ok {
			tuple = []any{item}
		}
		if len(tuple) != len(rest) {
			return nil, fmt.Errorf("%s needs %d arguments, and %v has %d", s.Signature(), len(rest),
				item, len(tuple))
		}
		same := logic.True
		for i, v := range tuple {
			x, err := c.value(rest[i], v)
			if err != nil {
				return nil, err
			}
			same = logic.And(same, logic.Eq(logic.Ref(vars[i]), logic.Literal(rest[i], x)))
		}
		members = logic.Or(members, same)
	}
	t := logic.App(s, logic.Pre, append(prefix, logic.Refs(vars)...)...)
	return []observation{{
		text:    fmt.Sprintf("%s is as listed", s.Name),
		formula: logic.Forall(vars, logic.Iff(t, members)),
	}}, nil
}

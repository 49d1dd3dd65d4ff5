package conformance

import (
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/conformance/observe"
	"erelong.dev/erelong/internal/conformance/runlog"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// problem is a log as the search sees it.
type problem struct {
	name    string
	order   observe.Order
	events  []*event // without the ignored ones, in the order of the file
	ignored []*runlog.Event
	lanes   []lane
	sends   map[string]position // of the messages that the log sends
	nexts   []*event            // that can come next; see next
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
type alternative struct{ calls []call }

// call is a step with the arguments that are known.
type call struct {
	action *system.Action
	args   []argument
	shown  string // the name of the action in the file
	given  []shownArgument
}

// shownArgument is an argument as messages write it: an argument of the system, or a text.
type shownArgument struct {
	name string
	arg  int // index; negative for the text
	text string
}

// argument is the value of a parameter or choice. The term is nil for a value that does not depend
// on the state.
type argument struct {
	name  string
	sort  *logic.Sort
	value int64
	term  *logic.Term
	needs *logic.Term // of a term: the condition under which it has a value
}

// observation is a statement about the state after an event.
type observation struct {
	text     string
	index    int         // of the declaration, negative for a field of the record's observations
	formula  *logic.Term // that is true
	term     *logic.Term // with a value; nil for a formula
	value    int64
	notation *logic.Sort // of the value
	// Of structured data: the symbol, the point, and the value in the words of the specification.
	of        *result.StructuredSymbol
	key, seen string
}

func eventError(log string, e *runlog.Event, format string, args ...any) error {
	if e.File != "" {
		log = e.File
	}
	return &runlog.Error{File: log, Line: e.Line, Column: 1, Message: fmt.Sprintf(format, args...)}
}

// problem prepares a log.
func (c *Checker) problem(name string, events []*runlog.Event) (*problem, error) {
	p := &problem{name: name}
	for _, e := range events {
		if c.ignores(e) {
			p.ignored = append(p.ignored, e)
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
	out := c.remembered.events.New()
	out.Event = e
	declared := false
	for _, d := range c.file.Events {
		if d.Name != e.Name {
			continue
		}
		declared = true
		if !c.meets(e, d.If) {
			continue
		}
		ways, err := c.caller().ways(e, d)
		if err != nil {
			return nil, eventError(log, e, "event %s, declared in %s:%d: %v", e.Name,
				c.file.Name, d.Line, err)
		}
		out.alternatives = append(out.alternatives, ways...)
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
			made := call{action: a, shown: c.caller().shown(a)}
			out.alternatives = append(out.alternatives, alternative{[]call{made}})
		}
	default:
		ways, err := c.remembered.steps(e, c.caller().direct)
		if err != nil {
			return nil, eventError(log, e, "%v", err)
		}
		out.alternatives = ways
	}
	var err error
	if out.observations, err = c.observations(e); err != nil {
		return nil, eventError(log, e, "%v", err)
	}
	return out, nil
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
	p, err := c.expression(text)
	if err != nil {
		return observation{}, false, err
	}
	if d.Right == nil {
		if p.term.Sort != logic.Bool {
			return observation{}, false,
				fmt.Errorf("%s has sort %s, and is no formula", text, p.term.Sort)
		}
		return observation{text: text, formula: p.term}, true, nil
	}
	o, err := c.equation(text, p, v)
	return o, err == nil, err
}

// equation observes that a term has a value.
func (c *Checker) equation(text string, p *partial, v any) (observation, error) {
	t, s := p.term, p.term.Sort
	x, err := c.value(s, v)
	if err != nil {
		return observation{}, err
	}
	return observation{text: text, term: t, value: x, notation: s,
		formula: logic.And(p.needs, logic.Eq(t, logic.Literal(s, x)))}, nil
}

// recorded reads the observations of a record: a variable, or an expression, and its value. The
// value of a variable with arguments is an object of arguments and values, or for a relation the
// list of everything in it. Where the first argument is missing it is the node of the event.
func (c *Checker) recorded(e *runlog.Event) (out []observation, err error) {
	with := structures{c, c.literals()}
	out = c.remembered.observations.Room(len(e.Obs))
	for _, f := range e.Obs {
		if s := with.symbol(f.Name); s != nil {
			var list []observation
			list, err = with.structured(e, s, f.Value)
			out = append(out, list...)
		} else if s := system.SymbolOf(c.spec.System, f.Name); s != nil {
			out, err = c.symbol(out, e, s, f.Value)
		} else {
			var p *partial
			if p, err = c.expression(f.Name); err == nil {
				var o observation
				o, err = c.equation(f.Name, p, f.Value)
				out = append(out, o)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("observation %s: %w", f.Name, err)
		}
	}
	for i := range out {
		out[i].index = -1
	}
	return out, nil
}

// symbol observes values of a variable. An empty list is about the node where the relation may have
// it as its first argument.
func (c *Checker) symbol(
	out []observation, e *runlog.Event, s *logic.Symbol, v any,
) ([]observation, error) {
	if depth(v) != len(s.Args)-1 {
		return c.points(out, s, nil, v)
	}
	node, err := c.valueNamed(s.Args[0], e.Node, false)
	list, isList := v.([]any)
	switch {
	case err != nil && isList && len(list) == 0:
		return c.points(out, s, nil, v)
	case e.Node == "":
		return nil, fmt.Errorf("%s has an argument that is neither given nor the node of the "+
			"event, which has none", s.Signature())
	case err != nil:
		return nil, fmt.Errorf("the node of the event as the first argument of %s: %w",
			s.Signature(), err)
	}
	return c.points(out, s, []int64{node}, v)
}

// depth is the number of arguments that a value of a variable has. An empty list may have more than
// it shows.
func depth(v any) int {
	switch v := v.(type) {
	case runlog.Object:
		most := 0
		for _, f := range v {
			most = max(most, depth(f.Value))
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

// points adds the values of a variable at the points with the given first arguments.
func (c *Checker) points(
	out []observation, s *logic.Symbol, args []int64, v any,
) ([]observation, error) {
	rest := s.Args[len(args):]
	switch v := v.(type) {
	case runlog.Object:
		if len(rest) == 0 {
			return nil, fmt.Errorf("%s has %d arguments, and the object has more", s.Signature(),
				len(s.Args))
		}
		for _, f := range v {
			x, err := c.valueNamed(rest[0], f.Name, false)
			if err != nil {
				return nil, err
			}
			if out, err = c.points(out, s, append(slices.Clip(args), x), f.Value); err != nil {
				return nil, err
			}
		}
		return out, nil
	case []any:
		o, err := c.extension(s, args, v)
		return append(out, o), err
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf(
			"%s has %d arguments: its value is an object of arguments and values", s.Signature(),
			len(s.Args))
	}
	x, err := c.value(s.Result, v)
	if err != nil {
		return nil, err
	}
	return append(out, c.remembered.seenAt(s, args, x)), nil
}

// extension observes a whole relation: the listed tuples are in it, and no others.
func (c *Checker) extension(s *logic.Symbol, args []int64, list []any) (o observation, err error) {
	rest := s.Args[len(args):]
	if s.Result.Kind != logic.KindBool || len(rest) == 0 {
		return o, fmt.Errorf("a list is the value of a relation, and %s is none", s.Signature())
	}
	prefix := make([]*logic.Term, len(args))
	for i, x := range args {
		prefix[i] = logic.Literal(s.Args[i], x)
	}
	vars := make([]*logic.Var, len(rest))
	for i, r := range rest {
		if r.Kind == logic.KindInt {
			return o, errors.New("a relation over all integers cannot be listed")
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
			return o, fmt.Errorf("%s needs %d arguments, and %v has %d", s.Signature(), len(rest),
				item, len(tuple))
		}
		same := logic.True
		for i, v := range tuple {
			x, err := c.value(rest[i], v)
			if err != nil {
				return o, err
			}
			same = logic.And(same, logic.Eq(logic.Ref(vars[i]), logic.Literal(rest[i], x)))
		}
		members = logic.Or(members, same)
	}
	t := logic.App(s, logic.Pre, append(prefix, logic.Refs(vars)...)...)
	return observation{text: s.Name + " is as listed",
		formula: logic.Forall(vars, logic.Iff(t, members))}, nil
}

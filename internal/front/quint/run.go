package quint

import (
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/tla"
	"erelong.dev/erelong/internal/front/tla/syntax"
)

// A run is a sequence of stages: actions, expectations and choices. Its system has the variables of
// the file, which have no values at first, the place of the next stage, the choices, and a counter
// for each reps. A stage is an action that is possible at its place. The run succeeds if in each
// state the next stage is possible, or there is none.
//
// So a run that succeeds here does so for all of its choices; `quint test` takes some at random.

// Names of the variables of a run, and of what a variable is that has no value.
const (
	placeName  = "run::place"
	absentName = "run::none"
)

// stage is a part of a run.
type stage struct {
	name    string
	formula syntax.Expr // of the step, without what follows
	chosen  string      // the choice that it makes; empty for none
	span    diag.Span
	cond    syntax.Expr // where the run goes on: nil for yes, else by a condition of the state
	yes, no jump
}

// jump is where a run goes on: at a stage, with new values of a counter.
type jump struct {
	to      int
	counter string // empty for none
	value   syntax.Expr
}

// scenario makes the stages of a run.
type scenario struct {
	*maker
	file     *file
	stages   []*stage
	locals   []syntax.Unit // definitions around what is made
	counters []syntax.Name
	choices  []syntax.Name
	inlining map[string]bool
}

// run is the system of a run.
func (f *file) run(d *declaration) *tla.Made {
	m := f.maker(false, true)
	mod := f.module(m)
	s := &scenario{maker: m, file: f, inlining: map[string]bool{}}
	m.within = d
	off := false
	cfg := &syntax.Config{CheckDeadlock: &off, InitialStep: true}
	m.protect(func() {
		end := s.reserve()
		first := s.sequence(d.Expr, jump{to: end})
		s.units(mod, cfg, d, first, end)
	})
	return &tla.Made{Language: "a Quint specification", Source: f.places.source, Module: mod,
		Config: cfg, Silent: true, Shows: func(name string) tla.Form {
			if name == placeName || slices.ContainsFunc(s.counters, func(n syntax.Name) bool {
				return n.Text == name
			}) {
				return &typ{Kind: "int"}
			}
			return f.shows(name)
		}}
}

// reserve makes a place for a stage.
func (s *scenario) reserve() int {
	s.stages = append(s.stages, nil)
	return len(s.stages) - 1
}

// add makes a stage, and gives the jump to it.
func (s *scenario) add(name string, x *expression, formula syntax.Expr, next jump) jump {
	i := s.reserve()
	s.stages[i] = &stage{name: name, formula: s.local(x, formula), span: s.span(x.ID), yes: next}
	return jump{to: i}
}

// local puts a formula within the definitions around.
func (s *scenario) local(x *expression, formula syntax.Expr) syntax.Expr {
	for _, u := range slices.Backward(s.locals) {
		formula = &syntax.Let{At: s.at(x.ID), Units: []syntax.Unit{u}, Body: formula}
	}
	return formula
}

// sequence makes the stages of an expression, after which the run goes on at next. The last stage
// is made first.
func (s *scenario) sequence(x *expression, next jump) jump {
	if !s.composed(x) {
		return s.action(x, next)
	}
	switch x.Kind {
	case "name":
		return s.inlined(x, x.Name, nil, next)
	case "let":
		if x.Def.Qualifier == "nondet" {
			return s.choice(x, next)
		}
		return s.under([]syntax.Unit{s.definition(x.Def)}, func() jump {
			return s.sequence(x.Expr, next)
		})
	}
	switch x.Opcode {
	case "then":
		return s.sequence(x.Args[0], s.sequence(x.Args[1], next))
	case "expect":
		check := s.add("expect", x, s.unchanged(x.ID, s.expr(x.Args[1])), next)
		return s.sequence(x.Args[0], check)
	case "fail":
		return s.failing(x.Args[0], next)
	case "reps":
		return s.repeated(x, next)
	case "ite":
		return s.conditional(x, next)
	case "actionAll", "and":
		return s.all(x, next)
	default:
		if s.defs[x.Opcode] != nil {
			return s.inlined(x, x.Opcode, x.Args, next)
		}
	}
	s.fail(x, "a run within %s is not supported", x.Opcode)
	return jump{}
}

// all makes the stages of a conjunction whose last part is a run. The parts before it are about the
// state in which it begins.
func (s *scenario) all(x *expression, next jump) jump {
	last := len(x.Args) - 1
	before := &expression{ID: x.ID, Kind: "app", Opcode: x.Opcode, Args: x.Args[:last]}
	assigned := map[string]bool{}
	s.assigned(before, assigned, map[string]bool{})
	if s.composed(before) || len(assigned) > 0 {
		s.fail(x, "a run beside other actions is not supported")
	}
	rest := s.sequence(x.Args[last], next)
	if last == 0 {
		return rest
	}
	return s.action(before, rest)
}

// under makes stages within definitions.
func (s *scenario) under(units []syntax.Unit, f func() jump) jump {
	before := s.locals
	s.locals = append(slices.Clip(s.locals), units...)
	defer func() { s.locals = before }()
	return f()
}

// inlined makes the stages of the body of an operator.
func (s *scenario) inlined(
	x *expression, name string, args []*expression, next jump,
) jump {
	d := s.defs[name]
	body := d.Expr
	if s.inlining[name] {
		s.fail(x, "the run %s uses itself", name)
	}
	s.inlining[name] = true
	defer delete(s.inlining, name)
	var units []syntax.Unit
	if body.Kind == "lambda" {
		for i, p := range body.Params {
			if args[i].Kind == "lambda" {
				s.fail(x, "an operator as an argument of a run is not supported")
			}
			units = append(units, &syntax.Definition{Name: s.name(p.Name, p.ID),
				Body: s.expr(args[i]), Span: s.span(p.ID)})
		}
		body = body.Expr
	}
	return s.under(units, func() jump { return s.sequence(body, next) })
}

// choice makes a stage that chooses, once for all that follows.
func (s *scenario) choice(x *expression, next jump) jump {
	rest := s.sequence(x.Expr, next)
	name := s.name(x.Def.Name, x.Def.ID)
	if !slices.ContainsFunc(s.choices, func(n syntax.Name) bool { return n.Text == name.Text }) {
		s.choices = append(s.choices, name)
	}
	made := s.call(x.ID, `\in`, s.call(x.ID, "'", use(name)), s.chosen(x.Def.Expr))
	at := s.add("choose "+short(x.Def.Name), x, s.unchanged(x.ID, made), rest)
	s.stages[at.to].chosen = name.Text
	return at
}

// conditional makes a stage that finds out where to go on.
func (s *scenario) conditional(x *expression, next jump) jump {
	at := s.add("if", x, s.unchanged(x.ID, s.call(x.ID, "TRUE")), jump{})
	st := s.stages[at.to]
	st.cond = s.local(x, s.expr(x.Args[0]))
	st.yes, st.no = s.sequence(x.Args[1], next), s.sequence(x.Args[2], next)
	return at
}

// repeated makes the stages of a loop. Its counter is the parameter of its body.
func (s *scenario) repeated(x *expression, next jump) jump {
	f := x.Args[1]
	if f.Kind != "lambda" || len(f.Params) != 1 {
		s.fail(x, "the second argument of reps is an operator i => A")
	}
	counter := s.name(f.Params[0].Name, f.Params[0].ID)
	if !slices.ContainsFunc(s.counters, func(n syntax.Name) bool {
		return n.Text == counter.Text
	}) {
		s.counters = append(s.counters, counter)
	}
	head := s.add("reps", x, s.unchanged(x.ID, s.call(x.ID, "TRUE")), jump{})
	st := s.stages[head.to]
	st.cond = s.local(x, s.call(x.ID, "<", use(counter), s.expr(x.Args[0])))
	st.yes = s.sequence(f.Expr, jump{head.to, counter.Text,
		s.call(x.ID, "+", use(counter), s.number(x.ID, 1))})
	st.no = next
	return jump{head.to, counter.Text, s.number(x.ID, 0)}
}

// failing makes the stages of a run whose last action must be impossible.
func (s *scenario) failing(x *expression, next jump) jump {
	if s.composed(x) && x.Kind == "app" && x.Opcode == "then" {
		return s.sequence(x.Args[0], s.failing(x.Args[1], next))
	}
	if s.composed(x) {
		s.fail(x, "fail is supported of an action, and of a run that ends with one")
	}
	impossible := s.call(x.ID, `\lnot`, s.call(x.ID, "ENABLED", s.complete(x)))
	return s.add("fail", x, s.unchanged(x.ID, impossible), next)
}

// action makes a stage of an action.
func (s *scenario) action(x *expression, next jump) jump {
	return s.add(s.label(x), x, s.complete(x), next)
}

// complete is an action that gives values to all variables of the file. What it assigns nothing
// keeps its value, if it assigns nothing at all.
func (s *scenario) complete(x *expression) syntax.Expr {
	assigned := map[string]bool{}
	s.assigned(x, assigned, map[string]bool{})
	formula := s.expr(x)
	items := []syntax.Expr{formula}
	for _, d := range s.variables() {
		if assigned[d.Name] {
			continue
		}
		n := s.name(d.Name, x.ID)
		if len(assigned) == 0 {
			items = append(items, s.call(x.ID, "=", s.call(x.ID, "'", use(n)), use(n)))
		} else {
			items = append(items, s.call(x.ID, "=", s.call(x.ID, "'", use(n)),
				s.call(x.ID, absentName)))
		}
	}
	return &syntax.Junction{At: s.at(x.ID), And: true, Items: items}
}

func (s *scenario) variables() (out []*declaration) {
	for _, d := range s.file.main.Declarations {
		if d.Kind == "var" {
			out = append(out, d)
		}
	}
	return out
}

// unchanged is a formula, and that the variables of the file keep their values.
func (s *scenario) unchanged(id number, formula syntax.Expr) syntax.Expr {
	items := []syntax.Expr{formula}
	for _, d := range s.variables() {
		n := s.name(d.Name, id)
		items = append(items, s.call(id, "=", s.call(id, "'", use(n)), use(n)))
	}
	return &syntax.Junction{At: s.at(id), And: true, Items: items}
}

// composed reports whether an expression is made of several steps.
func (s *scenario) composed(x *expression) bool { return s.isComposed(x, map[string]bool{}) }

func (s *scenario) isComposed(x *expression, seen map[string]bool) (found bool) {
	x.each(func(y *expression) {
		name := y.Name
		if y.Kind == "app" {
			name = y.Opcode
			switch name {
			case "then", "reps", "expect", "fail":
				found = found || s.defs[name] == nil
			}
		}
		if d := s.defs[name]; d != nil && d.Expr != nil && !seen[name] {
			seen[name] = true
			found = s.isComposed(d.Expr, seen) || found
		}
	})
	return found
}

// assigned collects the variables to which an action may give values.
func (s *scenario) assigned(x *expression, out, seen map[string]bool) {
	x.each(func(y *expression) {
		name := y.Name
		if y.Kind == "app" {
			if name = y.Opcode; name == "assign" {
				out[y.Args[0].Name] = true
			}
		}
		if d := s.defs[name]; d != nil && d.Expr != nil && !seen[name] {
			seen[name] = true
			s.assigned(d.Expr, out, seen)
		}
	})
}

// label is what a step of an action is called.
func (s *scenario) label(x *expression) string {
	switch {
	case x.Kind == "name":
		return short(x.Name)
	case x.Kind == "app" && s.defs[x.Opcode] != nil:
		return short(x.Opcode)
	case x.Kind == "app" && x.Opcode == "actionAll":
		for _, a := range x.Args {
			if l := s.label(a); l != "step" {
				return l
			}
		}
	}
	return "step"
}

func short(name string) string { return name[strings.LastIndex(name, ":")+1:] }

// units adds the variables and the actions of a run to the module.
func (s *scenario) units(
	mod *syntax.Module, cfg *syntax.Config, d *declaration, first jump, end int,
) {
	at, id := s.span(d.ID), d.ID
	name := func(text string) syntax.Name { return syntax.Name{Text: text, Span: at} }
	place := name(placeName)
	mod.Units = append(mod.Units,
		&syntax.Variables{Names: slices.Concat([]syntax.Name{place}, s.counters, s.choices)},
		&syntax.Constants{Decls: []syntax.Decl{{Name: name(absentName)}}})
	cfg.Assignments = []syntax.Assignment{{Name: name(absentName), Value: use(name(absentName))}}
	define := func(n string, body syntax.Expr, at diag.Span) syntax.Name {
		out := syntax.Name{Text: n, Span: at}
		mod.Units = append(mod.Units, &syntax.Definition{Name: out, Body: body, Span: at})
		return out
	}
	cfg.Init = define("run::init", s.start(id, first), at)
	possible := &syntax.Junction{At: s.at(id), Items: []syntax.Expr{
		s.call(id, "=", use(place), s.number(id, int64(end)))}}
	next := &syntax.Junction{At: s.at(id)}
	for i, st := range slices.Backward(s.stages) {
		if st == nil {
			continue
		}
		here := s.call(id, "=", use(place), s.number(id, int64(i)))
		goes := s.goes(id, st.yes)
		if st.cond != nil {
			goes = &syntax.If{At: s.at(id), Cond: st.cond, Then: goes, Else: s.goes(id, st.no)}
		}
		body := &syntax.Junction{At: syntax.At{Where: st.span}, And: true,
			Items: []syntax.Expr{here, st.formula, goes}}
		for _, c := range s.choices {
			if st.chosen != c.Text {
				body.Items = append(body.Items, s.becomes(id, c, use(c)))
			}
		}
		n := use(define(fmt.Sprintf("%s::%d", st.name, i), body, st.span))
		next.Items = append(next.Items, n)
		possible.Items = append(possible.Items, &syntax.Junction{At: s.at(id), And: true,
			Items: []syntax.Expr{here, s.call(id, "ENABLED", n)}})
	}
	cfg.Next = define("run::next", next, at)
	claim := define(d.Name, possible, at)
	if strings.HasSuffix(d.Name, "Test") {
		cfg.Invariants = []syntax.Name{claim}
	} else {
		cfg.Tried = []syntax.Name{claim}
	}
}

// becomes gives a variable a value.
func (s *scenario) becomes(id number, n syntax.Name, v syntax.Expr) syntax.Expr {
	return s.call(id, "=", s.call(id, "'", use(n)), v)
}

// start is the state before a run.
func (s *scenario) start(id number, first jump) syntax.Expr {
	out := &syntax.Junction{At: s.at(id), And: true}
	none := s.choices
	for _, v := range s.variables() {
		none = append(none, s.name(v.Name, v.ID))
	}
	for _, n := range none {
		out.Items = append(out.Items, s.becomes(id, n, s.call(id, absentName)))
	}
	place := syntax.Name{Text: placeName, Span: s.span(id)}
	out.Items = append(out.Items, s.becomes(id, place, s.number(id, int64(first.to))))
	for _, c := range s.counters {
		out.Items = append(out.Items, s.becomes(id, c, s.number(id, 0)))
	}
	return out
}

// goes says where a run goes on, and what the counters are then.
func (s *scenario) goes(id number, j jump) syntax.Expr {
	place := syntax.Name{Text: placeName, Span: s.span(id)}
	out := &syntax.Junction{At: s.at(id), And: true, Items: []syntax.Expr{
		s.becomes(id, place, s.number(id, int64(j.to)))}}
	for _, c := range s.counters {
		v := use(c)
		if c.Text == j.counter {
			v = j.value
		}
		out.Items = append(out.Items, s.becomes(id, c, v))
	}
	return out
}

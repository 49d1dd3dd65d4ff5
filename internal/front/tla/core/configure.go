package core

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/tla/syntax"
	"erelong.dev/erelong/internal/value"
)

// configure gives the constants their values.
func (s *Spec) configure(c *syntax.Config) {
	for _, a := range c.Assignments {
		protect(func() { s.assign(a) })
	}
	for _, r := range c.Replacements {
		s.replace(r)
	}
	var missing []string
	var first *constant
	for _, n := range s.root.order {
		k, ok := s.root.names[n].(*constant)
		if ok && k.value == nil && k.by == nil && k.points == nil {
			missing = append(missing, n)
			if first == nil {
				first = k
			}
		}
	}
	if first != nil {
		d := s.Errs.Errorf(diag.MissingValue, first.decl.Name.Span,
			"the configuration gives no value to %s", strings.Join(missing, ", "))
		var lines []string
		for _, n := range missing {
			lines = append(lines, fmt.Sprintf("CONSTANT %s = ..", n))
		}
		d.Suggest("Add to the .cfg file: %s. Or run erelong infer, which needs no values.",
			strings.Join(lines, "; "))
	}
}

// assign gives a constant a value: C = v, or C(v) = w.
func (s *Spec) assign(a syntax.Assignment) {
	v := s.constantValue(a.Value)
	if a.Module.Text != "" {
		s.replaceIn(a.Name, a.Module, &constant{decl: syntax.Decl{Name: a.Name}, value: v})
		return
	}
	if v.Kind() == value.Model && v.Text() == a.Name.Text && s.root.find(a.Name.Text) == nil {
		return // `p = p` says that p is a model value, which any name is
	}
	switch m := s.named(a.Name).(type) {
	case *constant:
		if len(a.Params) == 0 {
			m.value = v
			return
		}
		p := point{value: v}
		for _, x := range a.Params {
			p.args = append(p.args, s.constantValue(x))
		}
		m.points = append(m.points, p)
	case *operator:
		m.by = &constant{decl: syntax.Decl{Name: a.Name}, value: v}
	}
}

// named is the meaning of a name of the root module. Another name gets a warning.
func (s *Spec) named(n syntax.Name) meaning {
	m := s.root.find(n.Text)
	switch m.(type) {
	case *constant, *operator:
		return m
	}
	d := s.Errs.Warnf(diag.NoEffect, n.Span, "module %s has no constant or definition '%s': the "+
		"line has no effect", s.Root.Name.Text, n.Text)
	if near := diag.Closest(n.Text, s.root.all()); near != "" {
		d.Suggest("Did you mean '%s'?", near)
	}
	return nil
}

// replace puts a definition in the place of another: C <- D, or in a module C <- [M] D.
func (s *Spec) replace(r syntax.Replacement) {
	by := s.root.find(r.By.Text)
	if by == nil {
		s.named(r.By)
		return
	}
	if r.Module.Text != "" {
		s.replaceIn(r.Name, r.Module, by)
		return
	}
	switch m := s.named(r.Name).(type) {
	case *constant:
		m.by = by
	case *operator:
		m.by = by
	}
}

// replaceIn replaces a name in a module that the root extends or has an instance of.
func (s *Spec) replaceIn(name, module syntax.Name, by meaning) {
	found := false
	for _, sc := range s.scopes {
		if sc.theme != module.Text {
			continue
		}
		switch m := sc.names[name.Text].(type) {
		case *constant:
			m.by, found = by, true
		case *operator:
			m.by, found = by, true
		}
	}
	if sc := s.standard[module.Text]; sc != nil {
		if m, ok := sc.names[name.Text].(*operator); ok {
			m.by, found = by, true
		}
	}
	if s.replaced == nil {
		s.replaced = map[[2]string]meaning{}
	}
	s.replaced[[2]string{module.Text, name.Text}] = by // in instances that are made later
	if !found && s.parsed[module.Text] == nil {
		s.syntaxOf(module)
	}
}

// constantValue is the value that a configuration writes. A name is a model value.
func (s *Spec) constantValue(x syntax.Expr) *value.Value {
	switch x := x.(type) {
	case *syntax.Number:
		e := &elaborator{Spec: s}
		return e.number(x).(*Literal).Value
	case *syntax.String:
		return s.Space.String(x.Value)
	case *syntax.SetOf:
		var elems []*value.Value
		for _, y := range x.Elems {
			elems = append(elems, s.constantValue(y))
		}
		return value.SetOf(elems...)
	case *syntax.Apply:
		switch {
		case x.Name.Text == "-." && len(x.Args) == 1:
			return s.Space.Integer(new(big.Int).Neg(s.constantValue(x.Args[0]).Integer()))
		case x.Name.Text == "TRUE" || x.Name.Text == "FALSE":
			return s.Space.Bool(x.Name.Text == "TRUE")
		case len(x.Args) == 0:
			return s.Space.Model(x.Name.Text)
		}
	}
	e := &elaborator{Spec: s}
	e.fail(diag.BadValue, x.Span(), "a configuration gives numbers, strings, truth values, model "+
		"values and sets of these")
	return nil
}

// ModelSet is a constant that is a set of model values.
type ModelSet struct {
	Name string
	Set  *value.Value
}

// ModelSets are the constants of the root module that are sets of model values, in their order.
func (m *Model) ModelSets() (out []ModelSet) {
	for _, c := range m.sets {
		v := c.value
		if v == nil {
			var err error
			if v, err = m.evaluate(c.node, m.Frame); err != nil {
				continue // what is checked needs no value of it
			}
		}
		if v.Kind() == value.Set && value.Size(v) > 0 &&
			!slices.ContainsFunc(v.Listed(), func(e *value.Value) bool {
				return e.Kind() != value.Model
			}) {
			out = append(out, ModelSet{c.name, v})
		}
	}
	return out
}

// constantSet is a constant with its value, or with what computes it.
type constantSet struct {
	name  string
	value *value.Value
	node  Node
}

// constants lists the constants that may be sets.
func (m *Model) constants(e *elaborator) {
	for _, n := range m.root.order {
		k, ok := m.root.names[n].(*constant)
		if !ok {
			continue
		}
		switch by := resolved(k).(type) {
		case *constant:
			if by.value != nil {
				m.sets = append(m.sets, constantSet{name: n, value: by.value})
			}
		case *operator:
			if by.body == nil || len(by.params) > 0 {
				continue
			}
			protect(func() {
				m.sets = append(m.sets,
					constantSet{name: n, node: e.value(by.body, by.scope)})
			})
		}
	}
}

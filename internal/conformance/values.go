package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"erelong.dev/erelong/internal/conformance/observe"
	"erelong.dev/erelong/internal/conformance/runlog"
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
)

// names says what a log calls values.
type names struct {
	sorts map[*logic.Sort]map[string]int64 // of the elements of a sort
	any   map[string]string                // of any values
}

// nameElements defines the names of elements, such as node0, for expressions.
func (c *Checker) nameElements() {
	c.elements = map[string]*logic.Term{}
	shared := map[string]bool{}
	for _, s := range c.spec.System.Sorts {
		if s.Kind != logic.KindUninterpreted {
			continue
		}
		for i := range c.model.Instance.Sizes[s] {
			name := c.show(s, int64(i))
			shared[name] = c.elements[name] != nil
			c.elements[name] = logic.Member(s, i)
		}
	}
	for name, yes := range shared {
		if yes {
			delete(c.elements, name)
		}
	}
}

func (c *Checker) show(s *logic.Sort, v int64) string { return show(c.model, s, v) }

// show names a value of a sort.
func show(m *interp.Model, s *logic.Sort, v int64) string {
	return m.ArgBindings([]interp.Arg{{Var: &logic.Var{Sort: s}, Value: v}})[0].Value.String()
}

// bindNames reads the declarations of names.
func (c *Checker) bindNames() error {
	c.names = names{sorts: map[*logic.Sort]map[string]int64{}, any: map[string]string{}}
	for _, n := range c.file.Names {
		if n.Sort == "" {
			if old, ok := c.names.any[n.Log[0]]; ok && old != n.Values[0] {
				return c.declError(n.Line, "%q already stands for %s", n.Log[0], old)
			}
			c.names.any[n.Log[0]] = n.Values[0]
			continue
		}
		i := slices.IndexFunc(c.spec.System.Sorts, func(s *logic.Sort) bool {
			return s.Name == n.Sort
		})
		if i < 0 {
			return c.declError(n.Line, "the specification has no sort %q", n.Sort)
		}
		s := c.spec.System.Sorts[i]
		if c.names.sorts[s] != nil {
			return c.declError(n.Line, "the names of %s are declared twice", s)
		}
		c.names.sorts[s] = map[string]int64{}
		size := len(s.Members)
		if s.Kind == logic.KindUninterpreted {
			size = c.model.Instance.Sizes[s]
		} else if len(n.Log) > size {
			return c.declError(n.Line, "%s has %d members, and %d names are declared", s, size,
				len(n.Log))
		}
		for k, name := range n.Log {
			if k >= size { // of a larger instance
				break
			}
			if _, twice := c.names.sorts[s][name]; twice {
				return c.declError(n.Line, "%q stands for two elements", name)
			}
			c.names.sorts[s][name] = int64(k)
		}
	}
	return nil
}

// declError is an error about a declaration.
func (c *Checker) declError(line int, format string, args ...any) error {
	return &runlog.Error{File: c.file.Name, Line: line, Column: 1,
		Message: fmt.Sprintf(format, args...)}
}

// value converts a value of a record to a value of a sort.
func (c *Checker) value(s *logic.Sort, v any) (int64, error) {
	if b, ok := v.(bool); ok {
		if s.Kind != logic.KindBool {
			return 0, fmt.Errorf("%t is not a value of %s", b, s)
		}
		if b {
			return 1, nil
		}
		return 0, nil
	}
	if c.coder.has(s) {
		return c.coder.code(s, v)
	}
	switch v := v.(type) {
	case string:
		return c.valueNamed(s, v, false)
	case json.Number:
		return c.valueNamed(s, v.String(), true)
	case nil:
		return 0, fmt.Errorf("null is not a value of %s", s)
	}
	return 0, fmt.Errorf("a list or an object is not a value of %s", s)
}

// valueNamed is the value of a sort that a text or a number stands for.
func (c *Checker) valueNamed(s *logic.Sort, text string, isNumber bool) (int64, error) {
	if x, ok := c.names.sorts[s][text]; ok {
		return x, nil
	}
	if named, ok := c.names.any[text]; ok && !(isNumber && s.Base() == logic.Int) {
		text = named
	}
	switch s.Kind {
	case logic.KindBool:
		if text == "true" || text == "false" {
			return truth(text == "true"), nil
		}
	case logic.KindInt, logic.KindRange:
		x, err := strconv.ParseInt(text, 10, 64)
		if err == nil {
			return x, nil
		}
		if errors.Is(err, strconv.ErrRange) {
			return 0, fmt.Errorf("%s does not fit in 64 bits", text)
		}
	case logic.KindEnum:
		if i := s.MemberNamed(text); i >= 0 {
			return int64(i), nil
		}
	case logic.KindUninterpreted:
		digits, ok := strings.CutPrefix(text, s.Name)
		i, err := strconv.Atoi(digits)
		if ok && err == nil && i >= 0 && i < c.model.Instance.Sizes[s] &&
			strconv.Itoa(i) == digits {
			return int64(i), nil
		}
	}
	hint := fmt.Sprintf("a declaration `name %s = VALUE` says which one is meant", text)
	if s.Kind == logic.KindUninterpreted {
		hint = fmt.Sprintf("a declaration `names %s = %s, ...` says which elements are meant",
			s.Name, text)
		if declared := c.names.sorts[s]; declared != nil {
			var known []string
			for k := range declared {
				known = append(known, k)
			}
			slices.Sort(known)
			hint = fmt.Sprintf("the names of its elements in this instance are %s",
				strings.Join(known, ", "))
			if near := diag.Closest(text, known); near != "" {
				hint += "; is " + near + " meant?"
			}
		}
	}
	return 0, fmt.Errorf("%q is not a value of %s; %s", text, s, hint)
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// at finds the value of a reference in an event.
func (c *Checker) at(e *runlog.Event, p observe.Reference) (any, bool) {
	var v any
	var ok bool
	switch name := p.Path.String(); {
	case name == "node":
		v, ok = e.Node, e.Node != ""
	case name == "event":
		v, ok = e.Name, true
	default:
		v, ok = p.Path.In(e.Record())
	}
	if !p.Len {
		return v, ok && v != nil
	}
	switch list := v.(type) {
	case []any:
		return json.Number(strconv.Itoa(len(list))), true
	case nil: // a list without elements is often left out
		return json.Number("0"), true
	}
	return nil, false
}

// written is a value as it stands in an expression.
func (c *Checker) written(v any) (string, error) {
	var text string
	switch v := v.(type) {
	case bool:
		return strconv.FormatBool(v), nil
	case string:
		text = v
	case json.Number:
		if strings.HasPrefix(v.String(), "-") {
			return "(" + v.String() + ")", nil
		}
		return v.String(), nil
	default:
		return "", errors.New("a list or an object cannot stand in an expression")
	}
	if named, ok := c.names.any[text]; ok {
		return named, nil
	}
	found := ""
	for s, known := range c.names.sorts {
		if i, ok := known[text]; ok {
			name := c.show(s, i)
			if found != "" && found != name {
				return "", fmt.Errorf("%q stands for %s and for %s", text, found, name)
			}
			found = name
		}
	}
	switch {
	case found != "":
		return found, nil
	case text == "":
		return "", errors.New("an empty text cannot stand in an expression")
	}
	if quoted := `"` + text + `"`; c.quoted(quoted) {
		return quoted, nil
	}
	for i, r := range text {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			if _, err := strconv.ParseInt(text, 10, 64); err == nil {
				return text, nil
			}
			return "", fmt.Errorf("%q cannot stand in an expression: a declaration `name %q = "+
				"VALUE` says what it is", text, text)
		}
	}
	return text, nil
}

// quoted reports whether a text is a string of the specification that cannot be taken for a name.
func (c *Checker) quoted(text string) bool {
	is := func(name string) bool {
		return slices.ContainsFunc(c.spec.System.Sorts, func(s *logic.Sort) bool {
			return slices.Contains(s.Members, name)
		})
	}
	name := text[1 : len(text)-1]
	return is(text) && !is(name) && c.elements[name] == nil
}

// maxTerms bounds the number of expressions that are kept.
const maxTerms = 1 << 16

// expression reads an expression of the specification. A formula without a value is false.
func (c *Checker) expression(text string) (*partial, error) {
	if p, ok := c.terms[text]; ok {
		return p, nil
	}
	t, needs, err := c.spec.Partial(text, c.elements)
	if err != nil {
		return nil, err
	}
	p := &partial{t, needs}
	if t.Sort == logic.Bool {
		p.term = logic.And(needs, t)
	}
	if len(c.terms) >= maxTerms {
		clear(c.terms)
	}
	c.terms[text] = p
	return p, nil
}

// filled puts the values of an event into a template. It returns false if the event lacks one.
func (c *Checker) filled(e *runlog.Event, t observe.Template) (string, bool, error) {
	var b strings.Builder
	for _, p := range t.Segments {
		if p.Field == nil {
			b.WriteString(p.Text)
			continue
		}
		v, ok := c.at(e, *p.Field)
		if !ok {
			return "", false, nil
		}
		text, err := c.written(v)
		if err != nil {
			return "", false, fmt.Errorf("the value of %s: %w", p.Field, err)
		}
		b.WriteString(text)
	}
	return b.String(), true, nil
}

// meets reports whether a record satisfies a condition.
func (c *Checker) meets(e *runlog.Event, cond observe.Condition) bool {
	for _, a := range cond {
		v, ok := c.at(e, a.Field)
		yes := ok
		if a.Compare {
			want := a.Value
			if a.Other != nil {
				other, has := c.at(e, *a.Other)
				ok, want = ok && has, text(other)
			}
			yes = ok && text(v) == want
		} else if b, isBool := v.(bool); isBool {
			yes = b
		}
		if yes == a.Not {
			return false
		}
	}
	return true
}

// text is a value of a record as a condition names it.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

package smt

import (
	"fmt"
	"strings"

	"erelong.dev/erelong/internal/logic"
)

// Script is a growing list of commands. Sorts and symbols are declared when they are first used. A
// symbol in the state numbered k has its own name, so a script may contain any number of states.
//
// Every name from the user's file gets a mark that no built-in function of a solver has: f@0 and
// f@1 are the mutable f in two states, m@ the immutable m, red@color a member of an enum,
// client@sort a sort, c@arg a free variable, X? a bound one, hypothesis@7 a label.
type Script struct {
	parent *Script
	lines  []string
	names  map[key]string
	taken  map[string]bool
	last   map[string]int    // the number of the last name with this beginning
	values map[string]string // constants by their sorts and values
}

// key identifies a named object: a *logic.Sort, *logic.Symbol or *logic.Var, or a member of an
// enum.
type key struct {
	of any
	n  int // the state of a symbol; 0 for a sort and from 1 the numbers of its members
}

// NewScript gives an empty script.
func NewScript() *Script {
	return &Script{names: map[key]string{}, taken: map[string]bool{}, last: map[string]int{},
		values: map[string]string{}}
}

// Fork gives an empty script with the names of s. Nothing may be added to s afterwards.
func (s *Script) Fork() *Script {
	f := NewScript()
	f.parent = s
	return f
}

// Lines are the commands of the script, without the commands of the script that it was forked from.
func (s *Script) Lines() []string { return s.lines }

func (s *Script) name(k key) (string, bool) {
	for ; s != nil; s = s.parent {
		if n, ok := s.names[k]; ok {
			return n, true
		}
	}
	return "", false
}

// allot gives k an unused name.
func (s *Script) allot(k key, wanted string) string {
	name := s.take(wanted)
	s.names[k] = name
	return name
}

// take gives an unused name.
func (s *Script) take(wanted string) string {
	wanted = clean(wanted)
	name, n := wanted, 1
	for of := s; of != nil; of = of.parent {
		n = max(n, of.last[wanted])
	}
	for s.isTaken(name) {
		n++
		name = fmt.Sprintf("%s!%d", wanted, n)
	}
	s.taken[name], s.last[wanted] = true, n
	return name
}

func (s *Script) isTaken(name string) bool {
	for ; s != nil; s = s.parent {
		if s.taken[name] {
			return true
		}
	}
	return false
}

func (s *Script) add(format string, args ...any) {
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

// sort gives the solver's name of a declared sort; a range is a sort of integers.
func (s *Script) sort(t *logic.Sort) (string, error) {
	switch t.Kind {
	case logic.KindBool:
		return "Bool", nil
	case logic.KindInt, logic.KindRange:
		return "Int", nil
	}
	k := key{of: t}
	if n, ok := s.name(k); ok {
		return quote(n), nil
	}
	switch t.Kind {
	case logic.KindUninterpreted:
		n := quote(s.allot(k, t.Name+"@sort"))
		s.add("(declare-sort %s 0)", n)
		return n, nil
	case logic.KindEnum:
		if len(t.Members) == 0 {
			return "", fmt.Errorf("enum %s has no members", t.Name)
		}
		n := quote(s.allot(k, t.Name+"@sort"))
		members := make([]string, len(t.Members))
		for i, m := range t.Members {
			members[i] = "(" + quote(s.allot(key{t, i + 1}, m+"@"+t.Name)) + ")"
		}
		s.add("(declare-datatypes ((%s 0)) ((%s)))", n, strings.Join(members, " "))
		return n, nil
	}
	return "", fmt.Errorf("sort %s is of a kind that solvers do not have", t.Name)
}

func (s *Script) sorts(ts []*logic.Sort) (string, error) {
	names := make([]string, len(ts))
	for i, t := range ts {
		var err error
		if names[i], err = s.sort(t); err != nil {
			return "", err
		}
	}
	return strings.Join(names, " "), nil
}

// Declare declares the symbol in the state numbered step, unless it is declared.
func (s *Script) Declare(sym *logic.Symbol, step int) error {
	_, err := s.symbol(sym, step)
	return err
}

func symbolKey(sym *logic.Symbol, step int) (key, string) {
	if !sym.Mutable {
		return key{sym, 0}, sym.Name + "@"
	}
	return key{sym, step}, fmt.Sprintf("%s@%d", sym.Name, step)
}

func (s *Script) symbol(sym *logic.Symbol, step int) (string, error) {
	k, wanted := symbolKey(sym, step)
	if n, ok := s.name(k); ok {
		return quote(n), nil
	}
	args, err := s.sorts(sym.Args)
	if err != nil {
		return "", fmt.Errorf("declaring %s: %w", sym.Name, err)
	}
	result, err := s.sort(sym.Result)
	if err != nil {
		return "", fmt.Errorf("declaring %s: %w", sym.Name, err)
	}
	n := quote(s.allot(k, wanted))
	s.add("(declare-fun %s (%s) %s)", n, args, result)
	return n, nil
}

// DeclareVar makes a free variable a constant. The caller asserts that it lies in its range, if its
// sort is one.
func (s *Script) DeclareVar(v *logic.Var) error {
	k := key{of: v}
	if _, ok := s.name(k); ok {
		return nil
	}
	sort, err := s.sort(v.Sort)
	if err != nil {
		return fmt.Errorf("declaring %s: %w", v.Name, err)
	}
	s.add("(declare-fun %s () %s)", quote(s.allot(k, v.Name+"@arg")), sort)
	return nil
}

// Assert adds a formula.
func (s *Script) Assert(t *logic.Term) error {
	return s.AssertTriggered(t, nil)
}

// AssertTriggered adds a formula. With triggers it is a quantifier, which a solver instantiates at
// terms that have their form.
func (s *Script) AssertTriggered(t *logic.Term, triggers []*logic.Term) error {
	text, err := s.formula(t, triggers)
	if err != nil {
		return err
	}
	s.add("(assert %s)", text)
	return nil
}

// AssertLabelled is AssertTriggered with a label, by which a solver can name the formula in a core.
func (s *Script) AssertLabelled(
	t *logic.Term, triggers []*logic.Term,
) (label string, err error) {
	text, err := s.formula(t, triggers)
	if err != nil {
		return "", err
	}
	label = s.allot(key{of: t}, fmt.Sprintf("hypothesis@%d", len(s.lines)))
	s.add("(assert (! %s :named %s))", text, quote(label))
	return label, nil
}

// Define makes value the value of the symbol, in the state numbered step and applied to vars. The
// symbol must not have been used in that state. Where an argument is outside its declared range,
// the value stays unconstrained.
func (s *Script) Define(sym *logic.Symbol, step int, vars []*logic.Var, value *logic.Term) error {
	k, wanted := symbolKey(sym, step)
	if _, ok := s.name(k); ok {
		return fmt.Errorf("%s is used before its definition", sym.Name)
	}
	if len(vars) != len(sym.Args) {
		return fmt.Errorf("the definition of %s has %d variables for %d arguments", sym.Name,
			len(vars), len(sym.Args))
	}
	p := newPrinter(s)
	p.constants = hasManyNames(value)
	names := p.bind(vars)
	if err := p.term(value); err != nil {
		return fmt.Errorf("defining %s: %w", sym.Name, err)
	}
	body := p.out.String()
	guard := inRanges(vars)
	for i, a := range sym.Args {
		if a != vars[i].Sort {
			guard = logic.And(guard, logic.InSort(a, logic.Ref(vars[i])))
		}
	}
	p.out.Reset()
	if err := p.term(guard); err != nil {
		return fmt.Errorf("defining %s: %w", sym.Name, err)
	}
	if _, ok := s.name(k); ok {
		return fmt.Errorf("the definition of %s refers to its own new value", sym.Name)
	}
	args, err := s.sorts(sym.Args)
	if err != nil {
		return fmt.Errorf("defining %s: %w", sym.Name, err)
	}
	result, err := s.sort(sym.Result)
	if err != nil {
		return fmt.Errorf("defining %s: %w", sym.Name, err)
	}
	if !guard.IsTrue() {
		outside := s.take(wanted + "outside")
		s.add("(declare-fun %s (%s) %s)", quote(outside), args, result)
		body = fmt.Sprintf("(ite %s %s (%s %s))", p.out.String(), body, quote(outside),
			strings.Join(names, " "))
	}
	params := make([]string, len(vars))
	for i, a := range sym.Args {
		sort, err := s.sort(a)
		if err != nil {
			return fmt.Errorf("defining %s: %w", sym.Name, err)
		}
		params[i] = "(" + names[i] + " " + sort + ")"
	}
	s.add("(define-fun %s (%s) %s %s)", quote(s.allot(k, wanted)), strings.Join(params, " "),
		result, body)
	return nil
}

// simple are the special characters of a symbol without bars.
const simple = "~!@$%^&*_-+=<>.?/"

// quote puts bars around a name that needs them. A name with a bar or a backslash cannot be
// written, so Script never allots one: see clean.
func quote(name string) string {
	if name == "" || name[0] >= '0' && name[0] <= '9' || !isPlain(name) {
		return "|" + name + "|"
	}
	return name
}

// isPlain reports whether an atom of these characters is one without bars.
func isPlain(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
			strings.ContainsRune(simple, c))
	})
}

// clean replaces what cannot stand within bars on every solver: bars, backslashes, and all but
// printable ASCII.
func clean(name string) string {
	var b strings.Builder
	for _, c := range name {
		if c < ' ' || c > '~' || c == '|' || c == '\\' {
			fmt.Fprintf(&b, "_%x_", c)
			continue
		}
		b.WriteRune(c)
	}
	return b.String()
}

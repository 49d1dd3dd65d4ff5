package smt

import (
	"errors"
	"fmt"
	"strings"

	"erelong.dev/erelong/internal/logic"
)

// maxText bounds the text of one formula in bytes. Terms share sub-terms, so a small term can have
// an enormous text.
const maxText = 32 << 20

// Term prints a term, and declares the sorts and symbols that it uses. Free variables must have
// been declared.
func (s *Script) Term(t *logic.Term) (string, error) {
	return newPrinter(s).text(t)
}

// formula prints a term for an assertion: its names may become constants. Triggers are of the
// quantifier that it is.
func (s *Script) formula(t *logic.Term, triggers []*logic.Term) (string, error) {
	p := newPrinter(s)
	p.constants = hasManyNames(t)
	if t.IsQuantifier() {
		p.triggers = triggers
	}
	return p.text(t)
}

type printer struct {
	script *Script
	out    strings.Builder
	scope  map[*logic.Var][]string // the names of the bound variables, the innermost last
	used   map[string]int          // how many variables in scope have this name
	// how many binders bind a variable, without names that are constants
	bound     map[*logic.Var]int
	constants bool          // names become constants where they can (constants.go)
	triggers  []*logic.Term // of the next quantifier
}

func newPrinter(s *Script) *printer {
	return &printer{script: s, scope: map[*logic.Var][]string{}, used: map[string]int{},
		bound: map[*logic.Var]int{}}
}

func (p *printer) text(t *logic.Term) (string, error) {
	if err := p.term(t); err != nil {
		return "", err
	}
	return p.out.String(), nil
}

type none struct{}

func (p *printer) term(t *logic.Term) error {
	if p.out.Len() > maxText {
		return fmt.Errorf("a formula is longer than %d bytes", maxText)
	}
	if s, ok := t.Op.Signature(); ok && s.Args != logic.Any && len(t.Args) != s.Args {
		return fmt.Errorf("operator %s has %d arguments instead of %d", s.Text, len(t.Args), s.Args)
	}
	return logic.Visit(p, t, none{})
}

func (p *printer) Literal(t *logic.Term, _ none) error {
	switch {
	case t.Op == logic.OpMember:
		return p.member(t)
	case t.Op == logic.OpInt && t.Int.Sign() < 0:
		fmt.Fprintf(&p.out, "(- %s)", t.Int.String()[1:])
	default:
		p.out.WriteString(t.String())
	}
	return nil
}

func (p *printer) Variable(t *logic.Term, _ none) error { return p.variable(t.Var) }

func (p *printer) Application(t *logic.Term, _ none) error {
	if len(t.Args) != len(t.Symbol.Args) {
		return fmt.Errorf("%s has %d arguments instead of %d", t.Symbol.Name, len(t.Args),
			len(t.Symbol.Args))
	}
	name, err := p.script.symbol(t.Symbol, t.Step)
	if err != nil {
		return err
	}
	if len(t.Args) == 0 {
		p.out.WriteString(name)
		return nil
	}
	return p.apply(name, t.Args)
}

func (p *printer) Not(t *logic.Term, _ none) error { return p.apply("not", t.Args) }

func (p *printer) Junction(t *logic.Term, _ none) error {
	if t.Op == logic.OpAnd {
		return p.junction("and", "true", t.Args)
	}
	return p.junction("or", "false", t.Args)
}

func (p *printer) Implication(t *logic.Term, _ none) error { return p.apply("=>", t.Args) }
func (p *printer) Equality(t *logic.Term, _ none) error    { return p.apply("=", t.Args) }

func (p *printer) Distinct(t *logic.Term, _ none) error {
	if len(t.Args) < 2 {
		p.out.WriteString("true")
		return nil
	}
	return p.apply("distinct", t.Args)
}

func (p *printer) Comparison(t *logic.Term, _ none) error {
	return p.apply(t.Op.String(), t.Args) // < and <=, as in SMT-LIB
}

func (p *printer) Arithmetic(t *logic.Term, _ none) error {
	return logic.VisitArithmetic(p, t, none{})
}

func (p *printer) Add(t *logic.Term, _ none) error { return p.junction("+", "0", t.Args) }
func (p *printer) Sub(t *logic.Term, _ none) error { return p.apply("-", t.Args) }
func (p *printer) Mul(t *logic.Term, _ none) error { return p.apply("*", t.Args) }
func (p *printer) Div(t *logic.Term, _ none) error { return p.apply("div", t.Args) }
func (p *printer) Mod(t *logic.Term, _ none) error { return p.apply("mod", t.Args) }
func (p *printer) Neg(t *logic.Term, _ none) error { return p.apply("-", t.Args) }

func (p *printer) Conditional(t *logic.Term, _ none) error {
	if len(t.Args) != 3 {
		return fmt.Errorf("if has %d arguments instead of 3", len(t.Args))
	}
	return p.apply("ite", t.Args)
}

func (p *printer) Temporal(t *logic.Term, _ none) error {
	return fmt.Errorf("the temporal operator %q cannot be given to a solver", t.Op)
}

func (p *printer) apply(head string, args []*logic.Term) error {
	p.out.WriteString("(" + head)
	for _, a := range args {
		p.out.WriteByte(' ')
		if err := p.term(a); err != nil {
			return err
		}
	}
	p.out.WriteByte(')')
	return nil
}

// list prints terms within parentheses.
func (p *printer) list(ts []*logic.Term) error {
	p.out.WriteByte('(')
	for i, t := range ts {
		if i > 0 {
			p.out.WriteByte(' ')
		}
		if err := p.term(t); err != nil {
			return err
		}
	}
	p.out.WriteByte(')')
	return nil
}

func (p *printer) junction(word, unit string, args []*logic.Term) error {
	switch len(args) {
	case 0:
		p.out.WriteString(unit)
		return nil
	case 1:
		return p.term(args[0])
	}
	return p.apply(word, args)
}

func (p *printer) member(t *logic.Term) error {
	if t.Sort.Kind != logic.KindEnum {
		return fmt.Errorf("element number %d of sort %s has no meaning outside a finite instance",
			t.Index, t.Sort.Name)
	}
	if t.Index < 0 || t.Index >= len(t.Sort.Members) {
		return fmt.Errorf("enum %s has no member number %d", t.Sort.Name, t.Index)
	}
	if _, err := p.script.sort(t.Sort); err != nil {
		return err
	}
	name, ok := p.script.name(key{t.Sort, t.Index + 1})
	if !ok {
		return fmt.Errorf("member %s of enum %s has no name", t.Sort.Members[t.Index], t.Sort.Name)
	}
	p.out.WriteString(quote(name))
	return nil
}

func (p *printer) variable(v *logic.Var) error {
	if names := p.scope[v]; len(names) > 0 {
		p.out.WriteString(names[len(names)-1])
		return nil
	}
	name, ok := p.script.name(key{of: v})
	if !ok {
		return fmt.Errorf("variable %s is not bound", v.Name)
	}
	p.out.WriteString(quote(name))
	return nil
}

// bind brings variables into scope under names that no other variable in scope has.
func (p *printer) bind(vars []*logic.Var) []string {
	names := make([]string, len(vars))
	for i, v := range vars {
		base := clean(v.Name) + "?"
		name := base
		for n := 2; p.used[name] > 0; n++ {
			name = fmt.Sprintf("%s%d", base, n)
		}
		p.used[name]++
		names[i] = quote(name)
		p.scope[v] = append(p.scope[v], names[i])
		p.bound[v]++
	}
	return names
}

func (p *printer) release(vars []*logic.Var) {
	for _, v := range vars {
		names := p.scope[v]
		last := len(names) - 1
		p.used[strings.Trim(names[last], "|")]--
		p.scope[v] = names[:last]
		if p.bound[v]--; p.bound[v] == 0 {
			delete(p.bound, v)
		}
	}
}

// Quantifier relativises variables of range sorts: they are integers within the ends of their
// range.
func (p *printer) Quantifier(t *logic.Term, _ none) error {
	if len(t.Vars) == 0 {
		return p.term(t.Args[0])
	}
	relate := "=>"
	if t.Op == logic.OpExists {
		relate = "and"
	}
	names := p.bind(t.Vars)
	defer p.release(t.Vars)
	fmt.Fprintf(&p.out, "(%s (", t.Op)
	for i, v := range t.Vars {
		sort, err := p.script.sort(v.Sort)
		if err != nil {
			return err
		}
		if i > 0 {
			p.out.WriteByte(' ')
		}
		fmt.Fprintf(&p.out, "(%s %s)", names[i], sort)
	}
	p.out.WriteString(") ")
	triggers := p.triggers
	if p.triggers = nil; triggers != nil {
		p.out.WriteString("(! ")
	}
	guard := inRanges(t.Vars)
	if !guard.IsTrue() {
		p.out.WriteString("(" + relate + " ")
		if err := p.term(guard); err != nil {
			return err
		}
		p.out.WriteByte(' ')
	}
	if err := p.term(t.Args[0]); err != nil {
		return err
	}
	if !guard.IsTrue() {
		p.out.WriteByte(')')
	}
	if triggers != nil {
		p.out.WriteString(" :pattern ")
		if err := p.list(triggers); err != nil {
			return err
		}
		p.out.WriteByte(')')
	}
	p.out.WriteByte(')')
	return nil
}

// inRanges is true when each variable of a range sort lies in its range.
func inRanges(vars []*logic.Var) *logic.Term {
	parts := make([]*logic.Term, len(vars))
	for i, v := range vars {
		parts[i] = logic.InSort(v.Sort, logic.Ref(v))
	}
	return logic.And(parts...)
}

func (p *printer) Let(t *logic.Term, _ none) error {
	if len(t.Vars) != 1 || len(t.Args) != 2 {
		return errors.New("a let without its variable, value or body")
	}
	value := printer{script: p.script, scope: p.scope, used: p.used, bound: p.bound,
		constants: p.constants}
	if err := value.term(t.Args[0]); err != nil {
		return err
	}
	if p.constants && p.isClosed(t.Args[0]) {
		return p.withConstant(t, value.out.String())
	}
	names := p.bind(t.Vars)
	defer p.release(t.Vars)
	fmt.Fprintf(&p.out, "(let ((%s %s)) ", names[0], value.out.String())
	if err := p.term(t.Args[1]); err != nil {
		return err
	}
	p.out.WriteByte(')')
	return nil
}

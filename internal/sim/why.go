package sim

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"erelong/internal/diag"
	"erelong/internal/logic"
	"erelong/internal/system"
)

// cmdWhy explains a property or a formula; without an argument, every property that is false here.
func (s *Session) cmdWhy(_ context.Context, arg string) error {
	if arg != "" {
		if p := s.sys.Property(arg); p != nil && (p.IsInvariant() || p.Kind == system.Trusted) {
			return s.explain(p.Name, p.Term, p.Span)
		}
		t, err := s.formula(arg)
		if err != nil {
			return err
		}
		return s.explain("the formula", t, diag.Span{})
	}
	any := false
	for _, p := range s.sys.Properties {
		if !p.IsInvariant() {
			continue
		}
		if holds, err := s.model.Holds(p.Term, s.state()); err == nil && !holds {
			any = true
			if err := s.explain(p.Name, p.Term, p.Span); err != nil {
				return err
			}
		}
	}
	if !any {
		return errors.New("no property is false in this state; `why PROPERTY` explains one, `props` lists them")
	}
	return nil
}

func (s *Session) explain(name string, t *logic.Term, span diag.Span) error {
	holds, err := s.model.Holds(t, s.state())
	if err != nil {
		return err
	}
	where := ""
	if !span.IsZero() {
		where = fmt.Sprintf(" (%s)", span)
	}
	s.printf("%s is %t in state %d%s\n", name, holds, s.at, where)
	return s.descend(t, holds)
}

// descend goes to the smallest part of a formula that decides its value, and shows the values of
// variables on the way. The formula is closed: variables are replaced by the relevant values.
func (s *Session) descend(t *logic.Term, value bool) error {
	for {
		var next *logic.Term
		var err error
		switch t.Op {
		case logic.OpNot:
			next, value = t.Args[0], !value
		case logic.OpAnd, logic.OpOr:
			if value == (t.Op == logic.OpOr) { // one operand decides
				next, err = s.first(t.Args, value)
			}
		case logic.OpImplies:
			if !value {
				next = t.Args[1]
				err = s.fact(t.Args[0])
			}
		case logic.OpForall, logic.OpExists:
			if value == (t.Op == logic.OpExists) {
				next, err = s.witness(t, value)
			}
		case logic.OpLet:
			var v *logic.Term
			if v, err = s.literal(t.Args[0]); err == nil {
				s.printf("  for %s = %s\n", t.Vars[0], v)
				next = logic.Subst(t.Args[1], map[*logic.Var]*logic.Term{t.Vars[0]: v})
			} else { // the value may not be needed
				next, err = logic.Subst(t.Args[1], map[*logic.Var]*logic.Term{t.Vars[0]: t.Args[0]}), nil
			}
		case logic.OpIte:
			var c bool
			if c, err = s.model.Holds(t.Args[0], s.state()); err == nil {
				err = s.fact(t.Args[0])
				next = t.Args[2]
				if c {
					next = t.Args[1]
				}
			}
		}
		if err != nil {
			return err
		}
		if next == nil {
			return s.leaf(t)
		}
		t = next
	}
}

// first finds the first operand with a value; all operands before have the other value.
func (s *Session) first(operands []*logic.Term, value bool) (*logic.Term, error) {
	for _, a := range operands {
		if holds, err := s.model.Holds(a, s.state()); err != nil || holds == value {
			return a, err
		}
	}
	return nil, nil
}

// witness binds the variables of a quantifier to the first values for which its body has a value.
func (s *Session) witness(t *logic.Term, value bool) (*logic.Term, error) {
	body := t.Args[0]
	var parts []string
	for i, v := range t.Vars {
		literals, err := s.domain(v.Sort)
		if err != nil {
			return nil, err
		}
		rest := t.Vars[i+1:]
		var found *logic.Term
		for _, l := range literals {
			b := logic.Subst(body, map[*logic.Var]*logic.Term{v: l})
			closed := logic.Exists(rest, b)
			if t.Op == logic.OpForall {
				closed = logic.Forall(rest, b)
			}
			holds, err := s.model.Holds(closed, s.state())
			if err != nil {
				return nil, err
			}
			if holds == value {
				parts = append(parts, v.Name+" = "+l.String())
				found = b
				break
			}
		}
		if found == nil {
			return nil, nil
		}
		body = found
	}
	s.printf("  for %s\n", strings.Join(parts, ", "))
	return body, nil
}

// domain lists the values of a finite sort.
func (s *Session) domain(srt *logic.Sort) (out []*logic.Term, err error) {
	members := 0
	switch srt.Kind {
	case logic.KindBool:
		return []*logic.Term{logic.False, logic.True}, nil
	case logic.KindInt:
		return nil, errors.New("the integers cannot be enumerated")
	case logic.KindRange:
		lo, err := s.model.Eval(srt.Lo, s.state())
		if err != nil {
			return nil, err
		}
		hi, err := s.model.Eval(srt.Hi, s.state())
		if err != nil {
			return nil, err
		}
		for v := lo; v <= hi && len(out) < s.o.MaxStates; v++ {
			out = append(out, logic.IntLit(v))
		}
		return out, nil
	case logic.KindEnum:
		members = len(srt.Members)
	default:
		members = s.model.Instance.Sizes[srt]
	}
	for i := range members {
		out = append(out, logic.Member(srt, i))
	}
	return out, nil
}

// literal is the value of a term, as a term.
func (s *Session) literal(t *logic.Term) (*logic.Term, error) {
	v, err := s.model.Eval(t, s.state())
	switch {
	case err != nil:
		return nil, err
	case t.Sort == logic.Bool:
		return logic.BoolLit(v == 1), nil
	case t.Sort.Base() == logic.Int:
		return logic.IntLit(v), nil
	}
	return logic.Member(t.Sort, int(v)), nil
}

// fact says in one line whether a formula is true.
func (s *Session) fact(t *logic.Term) error {
	holds, err := s.model.Holds(t, s.state())
	if err == nil {
		s.printf("  %s is %t\n", shorten(t.String()), holds)
	}
	return err
}

// leaf shows a part without further descent: its operands if it has some, otherwise the values in
// it.
func (s *Session) leaf(t *logic.Term) error {
	holds, err := s.model.Holds(t, s.state())
	if err != nil {
		return err
	}
	where := ""
	if !t.Span.IsZero() && t.Span.Source == s.sys.Source {
		where = fmt.Sprintf(" (%s)", t.Span)
	}
	s.printf("  %s is %t%s\n", shorten(t.String()), holds, where)
	switch t.Op {
	case logic.OpAnd, logic.OpOr, logic.OpIff, logic.OpEq, logic.OpLt, logic.OpLe, logic.OpDistinct, logic.OpImplies, logic.OpApp:
		for _, a := range t.Args {
			v, err := s.evaluate(a)
			if err != nil {
				continue // after an operand that already decides
			}
			if text := a.String(); text != v.String() {
				s.printf("    %s is %s\n", shorten(text), v)
			}
		}
	}
	return nil
}

package sim

import (
	"context"
	"errors"
	"fmt"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/explain"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/report"
	"erelong.dev/erelong/internal/system"
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
		return errors.New("no property is false in this state; `why PROPERTY` explains one, " +
			"`props` lists them")
	}
	return nil
}

func (s *Session) explain(name string, t *logic.Term, span diag.Span) error {
	n, err := explain.Explain(s.model, t, s.state())
	if err != nil {
		return err
	}
	where := ""
	if !span.IsZero() {
		where = fmt.Sprintf(" (%s)", span)
	}
	s.printf("%s is %t in state %d%s\n", name, n.Value != 0, s.at, where)
	for _, l := range report.Explanation(explain.Tree(s.model, n)) {
		s.printf("%*s%s\n", l.Indent, "", shorten(l.Text))
	}
	return nil
}

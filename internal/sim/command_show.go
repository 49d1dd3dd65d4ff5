package sim

import (
	"context"
	"errors"
	"fmt"
	"io"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/itf"
	"erelong.dev/erelong/internal/report"
	"erelong.dev/erelong/internal/system"
)

func (s *Session) cmdShow(_ context.Context, arg string) error {
	all := append(s.model.Shown(s.state(), false), s.model.Shown(s.state(), true)...)
	if arg == "" {
		s.printHead(s.at)
		s.printBindings(s.everything(s.state()), nil)
		return nil
	}
	var names []string
	for _, b := range all {
		if b.Name == arg {
			s.printf("%s = %s\n", b.Name, b.Value)
			return nil
		}
		names = append(names, b.Name)
	}
	if near := diag.Closest(arg, names); near != "" {
		return fmt.Errorf("there is no symbol %q; did you mean %q?", cut(arg, 40), near)
	}
	return fmt.Errorf("there is no symbol %q; `eval EXPR` evaluates an expression", cut(arg, 40))
}

func (s *Session) cmdDiff(ctx context.Context, arg string) error {
	if arg == "" {
		if s.at == 0 {
			return errors.New("this is the first state; `diff K` shows what step K would change")
		}
		s.printHead(s.at)
		s.printChanges(s.variables(s.run[s.at-1].state), s.variables(s.state()))
		return nil
	}
	step, err := s.numbered(ctx, arg)
	if err != nil {
		return err
	}
	s.printf("%s\n", s.paint(bold, s.call(step)))
	s.printChanges(s.variables(s.state()), s.variables(step.state))
	return nil
}

func (s *Session) cmdTrace(_ context.Context, arg string) error {
	if err := none(arg, "trace"); err != nil {
		return err
	}
	return report.WriteTrace(&s.out, s.trace(), s.o.View)
}

func (s *Session) cmdEval(_ context.Context, arg string) error {
	t, err := s.expression(arg)
	if err != nil {
		return err
	}
	v, err := s.evaluate(t)
	if err != nil {
		return err
	}
	s.printf("%s\n", v)
	return nil
}

func (s *Session) cmdProps(_ context.Context, arg string) error {
	if err := none(arg, "props"); err != nil {
		return err
	}
	var rows []row
	for _, p := range s.sys.Properties {
		if !p.IsInvariant() && p.Kind != system.Trusted {
			continue
		}
		value := "?"
		remark := string(p.Kind)
		switch holds, err := s.model.Holds(p.Term, s.state()); {
		case err != nil:
			remark += ": " + err.Error()
		case holds:
			value = "true"
		default:
			value = "false"
			remark += fmt.Sprintf(" (%s)", s.model.FalseConjunct(p.Term, s.state()))
		}
		rows = append(rows, row{value, p.Name, remark})
	}
	if len(rows) == 0 {
		return errors.New("the file has no safety property, invariant or range")
	}
	for _, l := range s.layOut(rows) {
		if l[:5] == "false" {
			l = s.paint(red, l)
		}
		s.printf("%s\n", l)
	}
	return nil
}

func (s *Session) cmdSave(_ context.Context, arg string) error {
	switch {
	case arg == "":
		return errors.New("save takes the name of a file, such as run.itf.json")
	case s.o.Save == nil:
		return errors.New("there is no place for files here")
	}
	t := s.trace()
	if err := s.o.Save(arg, func(w io.Writer) error { return itf.Write(w, t) }); err != nil {
		return fmt.Errorf("writing the trace: %w", err)
	}
	s.printf("%s written to %s\n", plural(len(t.Steps), "state", "states"), arg)
	return nil
}

package bmc

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
)

// grounded unrolls the runs of an instance step by step, and asks at every depth for a violation of
// any property. The answer unsat is a fact for all longer runs.
func (s *search) grounded(ctx context.Context, m *interp.Model) (err error) {
	steps := 0
	defer refused(&err)
	defer func() {
		switch r := recover().(type) {
		case nil:
		case halted:
			s.giveUp(steps, result.Ended(ctx, ""))
		default:
			panic(r)
		}
	}()
	u := newUnrolling(m, func() bool { return ctx.Err() != nil })
	v, err := newSolvers(ctx, s.opts)
	if err != nil {
		return err
	}
	defer v.close()
	if s.opts.Safe == 0 {
		answer := v.ask(ctx, "search for an initial state", u.circuit, yes)
		if answer.status == smt.Unsat {
			for _, t := range s.targets {
				s.decide(t, result.NothingChecked, -1,
					result.Because(result.NoInitialState, "no initial state"))
			}
			return nil
		}
	}
	for ; !s.done(); steps++ {
		s.tell(steps)
		if ctx.Err() != nil {
			s.giveUp(steps, result.Ended(ctx, ""))
		}
		if steps >= s.opts.Safe && !s.violations(ctx, u, v, steps) {
			return nil
		}
		if steps == s.opts.Depth {
			s.finish(steps, "")
		} else if !u.step() {
			s.finish(s.opts.Depth, "; no run has more than "+count(steps))
		}
	}
	return nil
}

// violations finds all open properties that can be false in the last state. It gives false when a
// question had no answer.
func (s *search) violations(ctx context.Context, u *unrolling, v *solvers, steps int) bool {
	bad := map[*target]lit{}
	for _, t := range s.targets {
		if t.open() {
			bad[t] = u.violated(t.property)
		}
	}
	for {
		some := no
		for _, t := range s.targets {
			if t.open() {
				some = u.or(some, bad[t])
			}
		}
		if some == no {
			return true
		}
		answer := v.ask(ctx, fmt.Sprintf("violation after %d steps", steps), u.circuit, some)
		for _, t := range s.targets {
			if t.open() {
				t.result.Queries += answer.queries
			}
		}
		switch answer.status {
		case smt.Unknown:
			s.giveUp(steps, answer.reason)
			return false
		case smt.Unsat:
			u.assume(some.not())
			return true
		}
		first, moves := u.run(answer.nodes)
		found := false
		for _, t := range s.targets {
			if l := bad[t]; t.open() && answer.nodes[l>>1] != (l&1 == 1) {
				found = true
				run := u.model.TraceOf(first, moves...)
				last := first
				if len(moves) > 0 {
					last = moves[len(moves)-1].State
				}
				run.Line = u.model.FalseConjunct(t.property.Term, last).Line()
				s.violate(ctx, t, run)
			}
		}
		if !found {
			s.giveUp(steps, result.Because(result.NotProved, "the solver's model is no violation"))
			return false
		}
	}
}

// solvers are asked one after the other about a growing circuit.
type solvers struct {
	sessions []*smt.Session
	opts     discharge.Options
}

func newSolvers(ctx context.Context, opts Options) (*solvers, error) {
	v := &solvers{opts: opts.Options}
	drivers := opts.Drivers
	if len(drivers) == 0 {
		var err error
		if drivers, err = smt.Find(ctx, opts.Solvers); err != nil {
			return nil, fmt.Errorf("looking for solvers: %w", err)
		}
	}
	if v.opts.Rlimit <= 0 {
		v.opts.Rlimit = discharge.DefaultRlimit
	}
	for _, d := range drivers {
		v.sessions = append(v.sessions,
			smt.NewSession(d,
				smt.Config{Seed: opts.Seed, Propositional: true, Wall: opts.Wall,
					LogDir: opts.LogDir}))
	}
	return v, nil
}

func (v *solvers) close() {
	for _, s := range v.sessions {
		s.Close()
	}
}

// answer is a solver's answer; for Sat with the values of all nodes.
type answer struct {
	status  smt.Status
	reason  result.Reason // for Unknown
	queries int64
	nodes   []bool
}

// ask asks whether a literal can be true under all assumptions.
func (v *solvers) ask(ctx context.Context, name string, c *circuit, l lit) (out answer) {
	text := c.text(l)
	q := smt.Query{Name: name, Base: c.lines, Body: []string{"(assert " + text + ")"},
		Rlimit: v.opts.Rlimit}
	var reasons []string
	for _, s := range v.sessions {
		a, err := s.Check(ctx, q)
		out.queries++
		if err == nil && a.Status == smt.Sat {
			out.nodes, err = assignment(ctx, s, c)
		}
		switch {
		case ctx.Err() != nil:
			out.reason = result.Ended(ctx, "")
			return out
		case err != nil:
			reasons = append(reasons, err.Error())
		case a.Status != smt.Unknown:
			out.status = a.Status
			return out
		case a.Exhausted:
			reasons = append(reasons, smt.Label(s.Driver())+": the resource limit was reached")
		default:
			reasons = append(reasons, smt.Label(s.Driver())+": "+a.Reason)
		}
	}
	out.reason = result.Because(result.NotProved, strings.Join(reasons, "; "))
	return out
}

// assignment reads the values of the inputs, and evaluates the circuit for them.
func assignment(ctx context.Context, s *smt.Session, c *circuit) ([]bool, error) {
	inputs := c.inputs()
	texts := make([]string, len(inputs))
	for i, l := range inputs {
		texts[i] = c.text(l)
	}
	values, err := s.Values(ctx, texts)
	if err != nil {
		return nil, err
	}
	of := map[lit]bool{}
	for i, v := range values {
		switch v.Atom {
		case "true":
			of[inputs[i]] = true
		case "false":
		default:
			return nil, errors.New("a truth value is neither true nor false: " + v.String())
		}
	}
	return c.evaluate(of), nil
}

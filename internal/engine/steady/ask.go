package steady

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/vc"
)

// asking puts questions to the solvers.
type asking struct {
	drivers []smt.Driver
	opts    discharge.Options
}

// mostWork bounds a question, in units of z3, as a multiple of the limit for an obligation.
const mostWork = 20

// decide decides an obligation, as the first solver to answer says. Where it is refuted, the
// session has the values of a model; the caller closes it.
func (a *asking) decide(
	ctx context.Context, o Obligation,
) (result.Obligation, *smt.Session, error) {
	out := result.Obligation{Name: o.Name, Verdict: result.Unknown, Method: "macro"}
	t := o.Theory.Clone()
	t.Assume(logic.Not(o.Goal))
	script, err := t.Script(vc.Macro)
	if err != nil {
		return out, nil, err
	}
	limit := a.opts.Rlimit
	if limit == 0 {
		limit = mostWork * discharge.DefaultRlimit
	}
	query := smt.Query{Name: "pieces", Body: script.Lines(), Rlimit: limit}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type answer struct {
		session *smt.Session
		smt.Answer
		err error
	}
	answers := make([]answer, len(a.drivers))
	var wg sync.WaitGroup
	for i, d := range a.drivers {
		answers[i].session = smt.NewSession(d, smt.Config{Seed: a.opts.Seed, Wall: a.opts.Wall,
			LogDir: a.opts.LogDir})
		wg.Go(func() {
			x := &answers[i]
			if x.Answer, x.err = x.session.Check(ctx, query); x.err == nil &&
				x.Status != smt.Unknown {
				cancel()
			}
		})
	}
	wg.Wait()
	var session *smt.Session
	var reasons []string
	for _, x := range answers {
		out.Queries, out.Rlimit = out.Queries+1, out.Rlimit+x.Rlimit
		switch {
		case x.err != nil:
			reasons = append(reasons, x.err.Error())
		case x.Status == smt.Unknown:
			reasons = append(reasons, x.Reason)
		case session == nil:
			session = x.session
			out.Verdict = map[smt.Status]result.Verdict{smt.Unsat: result.Holds,
				smt.Sat: result.NotInductive}[x.Status]
			d := session.Driver()
			out.Solver, out.Seed = result.Solver{Name: d.Name(), Version: d.Version()}, a.opts.Seed
			out.Elapsed = x.Elapsed
			continue
		}
		x.session.Close()
	}
	if session == nil {
		out.Reason = result.Because(result.NotProved, strings.Join(reasons, "; "))
	}
	return out, session, nil
}

// values asks for numbers in the model of the last answer.
func values(ctx context.Context, s *smt.Session, terms []string) ([]int64, error) {
	got, err := s.Values(ctx, terms)
	if err != nil {
		return nil, err
	}
	out := make([]int64, len(got))
	for i, v := range got {
		switch {
		case v.Atom == "true":
			out[i] = 1
		case v.Atom == "false":
		default:
			n, ok := v.Int()
			if !ok || !n.IsInt64() {
				return nil, fmt.Errorf("the solver gave %s for a number", v)
			}
			out[i] = n.Int64()
		}
	}
	return out, nil
}

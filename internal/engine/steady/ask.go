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
	limits  int64 // bounds a question, as a multiple of the usual limit for an obligation
}

// within gives the same with another bound.
func (a *asking) within(limits int64) *asking { return &asking{a.drivers, a.opts, limits} }

// shortShare is the share of its limit that the first solver has before the others.
const shortShare = 10

// mostWork bounds the question of a claim, as a multiple of the usual limit for an obligation.
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
		return out, nil, fmt.Errorf("stating %s: %w", o.Name, err)
	}
	limit := a.opts.Rlimit
	if limit == 0 {
		limit = a.limits * discharge.DefaultRlimit
	}
	query := smt.Query{Name: "pieces", Body: script.Lines(), Rlimit: max(limit/shortShare, 1)}
	// The first solver is asked alone, so that what it finds does not depend on who is faster.
	answers := a.race(ctx, a.drivers[:1], query)
	if answers[0].err != nil || answers[0].Status == smt.Unknown {
		out.Queries, out.Rlimit = 1, answers[0].Rlimit
		answers[0].session.Close()
		query.Rlimit = limit
		answers = a.race(ctx, a.drivers, query)
	}
	var first *answer
	var reasons []string
	for _, x := range answers {
		out.Queries, out.Rlimit = out.Queries+1, out.Rlimit+x.Rlimit
		switch {
		case x.err != nil:
			reasons = append(reasons, x.err.Error())
		case x.Status == smt.Unknown:
			reasons = append(reasons, x.Reason)
		case first == nil:
			first = x
			continue
		case first.Status != x.Status:
			reasons = append(reasons, "the solvers contradict each other")
			first.Status = smt.Unknown
		}
		x.session.Close()
	}
	if first == nil || first.Status == smt.Unknown {
		out.Reason = result.Because(result.NotProved, strings.Join(reasons, "; "))
		if first != nil {
			first.session.Close()
		}
		return out, nil, nil
	}
	d := first.session.Driver()
	out.Solver, out.Seed = result.Solver{Name: d.Name(), Version: d.Version()}, a.opts.Seed
	out.Elapsed = first.Elapsed
	if first.Status == smt.Unsat {
		first.session.Close()
		out.Verdict = result.Holds
		return out, nil, nil
	}
	out.Verdict = result.NotInductive
	return out, first.session, nil
}

// answer is the answer of a solver, whose session the caller closes.
type answer struct {
	session *smt.Session
	smt.Answer
	err error
}

// race asks some solvers at once, until one of them knows.
func (a *asking) race(ctx context.Context, drivers []smt.Driver, query smt.Query) []*answer {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make([]*answer, len(drivers))
	var wg sync.WaitGroup
	for i, d := range drivers {
		x := &answer{session: smt.NewSession(d, smt.Config{Seed: a.opts.Seed, Wall: a.opts.Wall,
			LogDir: a.opts.LogDir})}
		answers[i] = x
		wg.Go(func() {
			if x.Answer, x.err = x.session.Check(ctx, query); x.err == nil &&
				x.Status != smt.Unknown {
				cancel()
			}
		})
	}
	wg.Wait()
	return answers
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

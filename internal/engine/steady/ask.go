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

// shortShare is the share of its limit that the first solver has before the others.
const shortShare = 10

// mostWork bounds the question of a claim, as a multiple of the usual limit for an obligation.
const mostWork = 20

// decide decides an obligation, as the first solver to answer says, within a multiple of the usual
// limit. Where it is refuted, there is a model, which the caller closes.
func (a *asking) decide(
	ctx context.Context, o Obligation, limits int64,
) (result.Obligation, *model, error) {
	out := result.Obligation{Name: o.Name, Verdict: result.Unknown, Method: "macro"}
	t := o.Theory.Clone()
	t.Assume(logic.Not(o.Goal))
	script, err := t.Script(vc.Macro)
	if err != nil {
		return out, nil, fmt.Errorf("stating %s: %w", o.Name, err)
	}
	limit := a.opts.Rlimit
	if limit == 0 {
		limit = limits * discharge.DefaultRlimit
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
		if ctx.Err() != nil {
			out.Reason = result.Ended(ctx, "")
		}
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
	return out, &model{first.session, script}, nil
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

// model has the values of the last answer of a session.
type model struct {
	*smt.Session
	script *smt.Script
}

// values are numbers, and truth values as 0 and 1.
func (m *model) values(ctx context.Context, terms []*logic.Term) ([]int64, error) {
	texts := make([]string, len(terms))
	for i, t := range terms {
		var err error
		if texts[i], err = m.script.Term(t); err != nil {
			return nil, err
		}
	}
	got, err := m.Values(ctx, texts)
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

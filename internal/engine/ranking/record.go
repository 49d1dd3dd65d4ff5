package ranking

import (
	"context"
	"slices"
	"time"

	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/result"
)

// stopwatch keeps the stages of a search, with the time that each has taken so far.
type stopwatch struct {
	all   []result.Stage
	track *tracker
}

// during adds the time until the returned function is called to a stage.
func (s *stopwatch) during(
	ctx context.Context, stage string,
) (within context.Context, done func()) {
	within, ended := effort.Begin(ctx, stage)
	began, before := time.Now(), s.track.enter(stage)
	return within, func() {
		ended()
		s.track.enter(before)
		i := slices.IndexFunc(s.all, func(x result.Stage) bool { return x.Name == stage })
		if i < 0 {
			i, s.all = len(s.all), append(s.all, result.Stage{Name: stage})
		}
		s.all[i].Elapsed += time.Since(began)
	}
}

// record writes down the variables, and the parts of a proof or of what there is of one.
func (t *trial) record(vars []*variable, found *proof) {
	out := t.r.Evidence.Search
	for _, v := range vars {
		x := result.RankVariable{Name: v.String()}
		if limit := t.bounds.limit(v); limit != nil {
			x.Limit = limit.String()
		}
		out.Variables = append(out.Variables, x)
	}
	for _, u := range found.tiers {
		out.Constraints += u.constraints
		for _, part := range u.parts {
			x := result.RankStep{Step: part.described()}
			for _, v := range vars {
				x.Grows = append(x.Grows, part.grows(v))
			}
			out.Steps = append(out.Steps, x)
		}
	}
	for _, part := range found.ruledOut() {
		out.Steps = append(out.Steps, result.RankStep{Step: part.described(), Impossible: true})
	}
	out.Stages = t.steps.stages.all
}

// described names the part and its conditions.
func (p *part) described() string {
	if p.number == 0 {
		return p.String()
	}
	return p.String() + ": where " + p.where()
}

package ranking

import (
	"context"
	"slices"
	"time"

	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/result"
)

// during adds the time until the returned function is called to a stage.
func (s *search) during(
	ctx context.Context, stage string,
) (within context.Context, done func()) {
	within, ended := effort.Begin(ctx, stage)
	began, before := time.Now(), s.track.enter(stage)
	return within, func() {
		ended()
		s.track.enter(before)
		i := slices.IndexFunc(s.stages, func(x result.Stage) bool { return x.Name == stage })
		if i < 0 {
			i, s.stages = len(s.stages), append(s.stages, result.Stage{Name: stage})
		}
		s.stages[i].Elapsed += time.Since(began)
	}
}

// record writes down the variables, the parts of the tiers and the parts that are left.
func (s *search) record(out *result.Search, vars []*variable, tiers []*tier, left []*part) {
	for _, v := range vars {
		x := result.RankVariable{Name: v.String()}
		if limit := s.limit(v); limit != nil {
			x.Limit = limit.String()
		}
		out.Variables = append(out.Variables, x)
	}
	tiers = append(slices.Clone(tiers), &tier{parts: left})
	for _, t := range tiers {
		out.Constraints += t.constraints
		for _, part := range t.parts {
			x := result.RankStep{Step: part.described()}
			for _, v := range vars {
				x.Grows = append(x.Grows, part.grows(v))
			}
			out.Steps = append(out.Steps, x)
		}
	}
	for _, part := range s.ruledOut(tiers) {
		out.Steps = append(out.Steps, result.RankStep{Step: part.described(), Impossible: true})
	}
	out.Stages = s.stages
}

// described names the part and its conditions.
func (s *part) described() string {
	if s.number == 0 {
		return s.String()
	}
	return s.String() + ": where " + s.where()
}

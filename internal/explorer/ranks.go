package explorer

import (
	"context"
	"slices"

	"erelong.dev/erelong/internal/sim"
)

// Ranks are the ranking functions of a proof along a run.
type Ranks struct {
	Property string        `json:"property"`
	Rows     []sim.RankRow `json:"rows"`
}

// ranks evaluates the ranking functions that engines have found for the text that the run of a
// request is of, along this run.
func (s *Service) ranks(ctx context.Context, q *request) (any, error) {
	out := []Ranks{}
	runs, d, err := s.explorer(ctx, q)
	if err != nil {
		return nil, err
	}
	x, ok := runs.(*sim.Explorer)
	if !ok {
		return map[string][]Ranks{"ranks": out}, nil
	}
	f, err := s.shown(ctx, q)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	kept := slices.Clone(s.runs)
	s.mu.Unlock()
	known, now := map[string]bool{}, f.digest()
	for _, r := range slices.Backward(kept) {
		if r.file.name != f.name || r.file.digest() != now {
			continue
		}
		for _, result := range r.results() {
			_, own := d.Own(result.Property)
			if !own || known[result.Property] || result.Evidence == nil ||
				result.Evidence.Ranking == nil {
				continue
			}
			known[result.Property] = true
			rows, err := x.Ranks(ctx, q.Address, result.Evidence.Ranking)
			if err != nil {
				return nil, err
			}
			if len(rows) > 0 {
				out = append(out, Ranks{result.Property, rows})
			}
		}
	}
	return map[string][]Ranks{"ranks": out}, nil
}

package work

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"sync"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/front"
)

// Sources keeps the systems of the files that were read last, for jobs about the same file. Systems
// do not change, so jobs share them.
type Sources struct {
	mu   sync.Mutex
	kept []keptSource // the last one first
}

type keptSource struct {
	sum     [sha256.Size]byte // of what the systems depend on
	systems []*derive.Derived
}

// keptSources is the number of files.
const keptSources = 4

// read reads the file of a job, unless it was read lately.
func (s *Sources) read(ctx context.Context, j *Job) ([]*derive.Derived, error) {
	if s == nil {
		systems, _, err := front.Systems(ctx, j.File, j.Text, j.Derive)
		return systems, err
	}
	text, err := json.Marshal([]any{j.File, j.Text, j.Derive})
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.kept, func(k keptSource) bool { return k.sum == sum }); i >= 0 {
		k := s.kept[i]
		s.kept = slices.Insert(slices.Delete(s.kept, i, i+1), 0, k)
		return k.systems, nil
	}
	systems, _, err := front.Systems(ctx, j.File, j.Text, j.Derive)
	if err != nil {
		return nil, err
	}
	s.kept = slices.Insert(s.kept, 0, keptSource{sum, systems})
	s.kept = s.kept[:min(len(s.kept), keptSources)]
	return systems, nil
}

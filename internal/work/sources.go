package work

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
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
	origin  origin
	systems []*derive.Derived
}

// origin is what systems depend on.
type origin struct {
	file, text string
	others     string // what is included, as one text
	derive     derive.Options
}

// keptSources is the number of files.
const keptSources = 4

// read reads the file of a job, unless it was read lately.
func (s *Sources) read(ctx context.Context, j *Job) ([]*derive.Derived, error) {
	if s == nil {
		return j.systems(ctx)
	}
	wanted := origin{j.File, j.Text, fmt.Sprintf("%q", j.Others), j.Derive}
	s.mu.Lock()
	defer s.mu.Unlock()
	is := func(k keptSource) bool { return k.origin == wanted }
	if i := slices.IndexFunc(s.kept, is); i >= 0 {
		k := s.kept[i]
		s.kept = slices.Insert(slices.Delete(s.kept, i, i+1), 0, k)
		return k.systems, nil
	}
	systems, err := j.systems(ctx)
	if err != nil {
		return nil, err
	}
	s.kept = slices.Insert(s.kept, 0, keptSource{wanted, systems})
	s.kept = s.kept[:min(len(s.kept), keptSources)]
	return systems, nil
}

// systems reads the text of a job with the texts that came with it, and no file, which may be
// another one here.
func (j *Job) systems(ctx context.Context) ([]*derive.Derived, error) {
	systems, _, err := front.Systems(ctx, j.File, j.Text, front.Options{Derive: j.Derive,
		Beside: func(path string) ([]byte, error) {
			for _, o := range j.Others {
				if o.Name == filepath.ToSlash(path) {
					return []byte(o.Text), nil
				}
			}
			return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
		}})
	return systems, err
}

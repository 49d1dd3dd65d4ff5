package work

import (
	"errors"
	"fmt"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// Inferred is engine.Inferred with formulas as texts, in erelong's language.
type Inferred struct {
	Lemmas []engine.WrittenLemma
	Kept   []string
	Open   []string `json:",omitempty"`
}

func writeInferred(in *engine.Inferred) *Inferred {
	if in == nil {
		return nil
	}
	return &Inferred{Lemmas: engine.WriteLemmas(in.Lemmas), Kept: in.Kept, Open: in.Open}
}

// readInferred reads invariants that were found. They are claims: who asked for them proves them. A
// search that says that something holds has to say with which invariants.
func (f *Findings) readInferred(
	t *engine.Task, in *ere.Specification,
) (*engine.Inferred, error) {
	if f.Inferred == nil {
		for _, r := range f.Results {
			if t.Method == engine.Infer && r.Verdict == result.Holds {
				return nil, fmt.Errorf("the result for %s: it holds, but its invariants are "+
					"missing", r.Property)
			}
		}
		return nil, nil
	}
	if t.Method != engine.Infer {
		return nil, errors.New("nobody asked for invariants")
	}
	out := &engine.Inferred{Kept: f.Inferred.Kept, Open: f.Inferred.Open}
	for _, name := range out.Kept {
		if p := t.System.Property(name); p == nil || p.Kind != system.Invariant {
			return nil, fmt.Errorf("the system has no invariant %q", name)
		}
	}
	for _, name := range out.Open {
		if p := t.System.Property(name); p == nil || !p.IsInvariant() {
			return nil, fmt.Errorf("the system has no safety property %q", name)
		}
	}
	var err error
	if out.Lemmas, err = engine.ReadLemmas(f.Inferred.Lemmas, in.Formula); err != nil {
		return nil, err
	}
	return out, nil
}

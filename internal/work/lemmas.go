package work

import (
	"errors"
	"fmt"
	"regexp"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// Inferred is engine.Inferred with formulas as texts, in erelong's language.
type Inferred struct {
	Lemmas []Lemma
	Kept   []string
	Open   []string `json:",omitempty"`
}

// Lemma is engine.Lemma with its formula as text.
type Lemma struct{ Name, Formula, For string }

func writeInferred(in *engine.Inferred) *Inferred {
	if in == nil {
		return nil
	}
	out := &Inferred{Kept: in.Kept, Open: in.Open}
	for _, l := range in.Lemmas {
		out.Lemmas = append(out.Lemmas, Lemma{l.Name, l.Term.String(), l.For})
	}
	return out
}

// lemmaName is what a lemma may be called: its name is written into files.
var lemmaName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

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
	for _, l := range f.Inferred.Lemmas {
		if !lemmaName.MatchString(l.Name) {
			return nil, fmt.Errorf("no invariant can be called %q", l.Name)
		}
		term, err := in.Expression(l.Formula, nil)
		if err != nil {
			return nil, fmt.Errorf("reading the invariant %s: %w", l.Name, err)
		}
		if term.Sort != logic.Bool {
			return nil, fmt.Errorf("the invariant %s is no formula", l.Name)
		}
		out.Lemmas = append(out.Lemmas, engine.Lemma{Name: l.Name, Term: term, For: l.For})
	}
	return out, nil
}

package sim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/itf"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// examples are the examples with an instance.
func examples(t *testing.T) map[string]*ere.Specification {
	t.Helper()
	out := map[string]*ere.Specification{}
	for _, pattern := range []string{"*.ere", "*/*.ere"} {
		paths, err := filepath.Glob(filepath.Join("..", "..", "examples", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			file, err := front.Load(t.Context(), path, front.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Systems {
				if len(d.Spec.System.Instances) > 0 {
					out[strings.TrimSpace(filepath.Base(path)+" "+d.Name)] = d.Spec
				}
			}
		}
	}
	if len(out) == 0 {
		t.Fatal("no examples")
	}
	return out
}

// A saved random walk is a run for the interpreter; when opened again it is the same session. The
// listed steps are the interpreter's steps. The cut steps are exactly the other steps of the system
// without trusted invariants. Each property is explained to its truth value.
func TestExamples(t *testing.T) {
	specs := examples(t)
	for i, name := range slices.Sorted(maps.Keys(specs)) {
		if !testkit.One(i, 3) {
			continue
		}
		spec := specs[name]
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			var saved bytes.Buffer
			o := Options{Seed: 7, Save: func(_ string, write func(io.Writer) error) error {
				return write(&saved)
			}}
			s := start(t, spec, o)
			for range 20 {
				if _, err := s.Do(ctx, "random"); err != nil {
					t.Fatal(err)
				}
				checkSteps(t, s)
				for _, p := range spec.System.Properties {
					if !p.IsInvariant() {
						continue
					}
					holds, err := s.model.Holds(p.Term, s.state())
					text, whyErr := s.Do(ctx, "why "+p.Name)
					var evaluation *interp.EvalError
					if errors.As(err, &evaluation) && testkit.QuantifiesIntegers(p.Term) {
						if whyErr == nil {
							t.Errorf("why %s: %s, and not %v", p.Name, text, err)
						}
						continue
					}
					if err != nil {
						t.Fatal(err)
					}
					err = whyErr
					if want := fmt.Sprintf("%s is %t", p.Name, holds); err != nil ||
						!strings.HasPrefix(text, want) {
						t.Errorf("why %s: %v\n%s", p.Name, err, text)
					}
				}
			}
			if _, err := s.Do(ctx, "save x"); err != nil {
				t.Fatal(err)
			}
			trace, err := itf.Read(&saved)
			if err != nil {
				t.Fatal(err)
			}
			if trace, err = trace.Flat(spec.System.View); err != nil {
				t.Fatal(err)
			}
			var p *system.Property
			if trace.Violates != "" {
				p = spec.System.Property(trace.Violates)
			}
			if err := interp.Replay(ctx, spec.System, trace, p); err != nil {
				t.Fatal(err)
			}
			again, err := NewOfTrace(t.Context(), spec, trace, -1, o)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range []string{"show", "list", "props", "trace", "back 3", "more", "forward 2"} {
				a, errA := s.Do(ctx, line)
				b, errB := again.Do(ctx, line)
				if a != b || fmt.Sprint(errA) != fmt.Sprint(errB) {
					t.Errorf("%s: %v\n%s\nopened again: %v\n%s", line, errA, a, errB, b)
				}
			}
		})
	}
}

// checkSteps compares the steps of the current state, without their arguments, with the
// interpreter's steps.
func checkSteps(t *testing.T, s *Session) {
	t.Helper()
	ctx := context.Background()
	x, err := s.currentSuccessors(ctx)
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]string{}
	for _, m := range x.steps {
		have[m.action+s.model.Key(m.state)] = "listed"
	}
	for _, c := range x.cut {
		have[c.action+s.model.Key(c.state)] += "cut"
	}
	want := map[string]string{}
	free := s.uncut
	if free == nil {
		free = s.model
	}
	for _, a := range s.sys.Actions {
		err := free.Steps(ctx, s.state(), a, func(step interp.Step) error {
			key := a.Name + s.model.Key(step.State)
			want[key] = "listed"
			if s.model.Check(step.State, false) != nil {
				want[key] = "cut"
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if fmt.Sprint(have) != fmt.Sprint(want) {
		t.Errorf("the steps are %v, want %v", have, want)
	}
}

// until finds a nearest state with the formula, as a search by levels shows.
func TestUntilIsShortest(t *testing.T) {
	all := examples(t)
	for _, c := range []struct{ file, formula string }{
		{"lease_without_drift.ere", "!exclusive"},
		{"", "n = 4 & r(s1)"},
		{"", "n = 0 & exists X. r(X)"},
		{"two_phase_commit.ere", "exists R. state(R) = committed"},
		{"two_phase_commit.ere", "(forall R. state(R) = aborted) & sent_prepared(rm0)"},
	} {
		spec := all[c.file]
		if c.file == "" {
			spec = read(t, counter)
		}
		s := start(t, spec, Options{})
		formula, err := s.formula(c.formula)
		if err != nil {
			t.Fatal(err)
		}
		want := distance(t, s, formula)
		if _, err := s.Do(context.Background(), "until "+c.formula); err != nil {
			t.Fatalf("%s: %v", c.formula, err)
		}
		holds, err := s.model.Holds(formula, s.state())
		if err != nil || !holds || s.at != want {
			t.Errorf("%s: %t in state %d, want %d (%v)", c.formula, holds, s.at, want, err)
		}
		trace := s.trace()
		var p *system.Property
		if trace.Violates != "" {
			p = spec.System.Property(trace.Violates)
		}
		if err := interp.Replay(context.Background(), spec.System, trace, p); err != nil {
			t.Errorf("%s: %v", c.formula, err)
		}
	}
}

// distance is the number of the first level of states in which a formula is true somewhere.
func distance(t *testing.T, s *Session, formula *logic.Term) int {
	t.Helper()
	level := map[string]bool{s.model.Key(s.state()): true}
	for n := 0; n < 40; n++ {
		next := map[string]bool{}
		for key := range level {
			state := s.model.StateOfKey(key)
			if holds, err := s.model.Holds(formula, state); err != nil || holds {
				return n
			}
			next[key] = true
			for _, a := range s.sys.Actions {
				if err := s.model.Steps(context.Background(), state, a, func(
					step interp.Step,
				) error {
					next[s.model.Key(step.State)] = true
					return nil
				}); err != nil {
					t.Fatal(err)
				}
			}
		}
		level = next
	}
	t.Fatal("not found")
	return 0
}

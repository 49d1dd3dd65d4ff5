package compile

import (
	"errors"
	"math/rand"
	"path/filepath"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/testkit"
)

// initialsOf enumerates the initial states, in some order. Failed reports a failed evaluation.
func initialsOf(t *testing.T, p Program) (states []interp.State, failed bool) {
	t.Helper()
	i, err := p.(*program).Initials(t.Context())
	if errors.Is(err, ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer i.Close()
	w, err := i.Worker()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for part := range i.Cubes {
		b, err := w.Expand(i.AppendCube(nil, part))
		if err != nil {
			t.Fatal(err)
		}
		failed = failed || len(b.Failed) > 0
		for at := 0; at < len(b.States); at += p.Words() {
			states = append(states, p.Unpack(b.States[at:at+p.Words()]))
		}
	}
	return states, failed
}

// compareInitials compares with the initial states of the interpreter, each once. It returns their
// number, and whether the interpreter fails instead. In that case the program is laid out for the
// given states.
func compareInitials(
	t *testing.T, m *interp.Model, some []interp.State, opts Options,
) (n int, failed bool) {
	t.Helper()
	want, wantErr := initialsByInterpreter(t, m)
	if opts.Initial = want; len(want) == 0 {
		opts.Initial = some
	}
	if len(opts.Initial) == 0 {
		return 0, false // the system is not compiled
	}
	p, err := Compile(t.Context(), m, nil, opts)
	if errors.Is(err, ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	got, failed := initialsOf(t, p)
	if failed != (wantErr != nil) {
		t.Errorf("failed: %t; the interpreter says %v\n%s", failed, wantErr, m.System)
	}
	if failed {
		return len(want), true
	}
	slices.SortFunc(want, slices.Compare[interp.State])
	slices.SortFunc(got, slices.Compare[interp.State])
	if !slices.EqualFunc(got, want, slices.Equal[interp.State]) {
		t.Errorf("%d initial states; want %d\ngot  %v\nwant %v\n%s", len(got), len(want), got, want,
			m.System)
	}
	return len(want), false
}

func initialsByInterpreter(t *testing.T, m *interp.Model) (out []interp.State, err error) {
	err = m.Initial(t.Context(), func(s interp.State) error {
		out = append(out, s)
		return nil
	})
	return out, err
}

func TestInitialStates(t *testing.T) {
	states, failures, compared := 0, 0, 0
	seeds := testkit.Size(100, 600)
	for seed := range seeds {
		t.Run("", func(t *testing.T) {
			rng := rand.New(rand.NewSource(seed))
			sys, err := systemtest.Generate(rng, systemtest.Options{})
			if err != nil {
				t.Fatal(err)
			}
			some, _ := initialsByInterpreter(t, model(t, sys, sys.Instances[0]))
			if seed%3 == 2 {
				broken(rng, sys)
			}
			if seed%2 == 0 {
				sys = system.Inductive(sys)
			}
			opts := Options{}
			if seed%4 < 2 {
				opts.limits = &limits{unknown: defaultLimits.unknown, cachedReads: 1, wordBits: 7}
			}
			n, failed := compareInitials(t, model(t, sys, sys.Instances[0]), some, opts)
			states += n
			if compared++; failed {
				failures++
			}
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		})
		if t.Failed() {
			return
		}
	}
	t.Logf("%d systems, %d initial states, %d failures", compared, states, failures)
	if some := int(seeds); compared < some/2 || states < 30*some || failures < some/60 {
		t.Errorf("too little was compared: %d systems, %d initial states, %d failures", compared,
			states, failures)
	}
}

// The parts of the failure detector's invariants, where slots depend on each other in many ways.
func TestInitialStatesOfFailureDetector(t *testing.T) {
	for _, file := range []string{"inductive.ere", "completeness_inductive.ere"} {
		sys, _, err := ere.Load(filepath.Join("..", "..", "examples", "failure_detector", file))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(file, func(t *testing.T) {
			compareInitials(t, model(t, sys, sys.Instances[0]), nil, Options{})
		})
	}
}

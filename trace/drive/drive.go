// Package drive leads a program through runs of its specification, and compares its state with the
// specification's after every step: model-based testing.
//
// `erelong sim SPEC --generate 20 --to testdata/runs` writes the runs, which cover the actions and
// pairs of actions, the shortest first. In a test of the program,
//
//	drive.Test(t, "testdata/runs", func() drive.Driver { return newServer() })
//
// runs each against a new driver.
package drive

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/trace"
)

// Driver is a program under test. Values are as in a log: numbers are json.Number in arguments, and
// may be of any type in observations.
type Driver interface {
	// Init brings the program to the initial state of a run. All values of the specification's
	// state are given, and of what is immutable, such as the constants of the instance.
	Init(state trace.Values) error
	// Step carries out an action, and gives the variables that the program knows.
	Step(action string, args trace.Values) (trace.Values, error)
}

// Step is a step of a run: the first has no action.
type Step struct {
	Action string       `json:"event"`
	Args   trace.Values `json:"args"`
	State  trace.Values `json:"obs"`
}

// Mismatch says where a program differs from its specification.
type Mismatch struct {
	Step           int // of the run, from 1
	Action         string
	Args           trace.Values
	Variable       string // empty if the program failed
	Expected, Seen string
	Err            error // of the program
}

func (m *Mismatch) Error() string {
	at := fmt.Sprintf("step %d, %s", m.Step, call(m.Action, m.Args))
	if m.Err != nil {
		return fmt.Sprintf("%s: %v", at, m.Err)
	}
	return fmt.Sprintf("%s: %s is %s, and %s in the specification", at, m.Variable, m.Seen,
		m.Expected)
}

func (m *Mismatch) Unwrap() error { return m.Err }

// Read reads a run.
func Read(r io.Reader) ([]Step, error) {
	var run []Step
	in := bufio.NewScanner(r)
	in.Buffer(nil, 16<<20)
	for line := 1; in.Scan(); line++ {
		if len(bytes.TrimSpace(in.Bytes())) == 0 {
			continue
		}
		d := json.NewDecoder(bytes.NewReader(in.Bytes()))
		d.UseNumber()
		d.DisallowUnknownFields()
		var s Step
		if err := d.Decode(&s); err != nil {
			return nil, fmt.Errorf("line %d of the run: %w", line, err)
		}
		run = append(run, s)
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("reading the run: %w", err)
	}
	if len(run) == 0 {
		return nil, errors.New("the run has no state")
	}
	return run, nil
}

// Run leads a driver through a run. The error is a *Mismatch if the program differs.
func Run(run []Step, d Driver) error {
	if err := d.Init(run[0].State); err != nil {
		return &Mismatch{Action: "Init", Err: err}
	}
	for i, s := range run[1:] {
		seen, err := d.Step(s.Action, s.Args)
		if err != nil {
			return &Mismatch{Step: i + 1, Action: s.Action, Args: s.Args, Err: err}
		}
		for _, name := range sorted(seen) {
			want, ok := s.State[name]
			if !ok {
				return &Mismatch{Step: i + 1, Action: s.Action, Args: s.Args,
					Err: fmt.Errorf("the specification has no variable %s", name)}
			}
			if !same(want, seen[name]) {
				return &Mismatch{Step: i + 1, Action: s.Action, Args: s.Args, Variable: name,
					Expected: text(want), Seen: text(seen[name])}
			}
		}
	}
	return nil
}

// Shrink finds a shorter run on which the program fails, too: it ends where it fails, and parts
// that lead back to the same state are left out. New makes a driver for each attempt.
func Shrink(run []Step, new func() Driver) []Step {
	fails := func(run []Step) (int, bool) {
		var m *Mismatch
		if err := Run(run, new()); errors.As(err, &m) {
			return m.Step, true
		}
		return 0, false
	}
	for {
		at, ok := fails(run)
		if !ok {
			return run // the program is not deterministic
		}
		run = run[:at+1]
		shorter := withoutLoop(run, func(r []Step) bool {
			_, ok := fails(r)
			return ok
		})
		if shorter == nil {
			return run
		}
		run = shorter
	}
}

// withoutLoop leaves out the longest part between two equal states that is not needed.
func withoutLoop(run []Step, fails func([]Step) bool) []Step {
	for length := len(run) - 1; length > 0; length-- {
		for i := 0; i+length < len(run); i++ {
			if !reached(run[i+length].State, run[i].State) {
				continue
			}
			if r := slices.Concat(run[:i+1], run[i+length+1:]); len(r) > 1 && fails(r) {
				return r
			}
		}
	}
	return nil
}

// reached reports whether a state is an earlier one, which has more values if it is the first: of
// what is immutable.
func reached(state, earlier trace.Values) bool {
	for name, v := range state {
		if w, ok := earlier[name]; !ok || !same(w, v) {
			return false
		}
	}
	return true
}

// Test runs all runs of a folder as sub-tests, the shortest first, and shows a short failing one.
func Test(t *testing.T, folder string, new func() Driver) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.ndjson"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no runs (*.ndjson) in %s: erelong sim SPEC --generate 20 --to %s writes them",
			folder, folder)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			run, err := Read(f)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if err := Run(run, new()); err != nil {
				short := Shrink(run, new)
				t.Errorf("%v\n%s", Run(short, new()), show(short))
			}
		})
	}
}

// show lists the actions of a run.
func show(run []Step) string {
	var b strings.Builder
	for i, s := range run[1:] {
		fmt.Fprintf(&b, "%d. %s\n", i+1, call(s.Action, s.Args))
	}
	return b.String()
}

func sorted(v trace.Values) (names []string) {
	for name := range v {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// same reports whether a program sees what the specification says. What the specification says
// decides how: a list is a relation, so the order of its tuples is free, and a value may stand for
// a tuple of one. The order of the values within a tuple counts.
func same(want, seen any) bool {
	a, errA := plain(want)
	b, errB := plain(seen)
	return errA == nil && errB == nil && equal(a, b)
}

func equal(want, seen any) bool {
	switch want := want.(type) {
	case map[string]any:
		seen, ok := seen.(map[string]any)
		if !ok || len(seen) != len(want) {
			return false
		}
		for k, w := range want {
			if s, ok := seen[k]; !ok || !equal(w, s) {
				return false
			}
		}
		return true
	case []any:
		seen, ok := seen.([]any)
		return ok && slices.Equal(tuples(want), tuples(seen))
	}
	return text(want) == text(seen)
}

// tuples is the set of tuples of a relation, each as JSON.
func tuples(list []any) []string {
	out := make([]string, len(list))
	for i, x := range list {
		if _, ok := x.([]any); !ok {
			x = []any{x}
		}
		out[i] = text(x)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// plain is a value as JSON has it, with numbers as json.Number.
func plain(v any) (out any, err error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	err = d.Decode(&out)
	return out, err
}

// call is an action with its arguments.
func call(action string, args trace.Values) string {
	if len(args) == 0 {
		return action
	}
	return action + text(args)
}

// text is a value as JSON, or why there is none.
func text(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

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
	// state are given.
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
	at := fmt.Sprintf("step %d, %s%s", m.Step, m.Action, text(m.Args))
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
			if a, b := text(want), text(seen[name]); a != b {
				return &Mismatch{Step: i + 1, Action: s.Action, Args: s.Args, Variable: name,
					Expected: a, Seen: b}
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
			if text(run[i].State) != text(run[i+length].State) {
				continue
			}
			if r := slices.Concat(run[:i+1], run[i+length+1:]); len(r) > 1 && fails(r) {
				return r
			}
		}
	}
	return nil
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
		fmt.Fprintf(&b, "%d. %s%s\n", i+1, s.Action, text(s.Args))
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

// text is a value as canonical JSON: names and lists are sorted, and a list of one value stands for
// the value where it is in a list, since a relation of one argument is a set of values.
func text(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var plain any
	if err := d.Decode(&plain); err != nil {
		return err.Error()
	}
	data, err = json.Marshal(canonical(plain))
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func canonical(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			v[k] = canonical(x)
		}
	case []any:
		for i, x := range v {
			if one, ok := x.([]any); ok && len(one) == 1 {
				v[i] = one[0]
			}
		}
		slices.SortFunc(v, func(a, b any) int {
			return strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
		})
	}
	return v
}

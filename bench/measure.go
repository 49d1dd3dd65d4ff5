package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Measured is one row's outcome.
type Measured struct {
	Table       string   `json:"table"`
	Row         string   `json:"row"`
	Args        []string `json:"args"`
	Verdict     string   `json:"verdict"`
	States      int64    `json:"states"`
	Generated   int64    `json:"generated,omitempty"` // with repetitions, of models in TLA+
	Transitions int64    `json:"transitions"`
	Depth       int64    `json:"depth"`
	Queries     int64    `json:"queries"`
	// Obligations of all properties: the row's property and its invariants.
	Proved      int64 `json:"proved"`
	Obligations int64 `json:"obligations"`
	// The sum over the obligations, some of which run in parallel.
	SolverTime  float64           `json:"solver_seconds"`
	WallSeconds float64           `json:"wall_seconds"`
	CPUSeconds  float64           `json:"cpu_seconds"`
	PeakBytes   int64             `json:"peak_bytes"`
	Paper       map[string]string `json:"paper,omitempty"`
	Wrong       string            `json:"wrong,omitempty"`
	Lemmas      int               `json:"lemmas,omitempty"`  // that were found
	Missing     string            `json:"missing,omitempty"` // where a row is not proved without help
	// Rechecked says how many proofs of the certificate another solver checks again.
	Rechecked string `json:"rechecked,omitempty"`
	// Claims are how many of each kind hold, of proofs of modules in TLA+.
	Claims map[string]string `json:"claims,omitempty"`
	// Of liveness.
	Hints          map[string]int     `json:"hints,omitempty"`
	InvariantLines int                `json:"invariant_lines,omitempty"`
	Stages         map[string]float64 `json:"stage_seconds,omitempty"`

	limit time.Duration // after which the run is interrupted; 0 for none
}

// answer is what a row reads of the program's report.
type answer struct {
	Lemmas  []struct{}
	Results []verdict
}

// verdict is the result for one property.
type verdict struct {
	Property, Verdict, Kind, Scope      string
	Engine                              string
	Reason                              struct{ Text string }
	States, Transitions, Depth, Queries int64
	Generated                           int64
	Evidence                            struct {
		Obligations []struct {
			Verdict string
			Seconds float64
		}
		Search struct {
			Stages []struct {
				Name    string
				Seconds float64
			}
		}
	}
}

// measure runs one row.
func measure(program string, t table, r row) (Measured, error) {
	m := Measured{Table: t.Name, Row: r.Name, Args: r.Args, Paper: map[string]string{}}
	for i, p := range t.Paper {
		if i < len(r.Paper) {
			m.Paper[p] = r.Paper[i]
		}
	}
	if r.Live != nil {
		var err error
		if m.Hints, m.InvariantLines, err = r.Live.guidance(); err != nil {
			return m, err
		}
	}
	args := r.Args
	if r.Stripped || r.Without != "" {
		with, remove, err := stripped(args, r.Without == hintsOnly)
		if err != nil {
			return m, err
		}
		defer remove()
		args = with
	}
	got, err := m.execute(program, args)
	if err != nil {
		return m, err
	}
	if len(got.Results) == 0 {
		return m, errors.New("its report has no results")
	}
	m.Lemmas = len(got.Lemmas)
	for _, x := range got.Results {
		m.Queries += x.Queries
		for _, o := range x.Evidence.Obligations {
			m.Obligations++
			m.SolverTime += o.Seconds
			if o.Verdict == "holds" {
				m.Proved++
			}
		}
	}
	x := r.about(got.Results)
	m.Verdict, m.States, m.Transitions, m.Depth = x.Verdict, x.States, x.Transitions, x.Depth
	for _, s := range x.Evidence.Search.Stages {
		if m.Stages == nil {
			m.Stages = map[string]float64{}
		}
		m.Stages[s.Name] = s.Seconds
	}
	if r.Without != "" && x.Verdict != "holds" {
		m.Missing = x.Reason.Text
	}
	m.Wrong = r.differences(x)
	return m, nil
}

// execute runs the program and notes what the run cost.
func (m *Measured) execute(program string, args []string) (*answer, error) {
	ctx := context.Background()
	if m.limit > 0 {
		within, cancel := context.WithTimeout(ctx, m.limit)
		defer cancel()
		ctx = within
	}
	cmd := exec.CommandContext(ctx, program,
		append(slices.Clone(args), "--format", "json", "-q")...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	var stderr strings.Builder
	cmd.Stderr = &stderr
	begin := time.Now()
	text, err := cmd.Output()
	m.WallSeconds = time.Since(begin).Seconds()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	m.CPUSeconds = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		m.PeakBytes = usage.Maxrss * 1024
	}
	var got answer
	if err := json.Unmarshal(text, &got); err != nil {
		return nil, fmt.Errorf("its output is no report (%w): %s%s", err, text, stderr.String())
	}
	return &got, nil
}

// about is the result that a row is about.
func (r row) about(results []verdict) verdict {
	if r.Without != "" { // the last one about liveness
		for _, x := range slices.Backward(results) {
			if x.Kind == "liveness" && x.Scope == "all" {
				return x
			}
		}
	}
	for _, x := range results {
		// Whatever another engine says of the same property; a search has to prove all of them.
		if x.Verdict == "violated" || r.Stripped && x.Verdict != "holds" {
			return x
		}
	}
	return results[0]
}

// differences says how a result differs from the known values; empty if it does not.
func (r row) differences(x verdict) string {
	var wrong []string
	differs := func(what string, got, want int64) {
		if want != 0 && got != want {
			wrong = append(wrong, fmt.Sprintf("%d %s instead of %d", got, what, want))
		}
	}
	differs("states", x.States, r.States)
	differs("transitions", x.Transitions, r.Transitions)
	differs("states deep", x.Depth, r.Depth)
	if r.Verdict != "" && x.Verdict != r.Verdict {
		wrong = append(wrong,
			fmt.Sprintf("%s (%s) instead of %s", x.Verdict, x.Reason.Text, r.Verdict))
	}
	return strings.Join(wrong, ", ")
}

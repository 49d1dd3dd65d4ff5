package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"erelong.dev/erelong/internal/conformance/runlog"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/itf"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testgen"
)

// generated writes runs that cover the actions of an instance.
func (f *simulation) generated(ctx context.Context, s *streams, sys *system.System) error {
	inst, err := f.chosen(sys)
	if err != nil {
		return err
	}
	m, err := interp.NewModel(sys, inst)
	if err != nil {
		return &exitError{ExitFile, err}
	}
	suite, err := testgen.Runs(ctx, m,
		testgen.Options{Most: f.Sim.generate, MaxStates: f.Sim.maxStates})
	if err != nil {
		return &exitError{ExitFile, err}
	}
	if err := os.MkdirAll(f.Sim.to, 0o755); err != nil {
		return usage("--to %s: %v", f.Sim.to, err)
	}
	for i, t := range suite.Runs {
		name := filepath.Join(f.Sim.to, fmt.Sprintf("run-%03d", i+1))
		if err := writeFile(name+".itf.json",
			func(w io.Writer) error { return itf.Write(w, t) }); err != nil {
			return &exitError{ExitOutput, err}
		}
		if err := writeFile(name+".ndjson",
			func(w io.Writer) error { return writeLog(w, t) }); err != nil {
			return &exitError{ExitOutput, err}
		}
	}
	if _, err := fmt.Fprintf(s.out,
		"%d runs in %s take %d of the %d actions and pairs of actions that were found\n",
		len(suite.Runs), f.Sim.to, suite.Covered, suite.Found); err != nil {
		return err
	}
	if !suite.Whole {
		fmt.Fprintf(s.out, "the search ended at its limit (--max-states): there may be more\n")
	}
	if suite.Examples {
		fmt.Fprintf(s.out, "parameters of sort int take examples: the numbers of the action and "+
			"of the state, and their neighbours\n")
	}
	for _, a := range suite.Never {
		fmt.Fprintf(s.out, "never taken: %s\n", a)
	}
	return nil
}

// writeLog writes a run as a log, which erelong trace reads, too. The first state has the values of
// what is immutable beside it.
func writeLog(w io.Writer, t *result.Trace) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	shown := t.Shown()
	for i, step := range shown.Steps {
		line := struct {
			Event string         `json:"event"`
			Args  map[string]any `json:"args,omitempty"`
			Obs   map[string]any `json:"obs"`
		}{step.Action, map[string]any{}, map[string]any{}}
		values := step.State
		if i == 0 {
			line.Event, values = runlog.FirstState, slices.Concat(shown.Params, values)
		}
		for _, b := range step.Args {
			line.Args[b.Name] = runlog.Plain(b.Value)
		}
		for _, b := range values {
			if b.Value.Kind != result.NoValue {
				line.Obs[b.Name] = runlog.Plain(b.Value)
			}
		}
		if err := e.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

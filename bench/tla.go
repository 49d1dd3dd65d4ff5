package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// tlaTable is the name of the table.
const tlaTable = "tla"

var tlaExamples = &clone{Flag: "tla", What: "a clone of tlaplus/Examples, for tla"}

// tlaSets are the collections of models: the file with TLC's figures, the clone, and the folder in
// it with the models.
var tlaSets = []struct {
	figures string
	clone   *clone
	folder  string
}{
	{"tla-examples.json", tlaExamples, "specifications"},
	{"forte.json", authors, "tlap"},
}

// tlaModel is a configuration with what TLC says of it.
type tlaModel struct {
	Configuration string   `json:"cfg"`
	Module        string   `json:"module"`
	Mode          string   `json:"mode"`
	Result        string   `json:"measured_result"` // or that TLC could not do it
	Flags         []string `json:"flags"`
	JVM           []string `json:"jvm"`
	Error         string   `json:"error"`
	Distinct      int64    `json:"measured_distinct"`
	Total         int64    `json:"measured_total"`
	CPUSeconds    float64  `json:"cpu_s"`

	folder string // with the models
}

// success is TLC's result for a model without an error. Its counts are known.
const success = "success"

// versusTLC explores models in TLA+ and compares results, distinct states and generated states with
// TLC's, and the CPU time with the recorded one, or with that of a run of TLC right after ours. A
// run that the limit ends is open.
func versusTLC(program string, at *places) (out []Measured, err error) {
	fmt.Printf("%-62s %-10s %10s %11s %8s %8s %6s\n",
		"", "verdict", "states", "generated", "cpu s", "TLC", "ratio")
	var sum tlaSummary
	for _, set := range tlaSets {
		models, err := recordedModels(filepath.Join(at.figures, set.figures))
		folder := filepath.Join(*at.folders[set.clone.Flag], set.folder)
		switch {
		case errors.Is(err, os.ErrNotExist):
			fmt.Printf("left out: say with -tlc-figures where %s is\n", set.figures)
			continue
		case err != nil:
			return nil, err
		case !set.clone.given(*at.folders[set.clone.Flag]):
			continue
		}
		if _, err := os.Stat(folder); err != nil {
			fmt.Printf("left out: %v\n", err)
			continue
		}
		for _, x := range models {
			x.folder = folder
			m, err := x.measure(program, at)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", x.Configuration, err)
			}
			sum.add(m, x)
			out = append(out, m)
			fmt.Printf("%-62s %-10s %10d %11d %8.2f %8.2f %6.1f\n", m.Row, m.Verdict, m.States,
				m.Generated, m.CPUSeconds, x.CPUSeconds, x.CPUSeconds/m.CPUSeconds)
			if m.Wrong != "" {
				fmt.Printf("  WRONG: %s\n", m.Wrong)
			}
		}
	}
	sum.print()
	return out, nil
}

// recordedModels reads TLC's figures, without the models that are only simulated.
func recordedModels(file string) (all []tlaModel, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading TLC's figures: %w", err)
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("reading TLC's figures in %s: %w", file, err)
	}
	return slices.DeleteFunc(all, func(x tlaModel) bool { return x.Mode == "simulate" }), nil
}

// open is the verdict of a run that the limit ended.
const open = "open"

func (x *tlaModel) measure(program string, at *places) (Measured, error) {
	m := Measured{Table: tlaTable, Row: x.Configuration,
		Args: []string{"check", x.Configuration}} // verify would try proofs beside it
	if strings.Contains(x.Result, "failure") { // TLC ends there
		m.Args = append(m.Args, "--stop-at-violation")
	}
	args := slices.Clone(m.Args)
	args[1] = filepath.Join(x.folder, filepath.FromSlash(x.Configuration))
	if at.limit > 0 {
		args = append(args, "--timeout", at.limit.String())
	}
	got, err := m.execute(program, args)
	if err != nil {
		m.Verdict, m.Wrong = "error", err.Error()
		got = &answer{}
	}
	if at.tlc != "" {
		if err := x.run(at); err != nil {
			return m, err
		}
	}
	m.Paper = map[string]string{"TLC result": x.Result, "TLC states": fmt.Sprint(x.Distinct),
		"TLC generated": fmt.Sprint(x.Total), "TLC cpu": fmt.Sprintf("%.2f", x.CPUSeconds)}
	if m.Wrong == "" {
		x.judge(&m, got.Results)
	}
	return m, nil
}

// judge compares the results with TLC's. The counts are of the exploration where there is
// one: properties are checked on all states, and a symmetry makes some of them alike.
func (x *tlaModel) judge(m *Measured, results []verdict) {
	m.Verdict = "holds"
	explores := func(r verdict) bool { return r.Engine == "explicit" }
	explored := slices.ContainsFunc(results, explores)
	var violated []string
	for _, r := range results {
		if explores(r) || !explored {
			m.States, m.Generated = max(m.States, r.States), max(m.Generated, r.Generated)
			m.Transitions, m.Depth = max(m.Transitions, r.Transitions), max(m.Depth, r.Depth)
		}
		switch {
		case r.Verdict == "violated":
			violated = append(violated, r.Property)
		case r.Verdict != "holds" && m.Verdict == "holds":
			m.Verdict, m.Missing = open, r.Verdict+": "+r.Property+" "+r.Reason.Text
		}
	}
	if len(violated) > 0 {
		m.Verdict = "violated"
	}
	switch {
	case strings.Contains(x.Result, "failure"):
		named := func(p string) bool { return strings.Contains(x.Error, " "+p+" ") }
		if m.Verdict == open || slices.ContainsFunc(violated, named) {
			break
		}
		m.Wrong = fmt.Sprintf("%s %v, and TLC says: %s", m.Verdict, violated, x.Error)
	case len(violated) > 0 && x.Result == success:
		m.Wrong = fmt.Sprintf("%v violated, which TLC does not find", violated)
	case x.Result != success || m.Verdict == open:
		// TLC has no counts, or there are none to compare.
	case m.States != x.Distinct || m.Generated != x.Total:
		m.Wrong = fmt.Sprintf("%d distinct states of %d generated instead of %d of %d",
			m.States, m.Generated, x.Distinct, x.Total)
	}
}

var (
	tlcCounts = regexp.MustCompile(
		`(?m)^(\d+) states generated, (\d+) distinct states found, (\d+) states left`)
	tlcError = regexp.MustCompile(
		`(?m)^Error: ((?:Invariant|Temporal property|Action property) .* violated.*)$`)
)

// run measures TLC on the model, and has its figures take the place of the recorded ones.
func (x *tlaModel) run(at *places) error {
	dir, err := os.MkdirTemp("", "tlc-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx := context.Background()
	if at.limit > 0 {
		limited, cancel := context.WithTimeout(ctx, at.limit)
		defer cancel()
		ctx = limited
	}
	args := append(slices.Clone(x.JVM), "-XX:+UseParallelGC", "-Xmx3g", "-cp", at.tlc, "tlc2.TLC",
		filepath.FromSlash(x.Module), "-config", path.Base(x.Configuration),
		"-metadir", dir, "-noGenerateSpecTE")
	cmd := exec.CommandContext(ctx, "java", append(args, x.Flags...)...)
	cmd.Dir = x.folder
	text, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && ctx.Err() == nil {
		return fmt.Errorf("running TLC: %w", err)
	}
	x.CPUSeconds = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	found, failed := tlcCounts.FindSubmatch(text), tlcError.FindSubmatch(text)
	if found != nil {
		x.Total, _ = strconv.ParseInt(string(found[1]), 10, 64) // it is a number or too large
		x.Distinct, _ = strconv.ParseInt(string(found[2]), 10, 64)
	}
	switch {
	case ctx.Err() != nil:
		x.Result = "timeout"
	case failed != nil:
		x.Result, x.Error = "failure", string(failed[1])
	case err == nil:
		x.Result = success
	default:
		x.Result = fmt.Sprintf("exit code %d", cmd.ProcessState.ExitCode())
	}
	return nil
}

// tlaSummary is what the rows say together.
type tlaSummary struct {
	rows, wrong, open int
	ours, theirs      float64   // CPU seconds of the models that both end
	large             []float64 // ratios where there are more than largeModel states
	slower            []string
	started, quick    int // models on which TLC mostly starts, and ours below quickRun
}

const (
	largeModel = 100_000
	startOfTLC = 2.0 // CPU seconds
	quickRun   = 0.3
)

func (s *tlaSummary) add(m Measured, x tlaModel) {
	s.rows++
	switch {
	case m.Wrong != "":
		s.wrong++
		return
	case m.Verdict == open:
		s.open++
		return
	case x.Result != success && !strings.Contains(x.Result, "failure"):
		return // TLC does not end it
	}
	s.ours, s.theirs = s.ours+m.CPUSeconds, s.theirs+x.CPUSeconds
	if m.CPUSeconds > x.CPUSeconds {
		s.slower = append(s.slower, m.Row)
	}
	if m.States > largeModel {
		s.large = append(s.large, x.CPUSeconds/m.CPUSeconds)
	}
	if x.CPUSeconds < startOfTLC {
		s.started++
		if m.CPUSeconds < quickRun {
			s.quick++
		}
	}
}

func (s *tlaSummary) print() {
	if s.rows == 0 {
		return
	}
	fmt.Printf("%d models, %d unlike TLC, %d open at the limit; %.1f CPU s, TLC %.1f\n",
		s.rows, s.wrong, s.open, s.ours, s.theirs)
	if len(s.large) > 0 {
		slices.Sort(s.large)
		fmt.Printf("%d models above %d states: TLC takes %.1f times as long (median)\n",
			len(s.large), largeModel, s.large[len(s.large)/2])
	}
	fmt.Printf("%d models take TLC less than %.0f s, and of these %d take us less than %.1f s\n",
		s.started, startOfTLC, s.quick, quickRun)
	if len(s.slower) > 0 {
		fmt.Printf("slower than TLC: %s\n", strings.Join(s.slower, ", "))
	}
}

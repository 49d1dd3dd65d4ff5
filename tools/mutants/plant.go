package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// outcome is what became of a fault.
type outcome string

const (
	killed     outcome = "killed"
	survived   outcome = "survived"
	noProgram  outcome = "does not compile"
	equivalent outcome = "equivalent"
)

// finding is a fault and what became of it.
type finding struct {
	Fault   string  `json:"fault"`
	Line    int     `json:"line"`
	Outcome outcome `json:"outcome"`
	By      string  `json:"by,omitempty"`   // the test that failed, or the limit
	Late    bool    `json:"late,omitempty"` // the tests ran out of time
	Seed    string  `json:"seed,omitempty"` // of the generated system, where the test names it
	Why     string  `json:"why,omitempty"`  // the fault is equivalent
}

// effort is what a suite costs without a fault.
type effort struct{ processor, clock time.Duration }

// planter runs tests with faults. No file of the module changes: the go command reads the changed
// file in place of the original.
type planter struct {
	root     string
	dir      string        // for the changed file and the overlay
	slack    time.Duration // that a suite may have beyond three times of what it costs
	baseline map[suite]effort
}

// run is the end of one go command.
type run struct {
	ok     bool
	output string
	effort effort
}

// measure runs a suite without a fault.
func (p *planter) measure(ctx context.Context, s suite) (effort, error) {
	if e, ok := p.baseline[s]; ok {
		return e, nil
	}
	r, err := p.test(ctx, s, nil, effort{10 * time.Minute, 20 * time.Minute})
	if err != nil {
		return effort{}, err
	}
	if !r.ok {
		return effort{}, fmt.Errorf("the tests of %s fail without a fault:\n%s", s.pkg, r.output)
	}
	p.baseline[s] = r.effort
	return r.effort, nil
}

// find plants a fault and asks the suites of its target.
func (p *planter) find(ctx context.Context, t target, s site) (finding, error) {
	out := finding{Fault: s.key(), Line: s.line, Outcome: survived}
	name := filepath.Join(p.root, filepath.FromSlash(s.file))
	text, err := os.ReadFile(name)
	if err != nil {
		return out, err
	}
	changed := filepath.Join(p.dir, "changed.go")
	if err := os.WriteFile(changed, s.plant(text), 0o644); err != nil {
		return out, err
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {name: changed}})
	if err != nil {
		return out, err
	}
	file := filepath.Join(p.dir, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o644); err != nil {
		return out, err
	}
	with := []string{"-overlay", file}
	build := append([]string{"build"}, with...)
	r, err := p.command(ctx, append(build, "./"+t.pkg), effort{time.Hour, time.Hour})
	if err != nil {
		return out, err
	}
	if !r.ok {
		out.Outcome = noProgram
		return out, nil
	}
	for _, suite := range t.suites {
		base, err := p.measure(ctx, suite)
		if err != nil {
			return out, err
		}
		r, err := p.test(ctx, suite, with, effort{
			3*base.processor + p.slack, 10*base.clock + time.Minute})
		if err != nil {
			return out, err
		}
		if !r.ok {
			out.Outcome = killed
			killer(&out, suite, r.output)
			return out, nil
		}
	}
	return out, nil
}

// test runs a suite with limits.
func (p *planter) test(ctx context.Context, s suite, with []string, limit effort) (run, error) {
	args := append([]string{"test", "-count=1", "-failfast", "-vet=off",
		"-timeout", limit.clock.String()}, with...)
	if s.run != "" {
		args = append(args, "-run", s.run)
	}
	if s.skip != "" {
		args = append(args, "-skip", s.skip)
	}
	return p.command(ctx, append(args, "./"+s.pkg), limit)
}

// memory is what a process may have, in KiB: a fault can make a search endless.
const memory = 12 << 20

// command runs the go command. The limit is one of processor time, so that a busy machine kills no
// fault; the clock is for what waits.
func (p *planter) command(ctx context.Context, args []string, limit effort) (run, error) {
	ctx, cancel := context.WithTimeout(ctx, limit.clock+time.Minute)
	defer cancel()
	limits := fmt.Sprintf("ulimit -v %d; ulimit -t %d; exec go \"$@\"", memory,
		int(limit.processor.Seconds())+1)
	cmd := exec.CommandContext(ctx, "sh", append([]string{"-c", limits, "go"}, args...)...)
	cmd.Dir = p.root
	cmd.Env = append(os.Environ(), "ERELONG_CACHE=off", "CGO_ENABLED=0")
	cmd.WaitDelay = 10 * time.Second
	alone(cmd)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	begin := time.Now()
	err := cmd.Run()
	out := run{ok: err == nil, output: output.String()}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) &&
		ctx.Err() == nil {
		return out, fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	if state := cmd.ProcessState; state != nil {
		out.effort = effort{state.UserTime() + state.SystemTime(), time.Since(begin)}
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		out.output += "\ntest timed out"
		return out, nil
	}
	return out, ctx.Err()
}

var (
	failed  = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)
	crashed = regexp.MustCompile(`(?m)^(?:\s*)((?:erelong\.dev/\S*\.)?(?:Test|Fuzz)\w*)(?:\.func\S*)?\(`)
	seeded  = regexp.MustCompile(`(?m)\bseed[ _=:]*(\d+)`)
	late    = regexp.MustCompile(`test timed out|cpu time limit|signal: (?:killed|SIGXCPU)`)
)

// killer notes the test that failed, and the seed of the system that it failed on.
func killer(f *finding, s suite, output string) {
	by := s.pkg
	name := ""
	for _, m := range failed.FindAllStringSubmatch(output, -1) {
		name = m[1] // the innermost comes last
	}
	switch f.Late = late.MatchString(output); {
	case f.Late:
		by += " (limit of time)"
	case name != "":
		by += " " + name
	default:
		by += " (panic)"
		if m := crashed.FindStringSubmatch(output); m != nil {
			by += " " + m[1][strings.LastIndex(m[1], ".")+1:]
		}
	}
	if m := seeded.FindStringSubmatch(output); m != nil {
		f.Seed = m[1]
	}
	f.By = by
}

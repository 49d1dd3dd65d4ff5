package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

// spun is a run of Spin on the model of a row. It stores all states, without a reduction.
type spun struct {
	file   string
	define []string
	ltl    bool // a formula of the model is checked, else only states are counted
}

const lock = "bench/models/lock"

// locked is a row about a lock, with the same model for Spin: its states, or a formula of LTL.
func locked(name, property string, with *spun) row {
	const last = 15
	with.file, with.define = lock+".pml", append(with.define, fmt.Sprintf("-DN=%d", last+1))
	return row{
		Name: name,
		Args: []string{"check", lock + ".ere", "-p", property, "-i", fmt.Sprintf("last=%d", last),
			"--threads", "1"},
		Verdict: "holds", States: 589_824, Spin: with,
	}
}

var storedStates = regexp.MustCompile(`(?m)^\s*(\d+) states, stored`)

// run gives Spin's states, CPU seconds and states a CPU second, without the time to generate and
// compile its program. Where Spin or a compiler of C is missing, it says so.
func (s *spun) run() (string, error) {
	for _, tool := range []string{"spin", "gcc"} {
		if _, err := exec.LookPath(tool); err != nil {
			return "no " + tool, nil
		}
	}
	file, err := filepath.Abs(s.file)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "spin-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	step := func(name string, args ...string) (*exec.Cmd, string, error) {
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		text, err := cmd.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("running %s on %s: %w: %s", name, s.file, err, text)
		}
		return cmd, string(text), err
	}
	if _, _, err := step("spin", append(append([]string{"-a"}, s.define...), file)...); err != nil {
		return "", err
	}
	compile := []string{"-O2", "-w", "-DNOREDUCE", "-DMEMLIM=8000", "-o", "pan", "pan.c"}
	search := []string{"-m5000000", "-w24"}
	if s.ltl {
		search = append(search, "-a")
	} else {
		compile = append(compile, "-DSAFETY")
	}
	if _, _, err := step("gcc", compile...); err != nil {
		return "", err
	}
	cmd, text, err := step(filepath.Join(dir, "pan"), search...)
	if err != nil {
		return "", err
	}
	found := storedStates.FindStringSubmatch(text)
	if found == nil {
		return "", fmt.Errorf("no states are counted for %s: %s", s.file, text)
	}
	states, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		return "", fmt.Errorf("reading Spin's count: %w", err)
	}
	cpu := (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	return fmt.Sprintf("%.0f, %.2fs, %.2fM", states, cpu, states/cpu/1e6), nil
}

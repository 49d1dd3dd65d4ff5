package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// mypyvyTable is the name of the table.
const mypyvyTable = "mypyvy"

// mypyvyLimit is the time for one run of either program.
const mypyvyLimit = 5 * time.Minute

// mypyvyFiles are the compared files of a clone of mypyvy: files with proofs, and files with bugs.
// Its fbii files are checked by mypyvy's fbii command and not by verify, so they are not compared.
var mypyvyFiles = []string{"examples/*.pyv", "examples/misc/pd/*unsafe*.pyv"}

// pythons are tried in this order: the solver's Python package is often only in the system's.
var pythons = []string{"/usr/bin/python3", "python3"}

// versusMypyvy measures the CPU time of erelong prove beside that of mypyvy verify, file by file.
// If the clone or its requirements are missing, it prints the reason.
func versusMypyvy(program, folder string) ([]Measured, error) {
	python := ""
	for _, p := range pythons {
		if exec.Command(p, "-c", "import z3, ply, networkx").Run() == nil {
			python = p
			break
		}
	}
	script := filepath.Join(folder, "src", "mypyvy.py")
	_, err := os.Stat(script)
	switch {
	case folder == "":
		fmt.Println("left out: there is no mypyvy; say where its clone is with -mypyvy FOLDER")
		return nil, nil
	case err != nil:
		fmt.Printf("left out: %v\n", err)
		return nil, nil
	case python == "":
		fmt.Println("left out: no Python with z3, ply and networkx (on Debian: python3-z3 " +
			"python3-ply python3-networkx)")
		return nil, nil
	}
	var out []Measured
	var ratios []float64
	slower := 0
	fmt.Printf("%-58s %9s %9s %6s  %s\n", "", "cpu s", "mypyvy", "ratio", "exit codes")
	for _, pattern := range mypyvyFiles {
		files, err := filepath.Glob(filepath.Join(folder, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			ours, code, err := cpu(program, "prove", "--cache=off", "-q", file)
			if err != nil {
				return nil, err
			}
			theirs, itsCode, err := cpu(python, script, "verify", file)
			if err != nil {
				return nil, err
			}
			name := strings.TrimPrefix(filepath.ToSlash(file),
				filepath.ToSlash(filepath.Join(folder, "examples"))+"/")
			m := Measured{Table: "mypyvy", Row: name, Verdict: fmt.Sprintf("exit code %s", code),
				CPUSeconds: ours,
				Paper: map[string]string{"mypyvy cpu": fmt.Sprintf("%.2f", theirs),
					"mypyvy exit code": itsCode}}
			fmt.Printf("%-58s %9.2f %9.2f %6.2f  %s %s\n", name, ours, theirs, ours/theirs, code,
				itsCode)
			if (code == "0") != (itsCode == "0") && code != "timeout" && itsCode != "timeout" {
				m.Wrong = fmt.Sprintf("exit code %s, and that of mypyvy is %s", code, itsCode)
				fmt.Printf("  WRONG: %s\n", m.Wrong)
			}
			out = append(out, m)
			ratios = append(ratios, ours/theirs)
			if ours > theirs {
				slower++
			}
		}
	}
	if len(ratios) == 0 {
		return nil, fmt.Errorf("%s has no examples", folder)
	}
	slices.Sort(ratios)
	fmt.Printf("%d files, median ratio %.2f, slower than mypyvy on %d\n", len(ratios),
		ratios[len(ratios)/2], slower)
	return out, nil
}

// cpu gives the CPU time of a command with its children, and its exit code in words.
func cpu(program string, args ...string) (seconds float64, code string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), mypyvyLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && ctx.Err() == nil {
		return 0, "", err
	}
	code = fmt.Sprint(cmd.ProcessState.ExitCode())
	if ctx.Err() != nil {
		code = "timeout"
	}
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), code, nil
}

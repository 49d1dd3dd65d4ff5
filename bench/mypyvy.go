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
	"sync"
	"syscall"
	"time"
)

// mypyvyTable is the name of the table.
const mypyvyTable = "mypyvy"

// mypyvyLimit bounds the CPU seconds of each process of either program, so that what else the
// machine does cuts no run. A run that only waits is ended after mypyvyGuard.
const (
	mypyvyLimit = 120
	mypyvyGuard = time.Hour
)

// together is the number of files that are measured at the same time.
const together = 4

// mypyvySets are the compared files of a clone of mypyvy, each set with the commands of mypyvy that
// do what erelong prove does: files with proofs, files with bugs, and files that have a proof by
// forward-backward induction beside their invariants.
var mypyvySets = []struct {
	pattern  string
	commands []string
}{
	{"examples/*.pyv", []string{"verify"}},
	{"examples/misc/pd/*unsafe*.pyv", []string{"verify"}},
	{"examples/fbii/*/*.pyv", []string{"verify", "fbii"}},
}

// pythons are tried in this order: the solver's Python package is often only in the system's.
var pythons = []string{"/usr/bin/python3", "python3"}

// versusMypyvy measures the CPU time of erelong prove beside that of mypyvy, file by file. Both
// programs run at the same time, so what else the machine does slows both. Erelong's figures have
// the traces of a file, too, which mypyvy decides by a command of its own. If the clone or its
// requirements are missing, it prints the reason.
func versusMypyvy(program string, at *places) ([]Measured, error) {
	folder := at.mypyvy
	python := ""
	for _, p := range pythons {
		if exec.Command(p, "-c", "import z3, ply, networkx, typing_extensions").Run() == nil {
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
		fmt.Println("left out: no Python with z3, ply, networkx and typing_extensions (on " +
			"Debian: python3-z3 python3-ply python3-networkx python3-typing-extensions)")
		return nil, nil
	}
	rows, err := start(func(r *versus) { r.measure(program, python, script) }, folder)
	if err != nil {
		return nil, err
	}
	var out []Measured
	var ratios []float64
	slower, open := 0, 0
	fmt.Printf("%-58s %9s %9s %6s  %s\n", "", "cpu s", "mypyvy", "ratio", "exit codes")
	for _, r := range rows {
		<-r.done
		if err := errors.Join(r.ours.err, r.theirs.err); err != nil {
			return nil, err
		}
		m := r.measured(filepath.Join(folder, "examples"))
		fmt.Printf("%-58s %9.2f %9.2f %6.2f  %s %s\n",
			m.Row, r.ours.seconds, r.theirs.seconds, r.ratio(), r.ours.code, r.theirs.code)
		if m.Wrong != "" {
			fmt.Printf("  WRONG: %s\n", m.Wrong)
		}
		out = append(out, m)
		if r.ours.code == timedOut && r.theirs.code == timedOut {
			open++
			continue
		}
		ratios = append(ratios, r.ratio())
		if r.ours.code == timedOut || r.ratio() > 1 && r.theirs.code != timedOut {
			slower++
		}
	}
	if len(ratios) == 0 {
		return nil, fmt.Errorf("%s has no examples", folder)
	}
	slices.Sort(ratios)
	fmt.Printf("%d files, median ratio %.2f, slower than mypyvy on %d; neither ended in %d CPU s "+
		"on %d more\n",
		len(ratios), ratios[len(ratios)/2], slower, mypyvyLimit, open)
	r, err := startUp(program, python, script)
	if err != nil {
		return nil, err
	}
	m := r.measured("")
	fmt.Printf("%-58s %9.2f %9.2f %6.2f\n", m.Row, r.ours.seconds, r.theirs.seconds, r.ratio())
	return append(out, m), nil
}

// start lists the files of a clone, and begins to measure them in their order, some at a time.
func start(measure func(*versus), folder string) (rows []*versus, err error) {
	for _, set := range mypyvySets {
		files, err := filepath.Glob(filepath.Join(folder, filepath.FromSlash(set.pattern)))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			rows = append(rows, &versus{file: file, commands: set.commands,
				done: make(chan struct{})})
		}
	}
	next := make(chan *versus)
	for range together {
		go func() {
			for r := range next {
				measure(r)
			}
		}()
	}
	go func() {
		for _, r := range rows {
			next <- r
		}
		close(next)
	}()
	return rows, nil
}

// versus is a file with the runs of both programs.
type versus struct {
	file         string
	commands     []string // of mypyvy
	ours, theirs spent
	done         chan struct{}
}

// smallest has hardly anything to prove, so it shows what the start of both programs costs.
const smallest = `sort s
mutable relation r(s)
init !r(X)
transition shrink() modifies r & (new(r(X)) -> r(X))
safety !r(X)
`

// startUp measures both programs on the smallest file.
func startUp(program, python, script string) (*versus, error) {
	folder, err := os.MkdirTemp("", "erelong-bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	r := &versus{file: filepath.Join(folder, "start-up"), commands: []string{"verify"},
		done: make(chan struct{})}
	if err := os.WriteFile(r.file, []byte(smallest), 0o600); err != nil {
		return nil, err
	}
	r.measure(program, python, script)
	r.file = filepath.Base(r.file)
	return r, errors.Join(r.ours.err, r.theirs.err)
}

func (r *versus) measure(program, python, script string) {
	defer close(r.done)
	var wg sync.WaitGroup
	wg.Go(func() { r.ours = cpu(program, "prove", "--cache=off", "-q", r.file) })
	wg.Go(func() {
		r.theirs = spent{code: "0"}
		for _, command := range r.commands {
			r.theirs.add(cpu(python, script, command, r.file))
		}
	})
	wg.Wait()
}

func (r *versus) ratio() float64 { return r.ours.seconds / r.theirs.seconds }

func (r *versus) measured(examples string) Measured {
	name := strings.TrimPrefix(filepath.ToSlash(r.file), filepath.ToSlash(examples)+"/")
	m := Measured{Table: mypyvyTable, Row: name, Verdict: "exit code " + r.ours.code,
		CPUSeconds: r.ours.seconds, Paper: map[string]string{
			"mypyvy cpu":       fmt.Sprintf("%.2f", r.theirs.seconds),
			"mypyvy exit code": r.theirs.code,
			"mypyvy command":   strings.Join(r.commands, ", "),
		}}
	late := r.ours.code == timedOut || r.theirs.code == timedOut
	if (r.ours.code == "0") != (r.theirs.code == "0") && !late {
		m.Wrong = fmt.Sprintf("exit code %s, and that of mypyvy is %s", r.ours.code, r.theirs.code)
	}
	return m
}

// timedOut stands for the exit code of a run that the limit ended.
const timedOut = "timeout"

// spent is the CPU time of a run with its children, and its exit code in words.
type spent struct {
	seconds float64
	code    string
	err     error
}

// add adds a further run; the first exit code other than 0 counts.
func (s *spent) add(more spent) {
	s.seconds += more.seconds
	if s.code == "0" {
		s.code = more.code
	}
	s.err = errors.Join(s.err, more.err)
}

// cpu runs a program within the limit, which a shell sets for each of its processes.
func cpu(program string, args ...string) spent {
	ctx, cancel := context.WithTimeout(context.Background(), mypyvyGuard)
	defer cancel()
	limited := fmt.Sprintf(`ulimit -t %d && exec "$@"`, mypyvyLimit)
	cmd := exec.CommandContext(ctx, "sh",
		append([]string{"-c", limited, "sh", program}, args...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && ctx.Err() == nil {
		return spent{err: err}
	}
	code := fmt.Sprint(cmd.ProcessState.ExitCode())
	took := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	ended := ok && (status.Signal() == syscall.SIGXCPU || status.Signal() == syscall.SIGKILL)
	if ctx.Err() != nil || ended {
		code = timedOut
	}
	return spent{seconds: took.Seconds(), code: code}
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/project"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/work/queue"
)

func doctorCommand(s *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Say what was found on this machine: solvers, caches, memory, settings",
		Long: `doctor looks for each solver that erelong knows, asks it a question that has the answer sat and one that has the answer unsat,
and measures how many such questions it answers in a second. It lists the options that the environment and erelong.toml
set
here. The exit code is 4 when no solver can be used.`,
		Args: noFile,
		RunE: func(cmd *cobra.Command, _ []string) error { return doctor(cmd.Context(), s) },
	}
}

func doctor(ctx context.Context, s *streams) error {
	fmt.Fprintf(s.out, "erelong   %s, %s %s/%s\n", Version(), runtime.Version(), runtime.GOOS,
		runtime.GOARCH)
	fmt.Fprintf(s.out, "machine   %d processors", runtime.NumCPU())
	if n := explicit.MachineMemory(); n > 0 {
		fmt.Fprintf(s.out, ", %.1f GiB of memory", float64(n)/(1<<30))
	}
	fmt.Fprintln(s.out)
	ctx = smt.WithNotice(ctx, func(text string) { fmt.Fprintf(s.err, "%s\n", text) })
	usable := 0
	for _, name := range smt.Names() {
		ds, err := smt.Find(ctx, []string{name})
		if err == nil {
			err = examine(ctx, s, ds[0])
		}
		switch {
		case ctx.Err() != nil:
			return &exitError{ExitInterrupted, errors.New("interrupted")}
		case err != nil:
			reason := strings.TrimSuffix(err.Error(), ": "+smt.ErrNoSolver.Error())
			fmt.Fprintf(s.out, "solver    %s cannot be used: %s\n", name, reason)
		default:
			usable++
		}
	}
	doctorCaches(s)
	doctorSettings(s)
	if usable == 0 {
		return &exitError{ExitSolver, smt.ErrNoSolver}
	}
	return nil
}

// The questions of the self-test.
var selfTest = []struct {
	assert string
	want   smt.Status
}{
	{"(assert (and (p a) (> n 3) (< n 5)))", smt.Sat},
	{"(assert (and (forall ((x S)) (p x)) (not (p a))))", smt.Unsat},
}

var selfTestBase = []string{"(declare-sort S 0)", "(declare-fun p (S) Bool)",
	"(declare-fun a () S)", "(declare-fun n () Int)"}

// trials is the number of repetitions for measuring the speed.
const trials = 100

func examine(ctx context.Context, s *streams, d smt.Driver) error {
	session := smt.NewSession(d, smt.Config{})
	defer session.Close()
	ask := func() error {
		for _, q := range selfTest {
			a, err := session.Check(ctx, smt.Query{Base: selfTestBase, Body: []string{q.assert}})
			if err != nil {
				return err
			}
			if a.Status != q.want {
				return fmt.Errorf("to a question with the answer %s it said %s", q.want, a.Status)
			}
		}
		return nil
	}
	began := time.Now()
	if err := ask(); err != nil {
		return err
	}
	started := time.Since(began)
	began = time.Now()
	for range trials {
		if err := ask(); err != nil {
			return err
		}
	}
	speed := float64(trials*len(selfTest)) / time.Since(began).Seconds()
	fmt.Fprintf(s.out,
		"solver    %s: self-test passed, first answers after %s, then %.0f a second\n",
		smt.Label(d), started.Round(time.Millisecond), speed)
	return nil
}

// doctorCaches lists the caches, with their sizes.
func doctorCaches(s *streams) {
	dir, err := smt.CacheFolder()
	if err != nil {
		fmt.Fprintf(s.out, "cache     none: %v\n", err)
		return
	}
	caches := []string{dir}
	proofs, err := proofsDir()
	if err == nil && proofs != "" && !strings.HasPrefix(proofs, dir+string(filepath.Separator)) {
		caches = append(caches, proofs)
	}
	for _, c := range caches {
		fmt.Fprintf(s.out, "cache     %s, %.1f MiB\n", c, float64(size(c))/(1<<20))
	}
}

// doctorSettings lists the options that the environment and the project set here.
func doctorSettings(s *streams) {
	for _, name := range variables() {
		if value := os.Getenv(name); value != "" && !slices.Contains(secrets(), name) {
			fmt.Fprintf(s.out, "setting   %s=%s\n", name, value)
		}
	}
	if err := checkEnvironment(); err != nil {
		fmt.Fprintf(s.out, "setting   %v\n", err)
	}
	settings, err := project.Find(".")
	if err == nil && settings != nil {
		err = settings.Check(known(Root(s.in, s.out, s.err)))
	}
	if err != nil {
		fmt.Fprintf(s.out, "setting   %v\n", err)
		return
	}
	if settings == nil {
		return
	}
	for _, line := range settings.Lines() {
		fmt.Fprintf(s.out, "setting   %s\n", line)
	}
}

// secrets are the variables whose values are not shown.
func secrets() []string { return []string{queue.EnvKey, queue.EnvServer} }

// size adds up the files in a folder; an unreadable file counts nothing.
func size(dir string) (total int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			total += info.Size()
		}
		return nil
	})
	return total
}

package induction

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/testkit"
)

// Solvers that die at any time cost answers but change none, and the run ends.
func TestSolversKilled(t *testing.T) {
	testkit.InCI(t)
	testkit.Solvers(t)
	ctx := t.Context()
	killed, missing := 0, 0
	for seed := range testkit.Size(3, 8) {
		sys := generate(seed)
		undisturbed := prove(ctx, t, sys, Options{})
		stop := make(chan struct{})
		var wait sync.WaitGroup
		wait.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				case <-time.After(time.Duration(1+(n*7+int(seed))%11) * time.Millisecond):
				}
				for i, pid := range children(t) {
					if (i+n)%3 == 0 && syscall.Kill(pid, syscall.SIGKILL) == nil {
						killed++
					}
				}
			}
		})
		results := prove(ctx, t, sys, Options{Options: discharge.Options{Jobs: 3}})
		close(stop)
		wait.Wait()
		missing += agree(t, seed, undisturbed, results)
	}
	if killed == 0 {
		t.Error("no solver was killed")
	}
	t.Logf("%d killed, %d answers missing", killed, missing)
}

// children lists the solvers that this process has started and that run.
func children(t *testing.T) (pids []int) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Error(err)
	}
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		head, rest, ok := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		if !ok || len(fields) < 2 || fields[0] == "Z" || fields[1] != strconv.Itoa(os.Getpid()) {
			continue
		}
		if name := head[strings.Index(head, "(")+1:]; name != "z3" && name != "cvc5" {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

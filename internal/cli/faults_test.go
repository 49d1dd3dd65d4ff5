package cli

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"erelong.dev/erelong/internal/testkit"
	"erelong.dev/erelong/internal/work/queue"
)

// Processes that are killed at random, workers and the one that submits, change no verdict.
func TestKilledProcesses(t *testing.T) {
	testkit.Solvers(t)
	rounds := 2
	if os.Getenv("ERELONG_LONG") != "" {
		rounds = 100
	}
	path := filepath.Join("..", "..", "examples", "mutex_starvation.ere")
	want, wantCode := essenceOf(t, "verify", "-q", "--format", "json", path)
	for round := range rounds {
		random := rand.New(rand.NewPCG(uint64(round), 22))
		l, err := queue.StartServer(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		l.Server.Silence = time.Second
		if err := l.Spawn(3, nil); err != nil {
			t.Fatal(err)
		}
		// No more kills than a job has tries: what is killed too often is given up.
		kills := 3
		stop := make(chan struct{})
		go func() {
			for range kills {
				select {
				case <-time.After(time.Duration(random.IntN(400)) * time.Millisecond):
				case <-stop:
					return
				}
				all := l.Processes()
				if len(all) == 0 {
					continue
				}
				if p, err := os.FindProcess(all[random.IntN(len(all))]); err == nil {
					_ = p.Kill()
				}
			}
		}()
		program := func(args ...string) *exec.Cmd {
			cmd := exec.Command(os.Args[0], args...)
			cmd.Env = append(os.Environ(), "ERELONG_TEST_PROGRAM=1",
				queue.EnvServer+"="+l.Server.URL,
				queue.EnvKey+"="+hex.EncodeToString(l.Server.Team))
			return cmd
		}
		first := program("verify", "-q", "--format", "json", "--workers", l.Server.URL, path)
		if err := first.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(100+random.IntN(1000)) * time.Millisecond)
		_ = first.Process.Kill()
		_ = first.Wait()

		var list, out, errOut bytes.Buffer
		jobs := program("jobs")
		jobs.Stdout = &list
		if err := jobs.Run(); err != nil {
			t.Fatal(err)
		}
		again := program("verify", "-q", "--format", "json", "--workers", l.Server.URL, path)
		// it was announced before it was killed
		if lines := strings.Split(strings.TrimSpace(list.String()), "\n"); len(lines) > 1 {
			again = program("jobs", "attach", strings.Fields(lines[1])[0])
		}
		again.Stdout, again.Stderr = &out, &errOut
		err = again.Run()
		close(stop)
		code := 0
		if exit := new(exec.ExitError); errors.As(err, &exit) {
			code = exit.ExitCode()
		}
		var got essence
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatalf("round %d: %v\n%s%s", round, err, &out, &errOut)
		}
		if diff := cmp.Diff(want, got); diff != "" || code != wantCode {
			t.Errorf("round %d: exit codes %d and %d; undisturbed -, disturbed +\n%s%s", round,
				wantCode, code, diff, &errOut)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}

package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"erelong.dev/erelong/internal/testkit"
	"erelong.dev/erelong/internal/work/queue"
)

const testPassword = "password-of-the-test"

// serveForTest is a process that is a NATS server until it is killed.
func serveForTest(folder string) {
	port, _ := strconv.Atoi(os.Getenv("ERELONG_TEST_PORT"))
	if _, err := queue.StartServerAt(folder, port, testPassword); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	select {}
}

// farm is a server and workers, each a process that can be killed and is then started again.
type farm struct {
	t      *testing.T
	folder string
	port   int
	wg     sync.WaitGroup

	mu      sync.Mutex
	over    bool
	running map[string]*exec.Cmd
}

func newFarm(t *testing.T, workers int) *farm {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &farm{t: t, folder: t.TempDir(), port: free.Addr().(*net.TCPAddr).Port,
		running: map[string]*exec.Cmd{}}
	_ = free.Close()
	f.keep("server", func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "ERELONG_TEST_SERVER="+f.folder, fmt.Sprintf("ERELONG_TEST_PORT=%d", f.port))
		return cmd
	})
	t.Cleanup(f.close)
	f.listens()
	for i := range workers {
		f.keep(fmt.Sprintf("worker-%d", i), func() *exec.Cmd {
			return f.program("worker", "--share", fmt.Sprint(workers))
		})
	}
	return f
}

// listens waits until the server takes connections.
func (f *farm) listens() { testkit.Listens(f.t, fmt.Sprintf("127.0.0.1:%d", f.port)) }

func (f *farm) url() string { return fmt.Sprintf("nats://%s@127.0.0.1:%d", testPassword, f.port) }

// program is a process of erelong that knows the server.
func (f *farm) program(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "ERELONG_TEST_PROGRAM=1", queue.EnvServer+"="+f.url(),
		queue.EnvKey+"=the key of the team of the test", queue.EnvSilence+"=2s")
	return cmd
}

// keep starts a process again whenever it ends.
func (f *farm) keep(name string, command func() *exec.Cmd) {
	f.wg.Go(func() {
		for {
			cmd := command()
			f.mu.Lock()
			if f.over {
				f.mu.Unlock()
				return
			}
			if err := cmd.Start(); err != nil {
				f.mu.Unlock()
				f.t.Error(err)
				return
			}
			f.running[name] = cmd
			f.mu.Unlock()
			_ = cmd.Wait()
			time.Sleep(50 * time.Millisecond)
		}
	})
}

// kill kills a process, and waits for its end.
func (f *farm) kill(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if cmd := f.running[name]; cmd != nil {
		for cmd.Process.Kill() == nil {
			time.Sleep(time.Millisecond)
		}
	}
}

func (f *farm) close() {
	f.mu.Lock()
	f.over = true
	for _, cmd := range f.running {
		_ = cmd.Process.Kill()
	}
	f.mu.Unlock()
	f.wg.Wait()
}

// lastRun names the run that began last, empty if none was announced.
func (f *farm) lastRun() string {
	var list bytes.Buffer
	jobs := f.program("jobs")
	jobs.Stdout = &list
	_ = jobs.Run() // the server may be away
	if lines := strings.Split(strings.TrimSpace(list.String()), "\n"); len(lines) > 1 {
		return strings.Fields(lines[1])[0]
	}
	return ""
}

// Processes that are killed at random change no verdict: workers, the server, and the command
// itself, which somebody then goes on with. This is so for jobs, and for divided explorations.
func TestKilledProcesses(t *testing.T) {
	testkit.Solvers(t)
	rounds := 2
	if testkit.Long() {
		rounds = 100
	}
	examples := filepath.Join("..", "..", "examples")
	kinds := [][]string{
		{"verify", "-q", "--format", "json", filepath.Join(examples, "mutex_starvation.ere")},
		{"check", "-q", "--format", "json", filepath.Join(examples, "lease.ere")},
	}
	var want []essence
	var wantCode []int
	for _, args := range kinds {
		e, code := essenceOf(t, args...)
		want, wantCode = append(want, e), append(wantCode, code)
	}
	for round := range rounds {
		kind := round % len(kinds)
		args := append(kinds[kind], "--workers")
		random := rand.New(rand.NewPCG(uint64(round), 22))
		f := newFarm(t, 3)
		args = append(args, f.url())
		if kind == 1 {
			args = append(args, "--divide")
		}
		stop := make(chan struct{})
		var wg sync.WaitGroup
		// No more kills than a job has tries: what is killed too often is given up.
		victims := []string{"worker-0", "worker-1", "server"}
		random.Shuffle(len(victims), func(i, j int) {
			victims[i], victims[j] = victims[j], victims[i]
		})
		pauses := []int{random.IntN(600), random.IntN(600), random.IntN(600)}
		wg.Go(func() {
			for i, name := range victims {
				select {
				case <-time.After(time.Duration(pauses[i]) * time.Millisecond):
					f.kill(name)
				case <-stop:
					return
				}
			}
		})
		first := f.program(args...)
		if err := first.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(100+random.IntN(1500)) * time.Millisecond)
		_ = first.Process.Kill()
		_ = first.Wait()
		wg.Wait()
		f.listens() // it may have been killed just now, and a command needs it to begin
		again := f.program(args...)
		if run := f.lastRun(); run != "" { // it was announced before it was killed
			again = f.program("jobs", "attach", run)
		}
		var out, errOut bytes.Buffer
		again.Stdout, again.Stderr = &out, &errOut
		err := again.Run()
		close(stop)
		f.close()
		code := 0
		if exit := new(exec.ExitError); errors.As(err, &exit) {
			code = exit.ExitCode()
		}
		var got essence
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatalf("round %d: %v\n%s%s", round, err, &out, &errOut)
		}
		if diff := cmp.Diff(want[kind], got); diff != "" || code != wantCode[kind] {
			t.Errorf("round %d: exit codes %d and %d; undisturbed -, disturbed +\n%s%s", round,
				wantCode[kind], code, diff, &errOut)
		}
	}
}

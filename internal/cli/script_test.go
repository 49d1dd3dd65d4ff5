package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"erelong.dev/erelong/internal/testkit"
	"erelong.dev/erelong/internal/work/queue"
)

var update = flag.Bool("update", false, "rewrite the expected output in the scripts")

func TestMain(m *testing.M) {
	if folder := os.Getenv("ERELONG_TEST_SERVER"); folder != "" {
		serveForTest(folder)
	}
	// A process that --workers local:N starts, or a test.
	if len(os.Args) > 1 && os.Args[1] == "worker" || os.Getenv("ERELONG_TEST_PROGRAM") != "" {
		os.Exit(Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	testscript.Main(withOwnCache{m}, map[string]func(){
		"erelong": func() {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
			defer stop()
			os.Exit(Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
		},
	})
}

// withOwnCache runs the tests of this process with a cache of their own, and without the settings
// of the user.
type withOwnCache struct{ *testing.M }

func (m withOwnCache) Run() int {
	end, err := testkit.Alone()
	if end != nil {
		defer end()
	}
	if err == nil {
		err = os.Setenv(cacheEnv, filepath.Join(os.TempDir(), "cache"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.M.Run()
}

// The scripts run the program as a user does. Besides the usual commands there are:
//
//	exits N program args...   run it; it must end with code N
//	examples                  copy the project's examples to ./examples
//	nosolver                  from here on no solver is on the PATH
//	server                    start a NATS server: $ERELONG_NATS; $PORT is a free port
//	get URL TEXT              ask for a page until it has a text
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           filepath.Join("testdata", "script"),
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv(cacheEnv, filepath.Join(env.WorkDir, ".cache"))
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond == "ci" {
				return testkit.CI(), nil
			}
			_, err := exec.LookPath(cond)
			return err == nil, nil
		},
		Cmds: scriptCommands,
	})
}

var scriptCommands = map[string]func(*testscript.TestScript, bool, []string){
	"exits":    exits,
	"examples": copyExamples,
	"nosolver": func(ts *testscript.TestScript, _ bool, _ []string) { hideSolvers(ts) },
	"server":   func(ts *testscript.TestScript, _ bool, _ []string) { startServer(ts) },
	"get":      get,
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N program args...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func copyExamples(ts *testscript.TestScript, _ bool, _ []string) {
	wd, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.CopyFS(ts.MkAbs("examples"), os.DirFS(filepath.Join(wd, "..", "..", "examples"))))
}

// startServer starts a NATS server for a script.
func startServer(ts *testscript.TestScript) {
	l, err := queue.StartServer(ts.MkAbs(".nats"))
	ts.Check(err)
	ts.Defer(func() { _ = l.Close() })
	ts.Setenv(queue.EnvServer, l.Server.URL)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Setenv("PORT", strconv.Itoa(free.Addr().(*net.TCPAddr).Port))
	ts.Check(free.Close())
}

func get(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: get URL TEXT")
	}
	var page []byte
	for began := time.Now(); time.Since(began) < 20*time.Second; time.Sleep(50 * time.Millisecond) {
		answer, err := http.Get(args[0])
		if err != nil {
			continue
		}
		page, err = io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err == nil && strings.Contains(string(page), args[1]) {
			return
		}
	}
	ts.Fatalf("%s has no %q:\n%s", args[0], args[1], page)
}

// hideSolvers leaves only the program under test on the PATH.
func hideSolvers(ts *testscript.TestScript) {
	self, err := exec.LookPath("erelong")
	if err != nil {
		for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
			if _, err := os.Stat(filepath.Join(dir, "erelong")); err == nil {
				self = filepath.Join(dir, "erelong")
			}
		}
	}
	ts.Setenv("PATH", filepath.Dir(self))
}

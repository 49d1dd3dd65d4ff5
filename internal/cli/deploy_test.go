package cli

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	nats "github.com/nats-io/nats-server/v2/server"

	"erelong.dev/erelong/internal/work/queue"
)

// worksAs starts a worker with these words of a command and variables, and nothing else of the
// environment but PATH, beside a server. The worker carries out a job of a command of its team.
func worksAs(t *testing.T, words []string, env map[string]string) {
	t.Helper()
	f := newFarm(t, 0)
	const key = "0123456789abcdef0123456789abcdef"
	fill := map[string]string{queue.EnvServer: f.url(), queue.EnvKey: key}
	worker := exec.Command(os.Args[0], words...)
	worker.Env = []string{"ERELONG_TEST_PROGRAM=1", "PATH=" + os.Getenv("PATH")}
	for name, value := range env {
		if given, ok := fill[name]; ok {
			value = given
			delete(fill, name)
		}
		worker.Env = append(worker.Env, name+"="+value)
	}
	if len(fill) > 0 {
		t.Fatalf("the worker is not told %v", fill)
	}
	var said bytes.Buffer
	worker.Stderr = &said
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = worker.Wait(); close(ended) }()
	defer func() { _ = worker.Process.Kill(); <-ended }()
	lock := filepath.Join("..", "..", "examples", "tutorial", "lock_wrong.ere")
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		check := f.program("check", "-q", "--workers", f.url(), "--timeout", "20s", lock)
		check.Env = append(check.Env, queue.EnvKey+"="+key)
		out, err := check.CombinedOutput()
		exit := new(exec.ExitError)
		if errors.As(err, &exit) && exit.ExitCode() == ExitSafety &&
			strings.Contains(string(out), "exclusive  violated") {
			break
		}
		if time.Since(began) > 20*time.Second {
			_ = worker.Process.Kill()
			<-ended
			t.Fatalf("%v: %s\nthe worker: %s", err, out, &said)
		}
	}
	status := f.program("worker", "--status")
	status.Env = append(status.Env, queue.EnvKey+"="+key)
	if out, err := status.CombinedOutput(); err != nil {
		t.Errorf("the status is %s, %v", out, err)
	}
}

// The unit of systemd is one that systemd reads, and the worker that it starts works with what the
// unit and its file of variables give.
func TestUnit(t *testing.T) {
	name := filepath.Join("..", "..", "deploy", "erelong-worker.service")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	env := map[string]string{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if at, ok := strings.CutPrefix(line, "ExecStart=/usr/local/bin/erelong "); ok {
			words = strings.Fields(at)
		}
		if at, ok := strings.CutPrefix(line, "Environment="); ok {
			variable, value, _ := strings.Cut(at, "=")
			env[variable] = value
		}
		if strings.HasPrefix(line, "# /etc/erelong/worker.env has ") { // the file that it tells of
			for word := range strings.FieldsSeq(line) {
				if variable, _, ok := strings.Cut(word, "="); ok {
					env[variable] = ""
				}
			}
		}
	}
	env["ERELONG_CACHE"] = t.TempDir() // systemd makes the folder
	worksAs(t, words, env)
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd is not there to read the unit")
	}
	unit := filepath.Join(t.TempDir(), "erelong-worker.service")
	write(t, unit, strings.ReplaceAll(string(text), "/usr/local/bin/erelong", os.Args[0]))
	if out, err := exec.CommandContext(t.Context(), analyze, "verify", "--man=no", unit).
		CombinedOutput(); err != nil || strings.Contains(string(out), unit) {
		t.Errorf("systemd-analyze: %v\n%s", err, out)
	}
}

// The worker of the compose file works with the command and the variables that the file gives.
func TestCompose(t *testing.T) {
	var file struct {
		Services map[string]struct {
			Image, Build string
			Command      []string
			Environment  map[string]string
			DependsOn    []string `yaml:"depends_on"`
			Volumes      []string
		}
		Volumes map[string]any
	}
	readYAML(t, "deploy/compose.yaml", &file)
	worker, server := file.Services["worker"], file.Services["nats"]
	folder, mount, _ := strings.Cut(strings.Join(server.Volumes, ","), ":")
	o, err := nats.ConfigureOptions(flag.NewFlagSet("nats-server", flag.ContinueOnError),
		server.Command, nil, nil, nil)
	if err != nil || !o.JetStream || o.StoreDir != mount {
		t.Fatalf("the server is told %v, which is %+v, %v", server.Command, o, err)
	}
	if _, ok := file.Volumes[folder]; !ok || strings.Join(worker.DependsOn, ",") != "nats" ||
		worker.Build != "." {
		t.Fatalf("the services are %+v", file.Services)
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "deploy", "Dockerfile"))
	if err != nil || !strings.Contains(string(text), `ENTRYPOINT ["erelong"]`) {
		t.Fatalf("the image starts something else: %s, %v", text, err)
	}
	worksAs(t, worker.Command, worker.Environment)
}

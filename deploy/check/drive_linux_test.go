package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// drive says what a process in namespaces of its own drives.
type drive struct {
	Compose, Dockerfile string // the texts of the files
	Folder              string // of the programs erelong and nats-server
	Model               string
	Limit               time.Duration
}

// inside is the variable that gives a process its drive.
const inside = "ERELONG_CHECK_DRIVE"

func TestMain(m *testing.M) {
	text := os.Getenv(inside)
	if text == "" {
		os.Exit(m.Run())
	}
	os.Unsetenv(inside)
	var d drive
	if err := errors.Join(json.Unmarshal([]byte(text), &d), d.run()); err != nil {
		fmt.Println("drive:", err)
		os.Exit(1)
	}
}

// run brings the services up, and uses them as docs/machines.md says: a run, a server that is
// killed and made anew, a worker that is killed.
func (d drive) run() error {
	ctx, stop := context.WithTimeout(context.Background(), d.Limit)
	defer stop()
	folder, err := os.MkdirTemp(d.Folder, "pods-")
	if err := errors.Join(err, apart()); err != nil {
		return err
	}
	deploy := filepath.Join(folder, "deploy") // made as the file says
	err = copyFile(filepath.Join(d.Folder, "erelong"), filepath.Join(deploy, "erelong"))
	if err := errors.Join(err, os.WriteFile(filepath.Join(deploy, "Dockerfile"),
		[]byte(d.Dockerfile), 0o600)); err != nil {
		return err
	}
	project, err := load(ctx, d.Compose, deploy, key)
	if err != nil {
		return err
	}
	p := &pods{project: project, nats: filepath.Join(d.Folder, "nats-server"), folder: folder,
		running: map[string]*exec.Cmd{}, halted: map[string]bool{}}
	if err := p.up(); err != nil {
		return err
	}
	ports := project.Services["nats"].Ports
	if len(ports) != 1 || !net.ParseIP(ports[0].HostIP).IsLoopback() {
		return fmt.Errorf("the server is to be reached from this machine, and has %+v", ports)
	}
	server := "nats://" + net.JoinHostPort(ports[0].HostIP, ports[0].Published)
	if err := d.verify(ctx, server, "client=2,L=2,D=1"); err != nil {
		return err
	}
	if err := p.kill("nats", true); err != nil {
		return err
	}
	if err := p.start("nats"); err != nil {
		return err
	}
	if out, err := d.program(ctx, server, "jobs", "--nats", server); err != nil ||
		!strings.Contains(out, "finished") {
		return fmt.Errorf("the server has forgotten its runs: %s, %w", out, err)
	}
	if err := p.kill("worker", false); err != nil {
		return err
	}
	return d.verify(ctx, server, "client=2,L=3,D=1")
}

// verify explores an instance with the workers.
func (d drive) verify(ctx context.Context, server, instance string) error {
	out, err := d.program(ctx, server, "check", "--workers", server, "-i", instance, d.Model)
	if err != nil || !strings.Contains(out, "holds in the instances explored") {
		return fmt.Errorf("check -i %s: %s, %w", instance, out, err)
	}
	return nil
}

// program runs the program as someone does who has the key of the team, when the server answers.
func (d drive) program(ctx context.Context, server string, args ...string) (string, error) {
	for {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", strings.TrimPrefix(server, "nats://"))
		if err == nil {
			conn.Close()
			break
		}
		select {
		case <-ctx.Done():
			return "", fmt.Errorf("the server does not answer: %w", err)
		case <-time.After(50 * time.Millisecond):
		}
	}
	cmd := exec.CommandContext(ctx, filepath.Join(d.Folder, "erelong"), args...)
	cmd.Env = []string{"HOME=" + d.Folder, "ERELONG_CACHE=off"}
	for variable, value := range key {
		cmd.Env = append(cmd.Env, variable+"="+value)
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// driven runs a drive in a network of its own.
func driven(t *testing.T, d drive) error {
	t.Helper()
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), inside+"="+string(text))
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL,
		Cloneflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) {
		t.Skip("this machine allows no namespaces")
	}
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// built is a folder with the program and the server, both without cgo.
func built(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, of := range map[string]string{"erelong": "./cmd/erelong",
		"nats-server": "github.com/nats-io/nats-server/v2"} {
		cmd := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, name), of)
		cmd.Dir, cmd.Env = filepath.Join("..", ".."), append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("building %s: %v\n%s", of, err, out)
		}
	}
	return dir
}

// The services of the compose file work together, with the commands, variables, ports and volumes
// that it gives: a run is done, and survives the loss of the server and of the worker.
func TestComposeRuns(t *testing.T) {
	model, err := filepath.Abs(filepath.Join("..", "..", "examples", "lease.ere"))
	if err != nil {
		t.Fatal(err)
	}
	d := drive{composeFile(t), deployed(t, "Dockerfile"), built(t), model, time.Minute}
	if err := driven(t, d); err != nil {
		t.Fatal(err)
	}
	d.Limit = 6 * time.Second
	var wait sync.WaitGroup // each of them waits for what does not come
	defer wait.Wait()
	each := func(text string, changes map[string]string, drive func(string) error) {
		for from, to := range changes {
			wait.Go(func() { mistakes(t, text, map[string]string{from: to}, drive) })
		}
	}
	each(d.Compose, map[string]string{
		`"-js", `:                 ``,
		`"/data"]`:                `"/dat"]`,
		`nats:/data"`:             `nats:/date"`,
		`127.0.0.1:4222:4222`:     `127.0.0.1:4222:4223`,
		`:4222:4222`:              `:4223:4223`,
		`127.0.0.1:4222`:          `0.0.0.0:4222`,
		`command: ["worker"]`:     `command: ["work"]`,
		`ERELONG_NATS:`:           `ERELONG_NAT:`,
		`nats://nats:4222`:        `nats://gnats:4222`,
		`//nats:4222`:             `//nats:4223`,
		`ERELONG_WORK_KEY: `:      `ERELONG_KEY: `,
		`restart: unless-stopped`: `restart: "no"`,
		`image: nats:2`:           `image: nats:1`,
		`build: .`:                `build: ..`,
	}, func(text string) error {
		changed := d
		changed.Compose = text
		return driven(t, changed)
	})
	each(d.Dockerfile, map[string]string{
		"/usr/local/bin/erelong": "/usr/local/erelong",
		`["erelong"]`:            `["erelon"]`,
		"COPY erelong ":          "COPY bin/erelong ",
	}, func(text string) error {
		changed := d
		changed.Dockerfile = text
		return driven(t, changed)
	})
}

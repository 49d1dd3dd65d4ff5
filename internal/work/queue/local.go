package queue

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// The environment of worker processes, which other users cannot see.
const (
	EnvServer = "ERELONG_NATS"     // the address of the server
	EnvKey    = "ERELONG_WORK_KEY" // the key of the team
	// EnvSilence is Server.Silence, and EnvSockets is Server.Sockets.
	EnvSilence = "ERELONG_SILENCE"
	EnvSockets = "ERELONG_SOCKETS"
)

// Local is a server in this process, and workers beside it.
type Local struct {
	Server Server
	server *server.Server
	folder string

	mu     sync.Mutex
	closed bool
	alive  map[int]*exec.Cmd
	wg     sync.WaitGroup
}

// respawns bounds how often processes of workers are replaced, for each of them.
const respawns = 4

// StartServer starts a server in this process, on loopback, with a password. Its folder is
// temporary unless one is given.
func StartServer(folder string) (*Local, error) {
	return StartServerAt(folder, server.RANDOM_PORT, hex.EncodeToString(RandomKey(16)))
}

// StartServerAt is StartServer with a port and a password.
func StartServerAt(folder string, port int, password string) (*Local, error) {
	l := &Local{alive: map[int]*exec.Cmd{}}
	if folder == "" {
		var err error
		if folder, err = os.MkdirTemp("", "erelong-nats-*"); err != nil {
			return nil, fmt.Errorf("a folder for the queue: %w", err)
		}
		l.folder = folder
	}
	sockets := filepath.Join(folder, "sockets") // only this user may enter
	if err := errors.Join(os.RemoveAll(sockets), os.Mkdir(sockets, 0o700)); err != nil {
		return nil, errors.Join(fmt.Errorf("a folder for sockets: %w", err), l.remove())
	}
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: port, Authorization: password, JetStream: true,
		StoreDir: folder, NoSigs: true, NoLog: true,
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the server inside erelong: %w", err), l.remove())
	}
	s.Start()
	if !s.ReadyForConnections(10 * time.Second) {
		s.Shutdown()
		return nil, errors.Join(errors.New("the server inside erelong does not start"), l.remove())
	}
	l.server = s
	// Only who knows the password is let in, so nothing needs a signature.
	l.Server = Server{URL: fmt.Sprintf("nats://%s@%s", password, s.Addr()), Silence: silence / 3,
		Sockets: sockets}
	return l, nil
}

// SameProgram reports whether the processes that Spawn starts have the program of this process even
// after another one has taken its place in its folder.
const SameProgram = runtime.GOOS == "linux"

// program is what starts a process of this program.
func program() (string, error) {
	if SameProgram {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}

// Spawn starts worker processes of this program, with more options. Each shares the machine with
// the others.
func (l *Local) Spawn(n int, log io.Writer, options ...string) error {
	path, err := program()
	if err != nil {
		return fmt.Errorf("finding the program for workers: %w", err)
	}
	for i := range n {
		first := make(chan error, 1)
		args := append([]string{"worker", "--name", fmt.Sprintf("local-%d-%d", os.Getpid(), i+1),
			"--with-parent", "--share", fmt.Sprint(n)}, options...)
		l.wg.Go(func() { l.keep(path, args, n, log, first) })
		if err := <-first; err != nil {
			return fmt.Errorf("starting a worker: %w", err)
		}
	}
	return nil
}

// keep keeps a worker process alive.
func (l *Local) keep(path string, args []string, n int, log io.Writer, first chan<- error) {
	for i := range respawns {
		cmd := exec.Command(path, args...)
		cmd.Env = append(os.Environ(), EnvServer+"="+l.Server.URL,
			EnvKey+"="+hex.EncodeToString(l.Server.Team), EnvSilence+"="+l.Server.Silence.String(),
			EnvSockets+"="+l.Server.Sockets,
			fmt.Sprintf("GOMAXPROCS=%d", (runtime.GOMAXPROCS(0)+n-1)/n))
		cmd.Stderr = log
		cmd.WaitDelay = time.Second
		// The pipe closes when this process ends, however it does, and so does the worker.
		in, err := cmd.StdinPipe()
		if err == nil {
			l.mu.Lock()
			if l.closed {
				l.mu.Unlock()
				return
			}
			if err = cmd.Start(); err == nil {
				l.alive[cmd.Process.Pid] = cmd
			}
			l.mu.Unlock()
		}
		if i == 0 {
			first <- err
		}
		if err != nil {
			return
		}
		_ = cmd.Wait()
		_ = in.Close()
		l.mu.Lock()
		delete(l.alive, cmd.Process.Pid)
		closed := l.closed
		l.mu.Unlock()
		if closed {
			return
		}
	}
}

// Processes lists the processes of the workers.
func (l *Local) Processes() (out []int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for pid := range l.alive {
		out = append(out, pid)
	}
	return out
}

// Close ends workers and server.
func (l *Local) Close() error {
	l.mu.Lock()
	l.closed = true
	for _, c := range l.alive {
		_ = c.Process.Kill() // nothing of a worker is worth keeping here
	}
	l.mu.Unlock()
	l.wg.Wait()
	l.server.Shutdown()
	l.server.WaitForShutdown()
	return l.remove()
}

func (l *Local) remove() error {
	if l.folder == "" {
		return nil
	}
	return os.RemoveAll(l.folder)
}

// WithParent is a context that ends with the standard input, too: then the program that started
// this worker has ended.
func WithParent(ctx context.Context, in io.Reader) (context.Context, context.CancelFunc) {
	within, cancel := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, in)
		cancel()
	}()
	return within, cancel
}

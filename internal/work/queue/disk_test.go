package queue

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/testkit"
	"erelong.dev/erelong/internal/verify"
)

// serverWith starts a server with options of its own, and gives its address.
func serverWith(t *testing.T, o *server.Options) (*server.Server, string) {
	t.Helper()
	o.Host, o.Port, o.JetStream, o.StoreDir = "127.0.0.1", server.RANDOM_PORT, true, t.TempDir()
	o.NoSigs, o.NoLog = true, true
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server does not start")
	}
	return s, s.Addr().String()
}

// unsaved divides an exploration whose checkpoints cannot be written, and holds that it says why.
func unsaved(t *testing.T, r *Run, instance, why string) {
	t.Helper()
	source, task, want := exploration(t, "lease.ere", instance)
	var told []string
	got, err := (&Spread{Run: r, Source: source, Divide: true, Every: time.Nanosecond}).Carry(
		t.Context(), explicit.Name, task, verify.Default(),
		engine.Sink{Progress: func(p engine.Progress) { told = append(told, p.Text) }})
	if err != nil {
		t.Fatal(err)
	}
	same(t, want, got)
	if !slices.ContainsFunc(told, func(text string) bool {
		return strings.Contains(text, "could not be saved") && strings.Contains(text, why)
	}) {
		t.Errorf("nobody was told: %q", told)
	}
}

// pair begins a run for two workers, whose notices are errors.
func pair(t *testing.T, s Server) (*Conn, *Run) {
	t.Helper()
	c := connect(t, s, "v1")
	worker(t, s, "a", "v1")
	worker(t, s, "b", "v1")
	r := beginQuiet(t, c)
	return c, r
}

// Where the server has no room for a checkpoint, the exploration says so and goes on.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	const room = 1 << 20
	_, address := serverWith(t, &server.Options{JetStreamMaxStore: room})
	s := Server{URL: "nats://" + address, Team: RandomKey(16)}
	c, r := pair(t, s)
	info, err := c.js.AccountInfo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	filler := make([]byte, room-int(info.Store)-16<<10)
	if _, err := c.object.PutBytes(t.Context(), "filler", filler); err != nil {
		t.Fatal(err)
	}
	unsaved(t, r, "three", "resource")
}

// silentStore answers nothing, as a server with a full disk does.
type silentStore struct{ jetstream.ObjectStore }

func (silentStore) Put(
	ctx context.Context, _ jetstream.ObjectMeta, r io.Reader,
) (*jetstream.ObjectInfo, error) {
	_, _ = io.Copy(io.Discard, r)
	<-ctx.Done()
	return nil, ctx.Err()
}

// A server that does not answer when a checkpoint is to be written is waited for only so long.
func TestSilentDisk(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Silence = 500 * time.Millisecond
	c := connect(t, s, "v1")
	w := connect(t, s, "v1")
	w.object = silentStore{w.object}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() {
		worker := &Worker{Name: "a", Jobs: 1, Log: slog.New(slog.DiscardHandler)}
		if err := worker.Work(ctx, w); err != nil {
			t.Error(err)
		}
	})
	if err := c.Fit(t.Context(), nil, 1, 10*time.Second); err != nil {
		t.Fatal(err)
	}
	r := beginQuiet(t, c)
	unsaved(t, r, "two", "said nothing")
}

// separate starts a server that is a process of its own, by a command of the shell.
func separate(t *testing.T, command string) Server {
	t.Helper()
	if _, err := exec.LookPath("nats-server"); err != nil {
		testkit.Missing(t, "nats-server", "nats-server is not here")
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().(*net.TCPAddr)
	_ = free.Close()
	cmd := exec.Command("sh", "-c", command+` "$@"`, "sh", "-js", "-a", "127.0.0.1", "-p",
		fmt.Sprint(address.Port), "-sd", t.TempDir())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	testkit.Listens(t, address.String())
	return Server{URL: "nats://" + address.String(), Team: RandomKey(16)}
}

// A server whose files cannot grow further, as on a full disk, takes nothing more from a connection
// by which a checkpoint came. The members are heard all the same.
func TestFullDiskOfSeparateServer(t *testing.T) {
	t.Parallel()
	s := separate(t, "ulimit -f 600; exec nats-server")
	s.Silence = time.Second
	_, r := pair(t, s)
	filler := connect(t, s, "v1")
	within, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := filler.object.PutBytes(within, "filler", make([]byte, 400<<10)); err == nil {
		t.Fatal("the files of the server are not limited")
	}
	unsaved(t, r, "three", "")
}

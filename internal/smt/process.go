package smt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// process is one running solver. Its output arrives on replies; the channel is closed at the end of
// the output.
type process struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	replies chan reply
	stop    chan struct{} // closed by kill
	done    chan struct{} // closed when the process has been waited for
	once    sync.Once
	errors  *tail
	markers int
	// allowance is the number of bytes that the process may still print before the next question. A
	// solver that floods its output is stopped before it fills the memory.
	allowance atomic.Int64
}

// A reply to a question is a few words, or a model. Longer output is not a reply.
const (
	maxReplyBytes = 4 << 20
	maxReplies    = 10_000
)

// limited reads as long as there is an allowance.
type limited struct {
	from      io.Reader
	allowance *atomic.Int64
}

func (l *limited) Read(b []byte) (int, error) {
	if l.allowance.Load() <= 0 {
		return 0, fmt.Errorf("it printed more than %d MB in reply to one question",
			maxReplyBytes>>20)
	}
	n, err := l.from.Read(b)
	l.allowance.Add(int64(-n))
	return n, err
}

type reply struct {
	sexpr Sexpr
	err   error // an error other than the end of the output
}

// lowPriority is the key of a context whose solvers give way to other programs.
type lowPriority struct{}

// AtLowPriority has solvers give way to other programs, where the system can do that.
func AtLowPriority(ctx context.Context) context.Context {
	return context.WithValue(ctx, lowPriority{}, true)
}

// tunables names the settings of the C library. z3 fills two tables of 8 MB when it starts and
// after each reset; large pages take a fifth of the time off both. Other systems do not read it.
const tunables = "GLIBC_TUNABLES"

// start runs the command.
func start(ctx context.Context, path string, args []string) (conversation, error) {
	cmd := exec.Command(path, args...)
	isolate(cmd)
	if os.Getenv(tunables) == "" {
		cmd.Env = append(os.Environ(), tunables+"=glibc.malloc.hugetlb=1")
	}
	cmd.WaitDelay = 5 * time.Second
	p := &process{cmd: cmd, replies: make(chan reply), stop: make(chan struct{}),
		done: make(chan struct{}), errors: &tail{}}
	cmd.Stderr = p.errors
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", path, err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", path, err)
	}
	p.in = in
	p.allowance.Store(maxReplyBytes)
	began := make(chan error)
	go p.live(began, out)
	if err := <-began; err != nil {
		return nil, fmt.Errorf("starting %s: %w", path, err)
	}
	if ctx.Value(lowPriority{}) != nil {
		giveWay(cmd)
	}
	return p, nil
}

// live starts the process and waits for its end on one thread: the system ends the process with the
// thread that started it, so no solver goes on when this program is killed.
func (p *process) live(began chan<- error, out io.Reader) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	began <- err
	if err != nil {
		return
	}
	defer close(p.done)
	read := make(chan struct{})
	go func() {
		defer close(read)
		p.read(out)
	}()
	<-read
	_ = p.cmd.Wait() // its output tells how it ended
}

// read passes on the solver's output, until its end or until kill.
func (p *process) read(out io.Reader) {
	defer close(p.replies)
	r := NewReader(&limited{out, &p.allowance})
	for {
		e, err := r.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		select {
		case p.replies <- reply{e, err}:
		case <-p.stop:
			return
		}
		if err != nil {
			return
		}
	}
}

// kill ends the process and waits until it is gone. It may be called more than once.
func (p *process) kill() {
	p.once.Do(func() {
		close(p.stop)
		select {
		case <-p.done: // its number may belong to another process by now
		default:
			killGroup(p.cmd)
		}
		_ = p.in.Close()
	})
	<-p.done
}

// leastWait is the time between two looks at a process that waits for a processor.
const leastWait = 10 * time.Millisecond

// exchange sends commands and gives all that the solver printed in reply. An (error ...) among it
// is an error, and so is the end of the output. After an error the process is of no use. The guard
// bounds the processor time of a solver that works, where the system tells it, so that answers do
// not depend on what else the machine does; a solver that waits for something has the guard by the
// clock.
func (p *process) exchange(
	ctx context.Context, commands []string, guard time.Duration,
) ([]Sexpr, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p.markers++
	p.allowance.Store(maxReplyBytes)
	marker := fmt.Sprintf("erelong-%d", p.markers)
	text := strings.Join(commands, "\n") + "\n(echo \"" + marker + "\")\n"
	// The solver may print before it has read everything, so nobody may wait for the write.
	go func() { _, _ = io.WriteString(p.in, text) }() // a failure shows as the end of the output

	began, counted := p.worked()
	timer := time.NewTimer(guard)
	defer timer.Stop()
	var out []Sexpr
	var refused error
	for count := 0; ; count++ {
		select {
		case <-ctx.Done():
			p.kill()
			return nil, ctx.Err()
		case <-timer.C:
			if now, ok := p.worked(); counted && ok && p.busy() && now-began < guard {
				timer.Reset(max(guard-(now-began), leastWait)) // it waits for a processor
				continue
			}
			p.kill()
			return nil, fmt.Errorf("%w after %s", ErrGuard, guard)
		case r, ok := <-p.replies:
			switch {
			case !ok:
				if refused != nil {
					return nil, refused
				}
				p.kill()
				return nil, fmt.Errorf("%w: %s", ErrDied, p.lastWords())
			case r.err != nil:
				p.kill()
				return nil, fmt.Errorf("%w: %w: %s", ErrDied, r.err, p.lastWords())
			case !r.sexpr.IsList && r.sexpr.Atom == marker:
				return out, refused
			case count >= maxReplies+len(commands):
				p.kill()
				return nil, fmt.Errorf("%w: it gave more than %d replies to one question", ErrDied,
					maxReplies)
			case r.sexpr.Head() == "error" && refused == nil:
				refused = fmt.Errorf("%w: %s", ErrRefused, message(r.sexpr))
			}
			if refused == nil {
				out = append(out, r.sexpr)
			}
		}
	}
}

// message is the text of an (error "text"), on one line.
func message(e Sexpr) string {
	text := e.String()
	if len(e.List) == 2 && !e.List[1].IsList {
		text = e.List[1].Atom
	}
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > tailBytes {
		text = text[:tailBytes] + "..."
	}
	return text
}

// lastWords describes how the process ended, with the end of its standard error.
func (p *process) lastWords() string {
	words := "it closed its output"
	if state := p.cmd.ProcessState; state != nil {
		words = state.String()
	}
	if text := p.errors.String(); text != "" {
		words += ", and wrote: " + text
	}
	return words
}

// tail keeps the last bytes written to it.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

const tailBytes = 2000

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b...)
	if extra := len(t.kept) - tailBytes; extra > 0 {
		t.kept = bytes.Clone(t.kept[extra:])
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(strings.Fields(string(t.kept)), " ")
}

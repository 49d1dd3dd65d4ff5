package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"golang.org/x/term"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/sim"
)

// converse reads commands and shows their output, until the end of the input. A failed command
// prints the reason, and the next one is read. Through a pipe each command is shown as well, so
// that the output reads like the session.
func converse(ctx context.Context, s *streams, session *sim.Session) error {
	if s.interactive() {
		in := s.in.(*os.File)
		// An interrupt of a command must not end the session.
		k, err := newKeyboard(s, in, session)
		if err != nil {
			return err
		}
		return talk(context.WithoutCancel(ctx), s, session, k)
	}
	// Reading and evaluating cannot be interrupted, so the program must not wait for them.
	done := make(chan error, 1)
	go func() { done <- talk(ctx, s, session, &pipe{bufio.NewReader(s.in), s.out}) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return &exitError{ExitInterrupted, errors.New("interrupted")}
	}
}

// interactive reports whether a person sits at both ends.
func (s *streams) interactive() bool {
	in, tty := s.in.(*os.File)
	_, out := terminal(s.out)
	return tty && out && term.IsTerminal(int(in.Fd()))
}

// lines is the source of commands.
type lines interface {
	// next shows the prompt and gives a line, or io.EOF.
	next(prompt string) (string, error)
	// during calls do with a context that the user can cancel.
	during(ctx context.Context, do func(context.Context))
}

func talk(ctx context.Context, s *streams, session *sim.Session, in lines) error {
	do := session.Opening
	for {
		var text string
		var err error
		in.during(ctx, func(ctx context.Context) { text, err = do(ctx) })
		if _, werr := io.WriteString(s.out, text); werr != nil {
			return fmt.Errorf("writing to the terminal: %w", werr)
		}
		if errors.Is(err, sim.ErrQuit) {
			return nil
		}
		if err := complain(s, err); err != nil {
			return fmt.Errorf("writing to the terminal: %w", err)
		}
		line, err := in.next(session.Prompt())
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading a command: %w", err)
		}
		do = func(ctx context.Context) (string, error) { return session.Do(ctx, line) }
	}
}

// complain prints why a command failed. It writes to the stream of the answers, so that their order
// is kept.
func complain(s *streams, err error) error {
	var list *diag.List
	switch {
	case err == nil:
		return nil
	case errors.As(err, &list):
		return list.Render(s.out, s.color())
	case errors.Is(err, context.Canceled):
		err = errors.New("interrupted")
	}
	_, err = fmt.Fprintf(s.out, "error: %v\n", err)
	return err
}

// pipe reads commands that are not typed at a terminal.
type pipe struct {
	in  *bufio.Reader
	out io.Writer
}

func (p *pipe) next(prompt string) (string, error) {
	line, err := p.in.ReadString('\n')
	if err != nil && (line == "" || !errors.Is(err, io.EOF)) {
		return "", err
	}
	line = strings.TrimRight(line, "\r\n")
	_, err = fmt.Fprintf(p.out, "%s%s\n", prompt, line)
	return line, err
}

func (p *pipe) during(ctx context.Context, do func(context.Context)) { do(ctx) }

// keyboard reads commands from a terminal, with line editing, history, and completion by the
// tabulator key.
type keyboard struct {
	fd   int
	term *term.Terminal
}

func newKeyboard(s *streams, in *os.File, session *sim.Session) (*keyboard, error) {
	k := &keyboard{int(in.Fd()), term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{in, s.out}, "")}
	before, err := term.GetState(k.fd)
	if err != nil {
		return nil, fmt.Errorf("asking for the state of the terminal: %w", err)
	}
	terminate := make(chan os.Signal, 1)
	signal.Notify(terminate, syscall.SIGTERM)
	go func() {
		<-terminate
		_ = term.Restore(k.fd, before)
		os.Exit(ExitInterrupted)
	}()
	k.term.AutoCompleteCallback = func(line string, pos int, key rune) (string, int, bool) {
		if key != '\t' {
			return "", 0, false
		}
		head := completed(line[:pos], session.Complete(line[:pos]))
		return head + line[pos:], len(head), true
	}
	return k, nil
}

// completed extends the last word of a text as far as all candidates agree.
func completed(text string, candidates []string) string {
	if len(candidates) == 0 {
		return text
	}
	common := candidates[0]
	for _, c := range candidates[1:] {
		for !strings.HasPrefix(c, common) {
			common = common[:len(common)-1]
		}
	}
	for n := min(len(text), len(common)); n > 0; n-- {
		if strings.HasSuffix(text, common[:n]) {
			text += common[n:]
			break
		}
	}
	if len(candidates) == 1 {
		text += " "
	}
	return text
}

// next puts the terminal into raw mode only while a line is edited, so that commands can be
// interrupted as usual.
func (k *keyboard) next(prompt string) (line string, err error) {
	before, err := term.MakeRaw(k.fd)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, term.Restore(k.fd, before)) }()
	if width, height, err := term.GetSize(k.fd); err == nil && width > 0 {
		_ = k.term.SetSize(width, height)
	}
	k.term.SetPrompt(prompt)
	line, err = k.term.ReadLine()
	if errors.Is(err, term.ErrPasteIndicator) {
		err = nil
	}
	return line, err
}

// during lets the first interrupt cancel the command. A second one ends the program, since not
// every computation checks its context.
func (k *keyboard) during(ctx context.Context, do func(context.Context)) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	interrupts := make(chan os.Signal, 2)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	finished := make(chan struct{})
	defer close(finished)
	go func() {
		for range 2 {
			select {
			case <-interrupts:
				if ctx.Err() != nil {
					os.Exit(ExitInterrupted)
				}
				cancel()
			case <-finished:
				return
			}
		}
	}()
	do(ctx)
}

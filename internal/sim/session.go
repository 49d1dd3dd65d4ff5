// Package sim is a session in which a person steps through a specification by hand.
//
// In: a specification, a finite instance of it or a trace, and commands, a line each. Out: a text
// for each command. Package interp computes the steps, values and initial states, so a session
// shows the reference semantics. Package cli reads the lines and shows the texts.
//
// A session is a run, state 0 to state n, and a current state in it. Going back keeps the later
// states until another step is taken.
package sim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/report"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// Options of a session. Limits that are 0 have the default.
type Options struct {
	View      report.Options
	Seed      uint64 // of random
	Page      int    // lines of a list that are shown at once
	MaxStates int    // of until
	MaxSteps  int    // of one action in one state, and of initial states, to list
	// Save writes a whole file; nil when saving is not possible.
	Save func(path string, write func(io.Writer) error) error
}

const (
	defaultPage      = 20
	defaultMaxStates = 50_000
	defaultMaxSteps  = 10_000
	maxRandom        = 10_000 // steps of one command
)

// ErrQuit is what the command quit returns.
var ErrQuit = errors.New("quit")

// Session is a walk that commands lead. Only one goroutine at a time may use it.
type Session struct {
	*walk
	printer
	random *rand.Rand
}

// New begins a session in the first initial state of an instance.
func New(
	ctx context.Context, spec *ere.Specification, inst *system.Instance, o Options,
) (*Session, error) {
	return newSession(begin(ctx, spec, inst, o))
}

// NewOfTrace begins a session in a state of a replayed run; a negative number stands for the last
// state.
func NewOfTrace(
	ctx context.Context, spec *ere.Specification, t *result.Trace, at int, o Options,
) (*Session, error) {
	return newSession(retrace(ctx, spec, t, at, o))
}

func newSession(w *walk, err error) (*Session, error) {
	if err != nil {
		return nil, err
	}
	return &Session{walk: w, printer: printer{view: w.o.View, most: w.o.Page},
		random: rand.New(rand.NewPCG(w.o.Seed, 0))}, nil
}

// Prompt shows the current state's number.
func (s *Session) Prompt() string { return fmt.Sprintf("state %d> ", s.at) }

// Opening is the first output of a session: the instance, the current state and its steps.
func (s *Session) Opening(ctx context.Context) (string, error) {
	s.out.Reset()
	t := s.model.TraceOf(s.run[0].state).Shown()
	title := s.sys.Name
	if t.Instance != "" {
		title += ", instance " + t.Instance
	}
	s.printf("%s\n", s.paint(bold, title))
	for _, u := range t.Universe {
		s.printf("%s = {%s}\n", u.Sort, shorten(strings.Join(u.Elements, ", ")))
	}
	for _, p := range s.visible(t.Params) {
		s.printf("%s = %s\n", p.Name, shorten(p.Value.String()))
	}
	if s.arbitrary {
		s.printf("The run begins in a state that need not be reachable.\n")
	}
	if len(s.run) > 1 {
		s.printf("The run has states 0 to %d.\n", len(s.run)-1)
	}
	if s.loop >= 0 {
		s.printf("From its last state the run returns to state %d.\n", s.loop)
	}
	if s.initial != nil && len(s.initial.states) > 1 {
		s.printf("This is the first of %s: `restart` lists them, `init` chooses.\n",
			s.initial.count())
	}
	s.printf("\n")
	err := s.showCurrent(ctx)
	return s.out.String(), err
}

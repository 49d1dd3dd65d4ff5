// Package screen is the simulator on the whole screen of a terminal.
//
// In: runs that can be stepped through (package sim), and keys. Out: a screen with the run, the
// current state, its steps, and watched expressions, or with the chart of the run (package
// diagram). It is a model of the library bubbletea: an update for each message, and a view that
// follows from the model alone.
package screen

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"erelong.dev/erelong/internal/diagram"
	"erelong.dev/erelong/internal/report"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/sim"
)

// Model is the state of the screen.
type Model struct {
	ctx      context.Context
	explorer sim.Runs
	tell     func(*result.Trace) *result.Story // for charts of algorithms; may be nil
	title    string

	width, height int
	view          *sim.View
	watch         []string   // expressions
	values        [][]string // of the expressions, in the states of the run
	chosen        int        // among the steps
	full          bool       // unchanged values, too
	chart         *diagram.Chart
	showChart     bool
	why           []string
	message       string

	asking string // what the line at the bottom is for: evaluate, until or why; empty for none
	text   string
	busy   context.CancelFunc // ends the work in progress; nil for none
}

// New makes a screen that shows a state.
func New(
	ctx context.Context, x sim.Runs, at sim.Address, title string, tell func(
		*result.Trace,
	) *result.Story,
) (*Model, error) {
	m := &Model{ctx: ctx, explorer: x, tell: tell, title: title, width: 80, height: 24}
	shown, ok := m.compute(ctx, at, "")().(computed)
	if !ok || shown.err != nil {
		return nil, shown.err
	}
	m.show(shown)
	return m, nil
}

// computed is what work in progress has found.
type computed struct {
	view   *sim.View
	values [][]string
	chart  *diagram.Chart
	why    []string
	err    error
}

// compute computes what is shown at an address. With an expression it goes on to the nearest state
// where it is true.
func (m *Model) compute(ctx context.Context, at sim.Address, until string) tea.Cmd {
	watch := slices.Clone(m.watch)
	return func() tea.Msg {
		var err error
		if until != "" {
			if at, err = m.explorer.Until(ctx, at, until); err != nil {
				return computed{err: err}
			}
		}
		out := computed{}
		if out.view, err = m.explorer.View(ctx, at); err != nil {
			return computed{err: err}
		}
		at = out.view.Address
		for _, w := range watch {
			values, err := m.explorer.Evaluate(ctx, at, w)
			if err != nil {
				return computed{err: err}
			}
			out.values = append(out.values, values)
		}
		trace, err := m.explorer.Trace(ctx, at)
		if err != nil {
			return computed{err: err}
		}
		if m.tell != nil {
			trace.Story = m.tell(trace)
		}
		out.chart = diagram.ChartOf(trace, "")
		return out
	}
}

// begin starts work that can be cancelled.
func (m *Model) begin(work func(context.Context) tea.Cmd) tea.Cmd {
	if m.busy != nil {
		return nil
	}
	ctx, cancel := context.WithCancel(m.ctx)
	m.busy, m.message, m.why = cancel, "", nil
	return work(ctx)
}

func (m *Model) goTo(at sim.Address) tea.Cmd {
	return m.begin(func(ctx context.Context) tea.Cmd { return m.compute(ctx, at, "") })
}

func (m *Model) show(l computed) {
	if m.busy != nil {
		m.busy()
		m.busy = nil
	}
	switch {
	case l.err != nil:
		m.message = l.err.Error()
		m.watch = m.watch[:len(m.values)] // an expression that cannot be read is not kept
	case l.why != nil:
		m.why = l.why
	default:
		m.view, m.values, m.chart = l.view, l.values, l.chart
		m.chosen = min(m.chosen, max(len(m.view.Choices)-1, 0))
	}
}

// Full says whether unchanged values are shown, too.
func (m *Model) Full(full bool) { m.full = full }

// Init does nothing: the first state is there.
func (m *Model) Init() tea.Cmd { return nil }

// Update carries out a key, or shows what work has found.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case computed:
		m.show(msg)
	case tea.KeyPressMsg:
		if m.asking != "" {
			return m, m.type_(msg)
		}
		return m, m.key(msg.String())
	}
	return m, nil
}

// key carries out a key outside of the line at the bottom.
func (m *Model) key(key string) tea.Cmd {
	at := m.view.Address
	last := len(m.view.Run) - 1
	move := func(to int) tea.Cmd {
		if to < 0 || to > last || to == at.At {
			return nil
		}
		at.At = to
		m.chosen = 0
		return m.goTo(at)
	}
	switch key {
	case "q":
		return tea.Quit
	case "ctrl+c":
		if m.busy == nil {
			return tea.Quit
		}
		m.busy()
	case "up", "k":
		m.chosen = max(m.chosen-1, 0)
	case "down", "j":
		m.chosen = min(m.chosen+1, max(len(m.view.Choices)-1, 0))
	case "enter":
		return m.take()
	case "left", "h":
		return move(at.At - 1)
	case "right", "l":
		return move(at.At + 1)
	case "home":
		return move(0)
	case "end":
		return move(last)
	case "v":
		return move(m.violation())
	case "f":
		m.full = !m.full
	case "c":
		m.showChart = !m.showChart
	case "e", "u", "w":
		m.asking, m.text, m.message = map[string]string{"e": "evaluate", "u": "until",
			"w": "why"}[key], "", ""
	case "x":
		m.watch = m.watch[:max(len(m.watch)-1, 0)]
		m.values = m.values[:min(len(m.values), len(m.watch))]
	}
	return nil
}

// take carries out the chosen step.
func (m *Model) take() tea.Cmd {
	if m.chosen >= len(m.view.Choices) {
		return nil
	}
	c := m.view.Choices[m.chosen]
	if c.Number == 0 {
		m.message = c.Why
		return nil
	}
	at := m.view.Address
	m.chosen = 0
	return m.begin(func(ctx context.Context) tea.Cmd {
		return func() tea.Msg {
			next, err := m.explorer.Take(ctx, at, c.Number)
			if err != nil {
				return computed{err: err}
			}
			return m.compute(ctx, next, "")()
		}
	})
}

// violation is the next state that violates a property, the first one after the last; negative for
// none.
func (m *Model) violation() int {
	first := -1
	for i, s := range m.view.Run {
		if len(s.Violated) == 0 {
			continue
		}
		if i > m.view.Address.At {
			return i
		}
		if first < 0 {
			first = i
		}
	}
	return first
}

// type_ carries out a key of the line at the bottom.
func (m *Model) type_(msg tea.KeyPressMsg) tea.Cmd {
	switch msg.String() {
	case "esc", "ctrl+c":
		m.asking = ""
	case "backspace":
		if r := []rune(m.text); len(r) > 0 {
			m.text = string(r[:len(r)-1])
		}
	case "enter":
		return m.answer()
	default:
		m.text += msg.Key().Text
	}
	return nil
}

// answer carries out the line at the bottom.
func (m *Model) answer() tea.Cmd {
	asked, text := m.asking, strings.TrimSpace(m.text)
	m.asking = ""
	at := m.view.Address
	if text == "" {
		return nil
	}
	return m.begin(func(ctx context.Context) tea.Cmd {
		switch asked {
		case "until":
			return m.compute(ctx, at, text)
		case "why":
			return func() tea.Msg {
				w, err := m.explorer.Why(ctx, at, text)
				if err != nil {
					return computed{err: err}
				}
				lines := []string{report.Reason(w)}
				for _, l := range report.Explanation(w) {
					lines = append(lines, strings.Repeat(" ", l.Indent)+l.Text)
				}
				return computed{why: lines}
			}
		}
		m.watch = append(m.watch, text)
		return m.compute(ctx, at, "")
	})
}

// Run shows the screen until the user leaves it.
func Run(ctx context.Context, m *Model, options ...tea.ProgramOption) error {
	if _, err := tea.NewProgram(m, append(options, tea.WithContext(ctx))...).Run(); err != nil {
		return fmt.Errorf("showing the screen: %w", err)
	}
	return nil
}

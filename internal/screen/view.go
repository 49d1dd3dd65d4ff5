package screen

import (
	"fmt"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"erelong.dev/erelong/internal/sim"
)

// ANSI codes (SGR).
const (
	bold    = "1"
	dim     = "2"
	red     = "31"
	green   = "32"
	reverse = "7"
)

func paint(style, text string) string { return "\x1b[" + style + "m" + text + "\x1b[0m" }

// View draws the screen.
func (m *Model) View() tea.View {
	v := tea.NewView(strings.Join(m.lines(), "\n"))
	v.AltScreen = true
	return v
}

// cut gives the first line of a text, shortened to the width of the screen. What would move the
// cursor is replaced.
func (m *Model) cut(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return utf8.RuneError
		}
		return r
	}, text)
	if utf8.RuneCountInString(text) <= m.width {
		return text
	}
	return string([]rune(text)[:max(m.width-1, 0)]) + "…"
}

const (
	help = "↑↓ enter step  ←→ run  v violation  c chart  e evaluate  u until  w why  f " +
		"full  q quit"
	stepShare = 3 // a third of the screen is for the steps
)

// lines are at most as many as the screen has.
func (m *Model) lines() []string {
	p := m.view
	head := fmt.Sprintf("%s: state %d of %d", m.title, p.Address.At, len(p.Run)-1)
	if c := p.Run[p.Address.At].Call; c != "" {
		head += ": " + c
	}
	out := []string{paint(bold, m.cut(head))}
	bottom := []string{paint(dim, m.cut(help))}
	switch {
	case m.asking != "":
		bottom = []string{m.cut(m.asking + ": " + m.text + "█"),
			paint(dim, m.cut("enter carries it out, esc leaves it"))}
	case m.message != "":
		bottom = append([]string{paint(red, m.cut(m.message))}, bottom...)
	case m.busy != nil:
		bottom = []string{m.cut("at work; ctrl+c ends it")}
	}
	room := max(m.height-len(out)-len(bottom), 0)
	if m.showChart {
		out = append(out, m.chartLines(room)...)
	} else {
		steps := max(room/stepShare, 3)
		out = append(out, m.top(m.stateLines(), max(room-steps, 0))...)
		out = append(out, m.stepLines(min(steps, max(room-len(out)+1, 0)))...)
	}
	for len(out) < m.height-len(bottom) {
		out = append(out, "")
	}
	return append(out[:max(m.height-len(bottom), 0)], bottom...)
}

// top gives the first lines, and says how many there are more.
func (m *Model) top(lines []string, room int) []string {
	if len(lines) <= room {
		return lines
	}
	if room == 0 {
		return nil
	}
	return append(lines[:room-1:room-1],
		paint(dim, m.cut(fmt.Sprintf("and %d more lines", len(lines)-room+1))))
}

func (m *Model) stateLines() (out []string) {
	p := m.view
	at := p.Address.At
	if p.Arbitrary {
		out = append(out, m.cut("the run begins in a state that need not be reachable"))
	}
	for _, name := range p.Run[at].Violated {
		out = append(out, paint(red, m.cut(name+" is violated")))
	}
	if p.Timed && len(p.Zone) > 0 {
		out = append(out, m.cut("  zone: "+strings.Join(p.Zone, ", ")))
	}
	for i, w := range m.watch {
		if i < len(m.values) && at < len(m.values[i]) {
			out = append(out, m.cut("  "+w+" = "+m.values[i][at]))
		}
	}
	for _, l := range m.why {
		out = append(out, paint(dim, m.cut("  "+l)))
	}
	for _, v := range p.State {
		if m.full || at == 0 || v.Changed {
			out = append(out, m.valueLine(v))
		}
	}
	return append(out, "")
}

func (m *Model) valueLine(v *sim.ValueTree) string {
	if !v.Changed {
		return m.cut("  " + v.Name + " = " + v.Value)
	}
	return paint(green, m.cut("* "+v.Name+": "+v.Was+" -> "+v.Value))
}

func (m *Model) stepLines(room int) (out []string) {
	choices := m.view.Choices
	if len(choices) == 0 {
		return []string{paint(red, m.cut("deadlock: this state has no successor"))}
	}
	first := max(0, min(m.chosen-room/2, len(choices)-room))
	for i := first; i < min(first+room, len(choices)); i++ {
		c := choices[i]
		text := strings.Join(c.Changes, ", ")
		if c.Why != "" {
			text = c.Why
		}
		line := m.cut(fmt.Sprintf("%4d  %s  %s", i+1, c.Call, text))
		if i == m.chosen {
			line = paint(reverse, line)
		}
		out = append(out, line)
	}
	return out
}

// chartLines show the chart around the current state.
func (m *Model) chartLines(room int) []string {
	if m.chart == nil {
		return []string{m.cut("no step of this run names an element of a sort, so there are no " +
			"lanes")}
	}
	all := m.chart.Text()
	heads := len(all) - len(m.chart.Rows)
	at := 0
	for i, r := range m.chart.Rows {
		if r.State <= m.view.Address.At {
			at = i
		}
	}
	out := make([]string, 0, room)
	for _, l := range all[:min(heads, room)] {
		out = append(out, m.cut(l))
	}
	rows := all[heads:]
	left := room - len(out)
	first := max(0, min(at-left/2, len(rows)-left))
	for i := first; i < min(first+left, len(rows)); i++ {
		l := m.cut(rows[i])
		if i == at {
			l = paint(reverse, l)
		}
		out = append(out, l)
	}
	return out
}

package screen

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/uppaal"
	"erelong.dev/erelong/internal/sim"
)

const lock = `
sort client
mutable relation free
mutable relation holds(client)
init free & !holds(C)
action take(c: client) { require free; holds(c) := true; }
action put(c: client) { require holds(c); holds(c) := false; free := true; }
safety [exclusive] holds(A) & holds(B) -> A = B
instance two { client = 2 }
`

func screen(t *testing.T) *Model {
	t.Helper()
	spec, list, err := ere.Read("lock.ere", lock)
	if err != nil {
		t.Fatal(list)
	}
	x, err := sim.NewExplorer(t.Context(), spec, spec.System.Instances[0], nil, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(t.Context(), x, sim.Address{First: 1}, "lock two", nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// press presses keys, and carries out the work that they begin.
func press(t *testing.T, m *Model, keys ...string) (quit bool) {
	t.Helper()
	special := map[string]rune{
		"enter": tea.KeyEnter, "left": tea.KeyLeft, "right": tea.KeyRight, "up": tea.KeyUp,
		"down": tea.KeyDown,
		"home": tea.KeyHome, "end": tea.KeyEnd, "esc": tea.KeyEscape, "backspace": tea.KeyBackspace,
	}
	for _, k := range keys {
		msg := tea.KeyPressMsg{Code: special[k]}
		if msg.Code == 0 {
			msg = tea.KeyPressMsg{Code: []rune(k)[0], Text: k}
		}
		_, cmd := m.Update(msg)
		for cmd != nil {
			next := cmd()
			if _, ok := next.(tea.QuitMsg); ok {
				return true
			}
			_, cmd = m.Update(next)
		}
	}
	return false
}

func typed(text string) (keys []string) {
	for _, r := range text {
		keys = append(keys, string(r))
	}
	return append(keys, "enter")
}

var codes = regexp.MustCompile("\x1b\\[[0-9;]*m")

func text(m *Model) string { return codes.ReplaceAllString(m.View().Content, "") }

func expect(t *testing.T, m *Model, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text(m), p) {
			t.Errorf("%q is missing in\n%s", p, text(m))
		}
	}
}

func TestScreen(t *testing.T) {
	m := screen(t)
	expect(t, m, "lock two: state 0 of 0", "free = true", "   1  take(c = client0)  holds(client0): false -> true", "   2  take(c = client1)")
	press(t, m, "enter", "down", "enter")
	expect(t, m, "state 2 of 2: take(c = client1)", "exclusive is violated", "* holds: {client0} -> {client0, client1}")
	press(t, m, append([]string{"e"}, typed("exists C. !holds(C)")...)...)
	expect(t, m, "exists C. !holds(C) = false")
	press(t, m, "left")
	expect(t, m, "state 1 of 2", "exists C. !holds(C) = true")
	press(t, m, append([]string{"w"}, typed("holds(client1)")...)...)
	expect(t, m, "holds(client1) is false")
	press(t, m, "v")
	expect(t, m, "state 2 of 2")
	press(t, m, "home", "f")
	expect(t, m, "state 0 of 2", "free = true")
	press(t, m, append([]string{"u"}, typed("holds(client1)")...)...)
	expect(t, m, "state 1 of 1: take(c = client1)")
	press(t, m, append([]string{"e"}, typed("nonsense(")...)...)
	expect(t, m, "E0")
	press(t, m, "right", "left", "end")
	expect(t, m, "exists C. !holds(C)")
	press(t, m, "c")
	expect(t, m, "client0", "●", "take(c = client1)")
	press(t, m, "c", "x")
	if strings.Contains(text(m), "exists C") {
		t.Error("a forgotten expression is shown")
	}
	press(t, m, "e", "a", "q", "backspace", "esc")
	if !press(t, m, "q") {
		t.Error("q does not leave")
	}
}

// Whatever the size, the screen has as many lines as there are, and none is too long.
func TestSizes(t *testing.T) {
	m := screen(t)
	press(t, m, "enter", "enter", "enter")
	for _, chart := range []bool{false, true} {
		m.showChart = chart
		for _, size := range [][2]int{{1, 1}, {20, 3}, {40, 5}, {80, 24}, {200, 60}, {0, 0}} {
			m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			lines := strings.Split(text(m), "\n")
			if len(lines) > max(size[1], 1) {
				t.Errorf("%v: %d lines", size, len(lines))
			}
			for _, l := range lines {
				if n := utf8.RuneCountInString(l); n > max(size[0], 1) {
					t.Errorf("%v: %q has %d characters", size, l, n)
				}
			}
		}
	}
}

// Keys while work is in progress begin no other work.
func TestBusy(t *testing.T) {
	m := screen(t)
	_, first := m.Update(tea.KeyPressMsg{Code: tea.KeyEnter})
	_, second := m.Update(tea.KeyPressMsg{Code: tea.KeyEnter})
	if first == nil || second != nil {
		t.Error("two pieces of work are in progress")
	}
	expect(t, m, "at work")
	m.Update(first())
	expect(t, m, fmt.Sprintf("state %d of 1", 1))
}

// A model of timed automata has steps and delays, and shows the zone of a state.
func TestTimed(t *testing.T) {
	net, err := uppaal.Read("door.xta", "clock x; process P() { state a { x <= 3 }, b; init a; trans a -> b { guard x > 1; }; } p = P(); system p;\n", "", "")
	if err != nil {
		t.Fatal(err)
	}
	x, err := sim.NewTimedExplorer(net, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(t.Context(), x, sim.Address{First: 1}, "door", nil)
	if err != nil {
		t.Fatal(err)
	}
	m.width = 120
	see := func(want string) {
		t.Helper()
		if text := strings.Join(m.lines(), "\n"); !strings.Contains(text, want) {
			t.Errorf("the screen does not show %q:\n%s", want, text)
		}
	}
	see("zone: x <= 3")
	press(t, m, "down", "down", "enter")
	see("x: 0 -> 2")
	press(t, m, "enter")
	see("p: a -> b")
	see("zone: 1 < x")
	press(t, m, "c")
	see("p a -> b")
	press(t, m, "c", "e", "x", "enter")
	see("expressions are not evaluated")
}

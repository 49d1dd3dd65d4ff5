package drive_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"erelong.dev/erelong/trace"
	"erelong.dev/erelong/trace/drive"
)

// lock is a lock with tickets; with a mistake the third leaving serves nobody.
type lock struct {
	next, now int
	inside    map[string]bool
	left      int
	mistake   bool
}

func (l *lock) Init(state trace.Values) error {
	*l = lock{inside: map[string]bool{}, mistake: l.mistake}
	if fmt.Sprint(state["limit"]) != "5" {
		return errors.New("the lock needs the constants of its instance")
	}
	if fmt.Sprint(state["now"]) != "0" {
		return errors.New("the lock begins with 0")
	}
	return nil
}

func (l *lock) Step(action string, args trace.Values) (trace.Values, error) {
	c, _ := args["c"].(string)
	switch action {
	case "get":
		l.next++
	case "enter":
		l.inside[c] = true
	case "leave":
		delete(l.inside, c)
		if l.left++; l.left != 3 || !l.mistake {
			l.now++
		}
	default:
		return nil, fmt.Errorf("the action %s is unknown", action)
	}
	inside := []string{}
	for c := range l.inside {
		inside = append(inside, c)
	}
	return trace.Values{"now": l.now, "next": l.next, "inside": inside}, nil
}

// A run in which client c0 goes through the lock n times, with a look around in between.
func run(n int) string {
	var b strings.Builder
	b.WriteString(`{"event":"#first","obs":{"now":0,"next":0,"inside":[],"limit":5}}` + "\n")
	for i := range n {
		fmt.Fprintf(&b, `{"event":"get","args":{"c":"c0"},"obs":{"now":%d,"next":%d,"inside":[]}}`+"\n", i, i+1)
		fmt.Fprintf(&b, `{"event":"enter","args":{"c":"c0"},"obs":{"now":%d,"next":%d,"inside":[["c0"]]}}`+"\n", i, i+1)
		fmt.Fprintf(&b, `{"event":"enter","args":{"c":"c0"},"obs":{"now":%d,"next":%d,"inside":[["c0"]]}}`+"\n", i, i+1)
		fmt.Fprintf(&b,
			`{"event":"leave","args":{"c":"c0"},"obs":{"now":%d,"next":%d,"inside":[]}}`+"\n", i+1,
			i+1)
	}
	return b.String()
}

func TestRun(t *testing.T) {
	steps, err := drive.Read(strings.NewReader(run(4)))
	if err != nil {
		t.Fatal(err)
	}
	if err := drive.Run(steps, &lock{}); err != nil {
		t.Error(err)
	}
	err = drive.Run(steps, &lock{mistake: true})
	var m *drive.Mismatch
	if !errors.As(err, &m) || m.Step != 12 || m.Variable != "now" || m.Expected != "3" ||
		m.Seen != "2" {
		t.Errorf("%v", err)
	}
	// The second steps of entering lead to the same state, and are not needed.
	short := drive.Shrink(steps, func() drive.Driver { return &lock{mistake: true} })
	if len(short) != 10 || drive.Run(short, &lock{mistake: true}) == nil {
		t.Errorf("%d states after shrinking", len(short))
	}
}

// known gives the same observation after every step.
type known struct{ seen any }

func (known) Init(trace.Values) error { return nil }

func (k known) Step(string, trace.Values) (trace.Values, error) {
	return trace.Values{"x": k.seen}, nil
}

func TestComparison(t *testing.T) {
	type tuple = []any
	for _, c := range []struct {
		want string // in the file
		seen any
		same bool
	}{
		{`3`, 3, true},
		{`3`, 3.0, true},
		{`3`, "3", false},
		{`"a"`, "a", true},
		{`true`, true, true},
		{`[["a"],["b"]]`, []string{"b", "a"}, true}, // a relation is a set
		{`[["a"],["b"]]`, []tuple{{"b"}, {"a"}}, true},
		{`[["a"],["b"]]`, []string{"b", "a", "b"}, true},
		{`[["a"],["b"]]`, []string{"b"}, false},
		{`[["a"]]`, "a", false},
		{`[["a","b"]]`, []tuple{{"a", "b"}}, true},
		{`[["a","b"]]`, []tuple{{"b", "a"}}, false}, // a tuple has an order
		{`[["a","b"]]`, []string{"a", "b"}, false},
		{`[["a",1],["b",2]]`, []tuple{{"b", 2}, {"a", 1}}, true},
		{`[]`, []string{}, true},
		{`[]`, nil, false},
		{`{"a":0,"b":[["c"]]}`, map[string]any{"b": []string{"c"}, "a": 0}, true},
		{`{"a":0}`, map[string]int{"a": 0, "b": 0}, false},
		{`{"a":0,"b":0}`, map[string]int{"a": 0}, false},
		{`{"a":0}`, map[string]int{"a": 1}, false},
		{`{"a":0}`, []int{0}, false},
		{`3`, func() {}, false}, // no JSON
	} {
		steps, err := drive.Read(strings.NewReader(`{"event":"#first","obs":{"x":0}}` + "\n" +
			`{"event":"a","obs":{"x":` + c.want + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		err = drive.Run(steps, known{c.seen})
		if (err == nil) != c.same {
			t.Errorf("%s and %v: %v", c.want, c.seen, err)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "step 1, a: x is ") {
			t.Error(err)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for _, text := range []string{"", "hello", `{"event":"a"}` + "\n" + `{"event":`,
		`{"evnt":"a"}`} {
		if _, err := drive.Read(strings.NewReader(text)); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
	bad, err := drive.Read(strings.NewReader(run(0) + `{"event":"jump","args":{},"obs":{}}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := drive.Run(bad, &lock{}); err == nil || !strings.Contains(err.Error(), "the action jump is unknown") {
		t.Errorf("%v", err)
	}
}

package conformance

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"regexp"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/conformance/observe"
	"erelong.dev/erelong/internal/conformance/runlog"
	"erelong.dev/erelong/internal/front/ere"
)

// lockSpec is a lock with a token, and a counter that nothing bounds.
const lockSpec = `sort client
mutable relation free
mutable relation holds(client)
mutable constant token: int
init free & !holds(C) & token = 0
action take(c: client, t: int) { require free & t = token + 1; free := false; holds(c) := true; token := t; }
action put(c: client) { require holds(c); holds(c) := false; free := true; }
action lose(c: client) { require holds(c) & token > 100000; holds(c) := false; }
safety [exclusive] holds(A) & holds(B) -> A = B
safety [few] token < 1050
instance three { client = 3 }
`

// lockLog is a log of a number of turns: lines of JSON, a moment apart.
func lockLog(turns int) []string {
	var out []string
	seq := map[string]int{}
	add := func(turn int, node, event, args string) {
		seq[node]++
		out = append(out, fmt.Sprintf(
			`{"node":"%s","seq":%d,"t":%d,"event":"%s","args":{"c":"%s"%s},"obs":{"token":%d}}`,
			node, seq[node], 10*len(out)+5, event, node, args, turn))
	}
	for turn := 1; turn <= turns; turn++ {
		node := fmt.Sprintf("client%d", turn%3)
		add(turn, node, "take", fmt.Sprintf(`,"t":%d`, turn))
		add(turn, node, "put", "")
	}
	return out
}

// streamed checks logs while they are read.
func streamed(
	t testing.TB, spec *ere.Specification, declarations string, logs ...string,
) (*Result, error) {
	t.Helper()
	file, err := observe.Parse("spec.observe", declarations)
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(spec, spec.System.Instances[0], file, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var sources []Source
	for i, log := range logs {
		next := runlog.NewReader("log", strings.NewReader(log), file.Shape).Next
		sources = append(sources, func() (*runlog.Event, error) {
			e, err := next()
			if err == nil && len(logs) > 1 {
				e.File = fmt.Sprint("log", i)
			}
			return e, err
		})
	}
	return c.Streamed(context.Background(), "log", sources...)
}

func readLockSpec(t testing.TB) *ere.Specification {
	t.Helper()
	spec, _, err := ere.Read("lock.ere", lockSpec)
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// A log that is checked while it is read has the result that it has as a whole, and what is kept of
// it does not grow with it.
func TestStream(t *testing.T) {
	spec := readLockSpec(t)
	lines := lockLog(1100)
	log := strings.Join(lines, "\n")
	for _, order := range []string{"order file", "order node", ""} {
		r, err := streamed(t, spec, order, log)
		if err != nil {
			t.Fatalf("%q: %v", order, err)
		}
		want, err := check(t, spec, order, log, Options{Mutants: -1})
		if err != nil {
			t.Fatal(err)
		}
		if r.Answer != Accepted || r.Events != 2200 || r.Steps != want.Steps ||
			r.Order != want.Order || r.Coverage.Made != want.Coverage.Made ||
			!slices.Equal(r.Coverage.Taken, want.Coverage.Taken) ||
			!slices.Equal(r.Notes, want.Notes) {
			t.Errorf("%q: %+v instead of %+v", order, r, want)
		}
		if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "few is violated after line 2099") {
			t.Errorf("notes: %q", r.Notes)
		}
		if m := r.Mutants; m == nil || m.Of == 0 || m.Rejected == 0 || len(m.Kept) > 0 {
			t.Errorf("%q: changed logs %+v", order, m)
		}
	}
}

// Where the log is no run in the order in which it is read, the stream says nothing of it.
func TestStreamLeavesToTheWhole(t *testing.T) {
	spec := readLockSpec(t)
	lines := lockLog(1250)
	joined := func(change func([]string) []string) string {
		return strings.Join(change(slices.Clone(lines)), "\n")
	}
	byNode := func(all []string) (out []string) {
		for i := range 3 {
			for _, l := range all {
				if strings.HasPrefix(l, fmt.Sprintf(`{"node":"client%d"`, i)) {
					out = append(out, l)
				}
			}
		}
		return out
	}
	for _, c := range []struct {
		name, order, log string
		accepted         bool // as a whole
	}{
		{"a wrong value", "order file", joined(func(l []string) []string {
			l[2400] = strings.Replace(l[2400], `"token":1201`, `"token":1202`, 1)
			return l
		}), false},
		{"short", "order file", joined(func(l []string) []string { return l[:1000] }), true},
		{"joined by cat", "order node", joined(byNode), true},
		{"joined by cat, with times", "order time", joined(byNode), true},
		{"a number twice", "order node", joined(func(l []string) []string {
			return append(l, l[len(l)-1])
		}), false},
		{"a message received before it is sent", "order file", joined(func(l []string) []string {
			l[2400] = strings.Replace(l[2400], "{", `{"receive":"m",`, 1)
			l[2401] = strings.Replace(l[2401], "{", `{"send":"m",`, 1)
			return l
		}), false},
		{"overlapping times of a node without numbers", "order time", joined(func(l []string) []string {
			for i := range l {
				l[i] = regexp.MustCompile(`"seq":[0-9]+,`).ReplaceAllString(l[i], "")
			}
			// The node says that it put before it took, and its times leave it open.
			l[2400], l[2401] = strings.Replace(l[2401], `"t":24015`, `"t":[24008,24016]`, 1),
				strings.Replace(l[2400], `"t":24005`, `"t":[24005,24016]`, 1)
			return l
		}), false},
		{"a message sent twice", "order file", joined(func(l []string) []string {
			for _, i := range []int{5, 2401} {
				l[i] = strings.Replace(l[i], "{", `{"send":"m",`, 1)
			}
			return l
		}), false},
	} {
		if r, err := streamed(t, spec, c.order, c.log); !errors.Is(err, ErrWhole) {
			t.Errorf("%s: %+v, %v", c.name, r, err)
		}
		r, err := check(t, spec, c.order, c.log, Options{Mutants: -1})
		if accepted := err == nil && r.Answer == Accepted; accepted != c.accepted {
			t.Errorf("%s, as a whole: %+v, %v", c.name, r, err)
		}
	}
}

// Logs of several processes are put in order by their times, and near by in each.
func TestStreamOfSeveralLogs(t *testing.T) {
	spec := readLockSpec(t)
	logs := make([][]string, 3)
	for _, l := range lockLog(1250) {
		i := l[len(`{"node":"client`)] - '0'
		logs[i] = append(logs[i], l)
	}
	random := rand.New(rand.NewSource(1))
	var texts []string
	for _, l := range logs {
		for i := 0; i+3 < len(l); i += 3 {
			random.Shuffle(3, func(a, b int) { l[i+a], l[i+b] = l[i+b], l[i+a] })
		}
		texts = append(texts, strings.Join(l, "\n"))
	}
	r, err := streamed(t, spec, "", texts...)
	if err != nil || r.Answer != Accepted || r.Order != observe.ByTime || r.Events != 2500 {
		t.Errorf("%+v, %v", r, err)
	}
}

// Where times overlap, and the events did not happen in the order in which their times begin, the
// log is still checked while it is read.
func TestStreamOfOverlappingTimes(t *testing.T) {
	spec := readLockSpec(t)
	random := rand.New(rand.NewSource(1))
	var lines []string
	for i, l := range lockLog(1250) {
		at := 10*i + 5
		lines = append(lines, strings.Replace(l, fmt.Sprintf(`"t":%d,`, at),
			fmt.Sprintf(`"t":[%d,%d],`, at-random.Intn(20), at+random.Intn(20)), 1))
	}
	log := strings.Join(lines, "\n")
	r, err := streamed(t, spec, "", log)
	if err != nil || r.Answer != Accepted || r.Order != observe.ByTime || r.Events != 2500 ||
		r.Mutants == nil || r.Mutants.Rejected == 0 {
		t.Errorf("%+v, %v", r, err)
	}
	wrong := strings.Replace(log, `"token":1201`, `"token":1202`, 1)
	if r, err := streamed(t, spec, "", wrong); !errors.Is(err, ErrWhole) {
		t.Errorf("a wrong value: %+v, %v", r, err)
	}
}

// What a stream keeps does not grow with the log, also where the log leaves choices open.
func TestStreamKeepsLittle(t *testing.T) {
	spec := readLockSpec(t)
	file, err := observe.Parse("spec.observe", "order file\nsilent lose\n")
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(spec, spec.System.Instances[0], file, Options{Mutants: -1})
	if err != nil {
		t.Fatal(err)
	}
	lines := lockLog(4000)
	next := runlog.NewReader("log", strings.NewReader(strings.Join(lines, "\n")), file.Shape).Next
	var st *Stream
	most := 0
	st = c.Stream("log", observe.ByFile, func() (*runlog.Event, error) {
		most = max(most, len(st.s.frames), len(st.s.seen), len(st.s.p.lanes[0].events))
		return next()
	})
	r, err := st.Run(context.Background())
	if err != nil || r.Answer != Accepted || r.Events != 8000 {
		t.Fatal(r, err)
	}
	if most > 2*streamBack+2 {
		t.Errorf("%d frames, pairs or events are kept", most)
	}
}

// What is committed begins where the step before has led, leads to the state of the search, and is
// computed once more now and then: each is an internal error otherwise, wherever it is.
func TestCommittedSteps(t *testing.T) {
	for what, damage := range map[string]func(st *Stream) bool{
		"a step from another state": func(st *Stream) bool {
			return change(st, func(s *Step) { s.changes[0].From += 7 })
		},
		"a step to another state": func(st *Stream) bool {
			return change(st, func(s *Step) { s.changes[0].To += 7 })
		},
		"a step of another action": func(st *Stream) bool {
			other := st.c.actions["lose"][0]
			for i := range st.s.frames {
				for j := range st.s.frames[i].by.steps {
					st.s.frames[i].by.steps[j].Action = other
				}
			}
			return true
		},
	} {
		file, err := observe.Parse("spec.observe", "order file")
		if err != nil {
			t.Fatal(err)
		}
		spec := readLockSpec(t)
		c, err := New(spec, spec.System.Instances[0], file, Options{})
		if err != nil {
			t.Fatal(err)
		}
		next := runlog.NewReader("log", strings.NewReader(strings.Join(lockLog(8000), "\n")),
			file.Shape).Next
		var st *Stream
		damaged := false
		st = c.Stream("log", observe.ByFile, func() (*runlog.Event, error) {
			if st.read > auditAll+streamBack && len(st.s.frames) > 20 && !damaged {
				damaged = damage(st)
			}
			return next()
		})
		_, err = st.Run(context.Background())
		if defect := (*DefectError)(nil); !damaged || !errors.As(err, &defect) {
			t.Errorf("%s: damaged %v, error %v", what, damaged, err)
		}
	}
}

// change changes a step in the middle of what the search can take back.
func change(st *Stream, f func(*Step)) bool {
	steps := st.s.frames[len(st.s.frames)/2].by.steps
	if len(steps) == 0 || len(steps[0].changes) == 0 {
		return false
	}
	steps[0].changes = slices.Clone(steps[0].changes)
	f(&steps[0])
	return true
}

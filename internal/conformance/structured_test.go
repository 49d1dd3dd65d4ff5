package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/conformance/observe"
	"erelong.dev/erelong/internal/conformance/runlog"
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/ere/flat/oracletest"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// Logs with structured data are runs where the oracle, which evaluates structured data as it
// stands, has such a run: logs of random runs, and logs in which a value is another.
func TestStructuredLogs(t *testing.T) {
	counts := map[Answer]int{}
	for seed := range int64(testkit.Size(150, 1500)) {
		rng := rand.New(rand.NewSource(seed))
		text := oracletest.Generate(rng)
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) { structuredLogs(t, rng, text, counts) }) {
			t.Log(text)
		}
	}
	t.Log(counts)
	if counts[Accepted] < 150 || counts[NotAccepted] < 20 {
		t.Errorf("too little was compared: %v", counts)
	}
}

func structuredLogs(t *testing.T, rng *rand.Rand, text string, counts map[Answer]int) {
	spec, _, err := ere.Read("generated.ere", text)
	if err != nil {
		return // refused
	}
	sys := spec.System
	file, err := observe.Parse("test.observe", "")
	if err != nil {
		t.Fatal(err)
	}
	checker, err := New(spec, sys.Instances[0], file, Options{Mutants: -1, Places: 8})
	if err != nil {
		t.Fatal(err)
	}
	errs := &diag.List{}
	m := oracletest.New(syntax.Parse(diag.NewSource("generated.ere", text), errs),
		map[string]int{"node": 1 + strings.Count(text, "node = 2")})
	trace := randomRun(t, rng, checker.Model())
	if trace == nil {
		return
	}
	judge := func(trace *result.Trace) {
		want, ok := isRun(m, trace)
		if !ok {
			return
		}
		got, err := checker.Check(t.Context(), "log", eventsOf(t, trace))
		if err != nil {
			t.Fatal(err)
		}
		counts[got.Answer]++
		if want != (got.Answer == Accepted) {
			t.Errorf("%s, and the oracle says %t:\n%v", got.Answer, want, trace.Steps)
		}
	}
	judge(trace)
	other := randomRun(t, rng, checker.Model())
	if other == nil {
		return
	}
	changed := *trace
	changed.Steps = slices.Clone(trace.Steps)
	at := rng.Intn(len(changed.Steps))
	state := slices.Clone(changed.Steps[at].State)
	i := rng.Intn(len(state))
	state[i].Value = other.Steps[len(other.Steps)-1].State[i].Value
	changed.Steps[at].State = state
	judge(&changed)
}

// randomRun is a run as the file shows it, nil if there is none without an error.
func randomRun(t *testing.T, rng *rand.Rand, m *interp.Model) *result.Trace {
	var initial []interp.State
	if err := m.Initial(t.Context(), func(s interp.State) error {
		initial = append(initial, s)
		return nil
	}); err != nil || len(initial) == 0 {
		return nil
	}
	first := initial[rng.Intn(len(initial))]
	now := first
	var steps []interp.Step
	for range rng.Intn(4) {
		var next []interp.Step
		for _, a := range m.System.Actions {
			if err := m.Steps(t.Context(), now, a, func(s interp.Step) error {
				next = append(next, s)
				return nil
			}); err != nil {
				return nil
			}
		}
		if len(next) == 0 {
			break
		}
		step := next[rng.Intn(len(next))]
		steps, now = append(steps, step), step.State
	}
	trace := m.TraceOf(first, steps...).Shown()
	for _, s := range trace.Steps {
		for _, b := range s.State {
			if strings.Contains(b.Value.String(), "?") { // a sequence has left its bound
				return nil
			}
		}
	}
	return trace
}

// isRun asks the oracle. It reports false where a step is an error.
func isRun(m *oracletest.Machine, trace *result.Trace) (is, ok bool) {
	states := m.Initial()
	for i, step := range trace.Steps {
		states = slices.DeleteFunc(states, func(s oracletest.State) bool {
			return !maps.Equal(m.Shown(s), textsOf(step.State))
		})
		if i+1 == len(trace.Steps) {
			break
		}
		next := trace.Steps[i+1]
		var after []oracletest.State
		for _, s := range states {
			steps, ok := m.Steps(s)
			if !ok {
				return false, false
			}
			for _, o := range steps {
				same := o.Action == next.Action
				for k, p := range o.Params {
					same = same && next.Args[k].Value.String() == p
				}
				if same {
					after = append(after, o.To)
				}
			}
		}
		states = after
	}
	return len(states) > 0, true
}

func textsOf(state []result.Binding) map[string]string {
	out := map[string]string{}
	for _, b := range state {
		v := b.Value
		if v.Kind == result.SetValue || v.Kind == result.MapValue {
			v.Rows = slices.Clone(v.Rows)
			result.SortElements(v.Rows)
		}
		out[b.Name] = v.String()
	}
	return out
}

// eventsOf writes a run as a program does, and reads it as a log. Choices are left open.
func eventsOf(t *testing.T, trace *result.Trace) []*runlog.Event {
	var b bytes.Buffer
	for i, s := range trace.Steps {
		line := map[string]any{"event": s.Action, "obs": map[string]any{}}
		if i == 0 {
			line["event"] = runlog.FirstState
		}
		for _, v := range s.State {
			line["obs"].(map[string]any)[v.Name] = runlog.Plain(v.Value)
		}
		args := map[string]any{}
		for _, a := range s.Args {
			if strings.HasPrefix(a.Name, "p") { // a parameter
				args[a.Name] = runlog.Plain(a.Value)
			}
		}
		line["args"] = args
		text, err := json.Marshal(line)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(text, '\n'))
	}
	events, err := runlog.Read("log", &b, runlog.Standard())
	if err != nil {
		t.Fatal(err)
	}
	return events
}

package conformance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/conformance/observe"
	"erelong.dev/erelong/internal/conformance/runlog"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
)

// The oracle reads an entry of a log in the plainest way: a list of actions, of which the last has
// the arguments, and the values of variables after it.
type entry struct {
	line    int
	node    string
	seq     int64
	from    int64
	to      int64
	send    string
	receive string
	actions []string // none for an event without a step
	args    []result.Binding
	obs     []result.Binding
}

// before says that the log knows that one entry comes before another.
func before(order observe.Order, a, b entry) bool {
	message := a.send != "" && a.send == b.receive
	switch order {
	case observe.ByFile:
		return a.line < b.line || message
	case observe.ByNode:
		return a.node == b.node && a.seq < b.seq || message
	}
	return a.node == b.node && a.seq < b.seq || a.to < b.from || message
}

// oracle says whether a log is a run: it tries every order of the entries, and for each follows the
// set of all states that the model can be in.
type oracle struct {
	t      *testing.T
	m      *interp.Model
	silent []*system.Action
	most   int
	order  observe.Order
}

func (o *oracle) accepts(log []entry) bool {
	var initial []interp.State
	if err := o.m.Initial(context.Background(), func(s interp.State) error {
		initial = append(initial, s)
		return nil
	}); err != nil {
		o.t.Fatal(err)
	}
	return o.permute(nil, log, initial)
}

func (o *oracle) permute(done, left []entry, states []interp.State) bool {
	if len(states) == 0 {
		return false
	}
	if len(left) == 0 {
		return true
	}
	for i, e := range left {
		rest := slices.Delete(slices.Clone(left), i, i+1)
		if slices.ContainsFunc(rest, func(other entry) bool { return before(o.order, other, e) }) {
			continue
		}
		if o.permute(append(slices.Clone(done), e), rest, o.after(states, e)) {
			return true
		}
	}
	return false
}

// after is the set of states after silent steps and an entry.
func (o *oracle) after(states []interp.State, e entry) []interp.State {
	closed := slices.Clone(states)
	for range o.most {
		for _, a := range o.silent {
			closed = append(closed, o.steps(closed, a, nil)...)
		}
		closed = unique(closed)
	}
	for i, name := range e.actions {
		at := slices.IndexFunc(o.m.System.Actions, func(a *system.Action) bool {
			return a.Name == name
		})
		var args []result.Binding
		if i == len(e.actions)-1 {
			args = e.args
		}
		closed = unique(o.steps(closed, o.m.System.Actions[at], args))
	}
	return slices.DeleteFunc(closed, func(s interp.State) bool {
		values := o.m.Bindings(s, true)
		return slices.ContainsFunc(e.obs, func(want result.Binding) bool {
			return !slices.ContainsFunc(values, equals(want))
		})
	})
}

func equals(a result.Binding) func(result.Binding) bool {
	return func(b result.Binding) bool { return a.Name == b.Name && a.Value.Equal(b.Value) }
}

func (o *oracle) steps(
	states []interp.State, a *system.Action, args []result.Binding,
) (out []interp.State) {
	for _, s := range states {
		err := o.m.Steps(context.Background(), s, a, func(x interp.Step) error {
			have := o.m.ArgBindings(x.Args)
			for _, want := range args {
				if !slices.ContainsFunc(have, equals(want)) {
					return nil
				}
			}
			out = append(out, x.State)
			return nil
		})
		if err != nil {
			o.t.Fatal(err)
		}
	}
	return out
}

func unique(states []interp.State) []interp.State {
	slices.SortFunc(states, func(a, b interp.State) int { return slices.Compare(a, b) })
	return slices.CompactFunc(states, func(a, b interp.State) bool { return slices.Equal(a, b) })
}

// events writes a log as records.
func events(log []entry) (out []*runlog.Event, file *observe.File) {
	file = observe.Default()
	names := map[string]*observe.Event{}
	for _, e := range log {
		ev := &runlog.Event{
			Line: e.line, Node: e.node, Seq: e.seq, HasSeq: true, Since: e.from, Until: e.to,
			HasTime: true, Send: e.send, Receive: e.receive,
		}
		switch len(e.actions) {
		case 0:
			ev.Name = "look"
			names[ev.Name] = &observe.Event{Name: ev.Name}
		case 1:
			ev.Name = e.actions[0]
			for _, a := range e.args {
				ev.Args = append(ev.Args, runlog.Field{Name: a.Name, Value: runlog.Plain(a.Value)})
			}
		default:
			ev.Name = fmt.Sprint("seq_", e.actions)
			d := &observe.Event{Name: ev.Name}
			for _, a := range e.actions {
				d.Calls = append(d.Calls, observe.Call{Action: a})
			}
			names[ev.Name] = d
		}
		for _, b := range e.obs {
			ev.Obs = append(ev.Obs, runlog.Field{Name: b.Name, Value: runlog.Plain(b.Value)})
		}
		ev.Args, ev.Obs = runlog.NewObject(ev.Args...), runlog.NewObject(ev.Obs...)
		ev.Whole = runlog.NewObject(runlog.Field{Name: "event", Value: ev.Name},
			runlog.Field{Name: "args", Value: ev.Args}, runlog.Field{Name: "obs", Value: ev.Obs})
		out = append(out, ev)
	}
	for _, k := range slices.Sorted(maps.Keys(names)) {
		file.Events = append(file.Events, names[k])
	}
	slices.SortFunc(out, func(a, b *runlog.Event) int { return a.Line - b.Line })
	return out, file
}

// record walks at random and writes down a part of what it sees.
func record(t *testing.T, r *rand.Rand, m *interp.Model, silent []*system.Action) (log []entry) {
	var states []interp.State
	if err := m.Initial(context.Background(), func(s interp.State) error {
		states = append(states, s)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(states) == 0 {
		return nil
	}
	s := states[r.Intn(len(states))]
	seqs := map[string]int64{}
	var pending []string
	var messages []string
	for now := int64(10); now < 80 && len(log) < 5; now += 10 {
		var steps []interp.Step
		for _, a := range m.System.Actions {
			if err := m.Steps(context.Background(), s, a, func(x interp.Step) error {
				steps = append(steps, x)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		if len(steps) == 0 {
			break
		}
		x := steps[r.Intn(len(steps))]
		s = x.State
		if slices.Contains(silent, x.Action) && r.Intn(2) == 0 && len(pending) == 0 {
			continue
		}
		pending = append(pending, x.Action.Name)
		if len(pending) < 2 && r.Intn(6) == 0 {
			continue // two actions in a row
		}
		e := entry{node: fmt.Sprint("n", r.Intn(2)), from: now - int64(r.Intn(15)),
			to: now + int64(r.Intn(15)), actions: pending}
		if r.Intn(10) == 0 {
			log = append(log,
				withValues(r, m, s,
					entry{node: e.node, from: e.from, to: e.to, seq: seqs[e.node] + 1,
						actions: pending}))
			seqs[e.node]++
			e.actions = nil
		} else if len(pending) == 1 {
			for _, b := range m.ArgBindings(x.Args[:len(x.Action.Params)]) {
				if r.Intn(3) > 0 {
					e.args = append(e.args, b)
				}
			}
		}
		seqs[e.node]++
		e.seq, pending = seqs[e.node], nil
		switch r.Intn(5) {
		case 0:
			e.send = fmt.Sprint("m", now)
			messages = append(messages, e.send)
		case 1:
			if len(messages) > 0 {
				e.receive = messages[r.Intn(len(messages))]
			}
		}
		log = append(log, withValues(r, m, s, e))
	}
	for i := range log {
		log[i].line = i + 1
	}
	return log
}

func withValues(r *rand.Rand, m *interp.Model, s interp.State, e entry) entry {
	for _, b := range m.Bindings(s, true) {
		if r.Intn(3) > 0 && b.Value.Kind != result.NoValue {
			e.obs = append(e.obs, b)
		}
	}
	return e
}

// spoil changes a log, so that most of the time it is none of a run.
func spoil(r *rand.Rand, log []entry) []entry {
	out := slices.Clone(log)
	i := r.Intn(len(out))
	switch r.Intn(3) {
	case 0:
		out = slices.Delete(out, i, i+1)
	case 1:
		j := r.Intn(len(out))
		out[i].actions, out[j].actions = out[j].actions, out[i].actions
		out[i].args, out[j].args = out[j].args, out[i].args
	default:
		j := r.Intn(len(out))
		out[i].obs, out[j].obs = out[j].obs, out[i].obs
		for k, b := range out[i].obs {
			if b.Value.Kind == result.BoolValue {
				out[i].obs = slices.Clone(out[i].obs)
				out[i].obs[k].Value = result.Bool(!b.Value.Bool)
				break
			}
		}
	}
	return out
}

// streamedRun reports whether a log is found to be a run while it is read, with a number of steps
// that can be taken back. A log without numbers has the order of its lines at each node.
func streamedRun(
	t *testing.T, c *Checker, lines []*runlog.Event, order observe.Order, back int, numbered bool,
) bool {
	for _, e := range lines {
		e.HasSeq = numbered
	}
	next := readAlready(lines)
	if order == observe.ByTime {
		next = Sorted(next)
	}
	alone := *c
	alone.o.Mutants = -1
	st := alone.Stream("log", order, next)
	st.back = back
	_, err := st.Run(context.Background())
	if err != nil && !errors.Is(err, ErrWhole) {
		t.Fatal(err)
	}
	return err == nil
}

// The search agrees with the oracle on logs of generated systems: some are as recorded, with events
// left out, and some are changed.
func TestSearchAgainstOracle(t *testing.T) {
	answers := map[Answer]int{}
	open, streams := 0, 0
	for seed := range int64(400) {
		r := rand.New(rand.NewSource(seed))
		sys, err := systemtest.Generate(r, systemtest.Options{Actions: 4, Bits: 7})
		if err != nil {
			t.Fatal(err)
		}
		m, err := interp.NewModel(sys, sys.Instances[0])
		if err != nil {
			t.Fatal(err)
		}
		var silent []*system.Action
		for _, a := range sys.Actions {
			if r.Intn(3) == 0 {
				silent = append(silent, a)
			}
		}
		log := record(t, r, m, silent)
		if len(log) == 0 {
			continue
		}
		for range r.Intn(4) {
			if len(log) > 0 {
				log = spoil(r, log)
			}
		}
		if len(log) == 0 {
			continue
		}
		order := []observe.Order{observe.ByFile, observe.ByNode, observe.ByTime}[r.Intn(3)]
		most := r.Intn(3)
		lines, file := events(log)
		file.Order = order
		for _, a := range silent {
			file.Silent = append(file.Silent, observe.Word{Text: a.Name})
		}
		c, err := New(&ere.Specification{System: sys}, sys.Instances[0], file,
			Options{SilentMost: most, Mutants: 5})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got, err := c.Check(context.Background(), "log", lines)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		o := &oracle{t, m, silent, most, order}
		want := NotAccepted
		if o.accepts(log) {
			want = Accepted
		}
		if got.Answer != want {
			t.Errorf("seed %d, order %s: the search says %s, the oracle %s:\n%+v\n%s", seed, order,
				got.Answer, want, log, sys)
		}
		all := streamedRun(t, c, lines, order, streamBack, true)
		if order == observe.ByTime && all != (want == Accepted) {
			t.Errorf("seed %d: the stream accepts: %v, and the oracle says %s:\n%+v\n%s", seed, all,
				want, log, sys)
		}
		if streamedRun(t, c, lines, order, r.Intn(3), r.Intn(2) == 0) {
			if streams++; want != Accepted {
				t.Errorf("seed %d, order %s: the stream accepts, and the oracle does not:\n%+v\n%s",
					seed, order, log, sys)
			}
		}
		answers[got.Answer]++
		if got.Mutants != nil {
			open += len(got.Mutants.Kept)
		}
	}
	if answers[Accepted] < 50 || answers[NotAccepted] < 50 {
		t.Errorf("the logs are too much alike: %v", answers)
	}
	if streams < 40 {
		t.Errorf("the stream accepts %d logs only", streams)
	}
	t.Logf("%v, %d changed logs were accepted", answers, open)
}

package report

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"erelong.dev/erelong/internal/result"
)

func traceText(t *testing.T, trace *result.Trace, o Options) string {
	t.Helper()
	var b strings.Builder
	if err := WriteTrace(&b, trace, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWriteTrace(t *testing.T) {
	witness := lockTrace()
	witness.Kind, witness.Violates, witness.Line = result.Witness, "", 0
	deadlock := lockTrace()
	deadlock.Violates, deadlock.Line = "deadlock", 0
	tests := []struct {
		name  string
		trace *result.Trace
		o     Options
	}{
		{"counterexample.txt", lockTrace(), Options{File: "lock.ere", Snippet: snippet, Width: 80}},
		{"colour.txt", lockTrace(), Options{File: "lock.ere", Snippet: snippet, Color: true}},
		{"full.txt", lockTrace(), Options{Full: true}},
		{"hide.txt", lockTrace(), Options{Hide: []string{"clock", "turn", "M_period"}}},
		{"narrow.txt", lockTrace(), Options{Width: 30, File: "lock.ere", Snippet: snippet}},
		{"fair_lasso.txt", fairLasso(), Options{}},
		{"lasso.txt", lasso(), Options{File: "lock.ere", Snippet: snippet}},
		{"induction.txt", induction(), Options{File: "lock.ere", Snippet: snippet}},
		{"diagnosed.txt", diagnosed(), Options{File: "lock.ere", Snippet: snippet, Width: 100}},
		{"witness.txt", witness, Options{}},
		{"deadlock.txt", deadlock, Options{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := traceText(t, test.trace, test.o)
			golden(t, test.name, got)
			for line := range strings.Lines(got) {
				if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); test.o.Width > 0 &&
					n > test.o.Width {
					t.Errorf("a line has %d characters: %s", n, line)
				}
				if strings.TrimRight(line, " \n") != strings.TrimSuffix(line, "\n") {
					t.Errorf("a line ends in blanks: %q", line)
				}
			}
		})
	}
}

func TestFinding(t *testing.T) {
	for _, test := range []struct {
		d    result.Diagnosis
		want string
	}{
		{result.Diagnosis{Finding: result.Unreachable, States: 1}, "state 0 is not reachable (1 state): an invariant is missing"},
		{result.Diagnosis{Finding: result.Unreachable, Instance: "n = 2", States: 3, Looked: "4 small instances"},
			"state 0 is not reachable with n = 2 (3 states), and no violation was found in 4 small instances: an invariant is missing"},
		{result.Diagnosis{Finding: result.Unreachable, Instance: "n = 2", States: 3},
			"state 0 is not reachable with n = 2 (3 states); bigger instances were not looked at: an invariant is missing, or the violation needs a bigger one"},
		{result.Diagnosis{Finding: result.NotFound, Instance: "n = 2", States: 20000}, "state 0 may be reachable: the search with n = 2 ended after 20,000 states, without a violation"},
		{result.Diagnosis{Finding: result.Reachable, Instance: "n = 2", States: 3}, "p is really violated: there is a run with n = 2"},
		{result.Diagnosis{Finding: result.NotExplored, Reason: "no\nsize"}, "state 0 may be reachable: the instance was not explored: no size"},
	} {
		trace := induction()
		trace.Violates, trace.Diagnosis = "p", &test.d
		if got := Finding(trace); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
		if text := traceText(t, trace, Options{}); !strings.Contains(text, test.want) {
			t.Errorf("the text of the trace has no %q", test.want)
		}
	}
}

// Without a position on one line of the file the whole line is underlined.
func TestWhatIsUnderlined(t *testing.T) {
	part := func(value bool, column, end int, parts ...*result.Why) *result.Why {
		return &result.Why{Text: "x", Value: result.Bool(value), Line: 12, Column: column, End: end,
			Subformulas: parts}
	}
	for _, test := range []struct {
		name string
		why  *result.Why
		want string
	}{
		{"none", nil, "^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"},
		{"the whole formula", part(false, 17, 21), "               ^^^^"},
		{"the false conjunct", part(false, 1, 0, part(false, 19, 21)), "                 ^^"},
		{"not a true antecedent", part(false, 17, 31, part(true, 17, 19), part(false, 21, 23)), "               ^^^^^^^^^^^^^^"},
		{"no place", part(false, 1, 0), "^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"},
		{"beyond the line", part(false, 90, 99), "^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"},
	} {
		trace := induction()
		trace.Why = test.why
		if text := traceText(t, trace, Options{Snippet: snippet}); !strings.Contains(text,
			"     | "+test.want+"\n") {
			t.Errorf("%s: %s", test.name, text)
		}
	}
}

// fairLasso is a lasso with its closing step, and with the reasons why it is fair.
func fairLasso() *result.Trace {
	t := lasso()
	client := func(i int) []result.Binding { return []result.Binding{{Name: "c", Value: atom("client", i)}} }
	t.Back = result.Step{Action: "leave", Args: client(0)}
	t.Fairness = []result.Fairness{
		{Action: "leave", Args: client(0), Why: result.Taken, At: 1},
		{Action: "leave", Args: client(1), Why: result.Disabled, At: 2},
		{Strong: true, Action: "enter", Args: client(1), Why: result.NeverEnabled},
	}
	for i := range 11 {
		t.Fairness = append(t.Fairness,
			result.Fairness{Action: "join", Args: client(i), Why: result.Disabled, At: 1})
	}
	return t
}

func TestOddTraces(t *testing.T) {
	no := result.Value{Kind: result.NoValue}
	x := func(v result.Value) []result.Binding { return []result.Binding{{Name: "x", Value: v}} }
	tests := []struct {
		name  string
		trace *result.Trace
		want  []string
		not   []string
	}{
		{"zero value", &result.Trace{}, []string{"the trace has no states"}, []string{"loop"}},
		{"no steps", &result.Trace{Kind: result.Witness, Loop: -1}, []string{"a run of 0 steps", "the trace has no states"}, nil},
		{"one empty state",
			&result.Trace{Kind: result.Counterexample, Violates: "p", Loop: -1,
				Steps: []result.Step{{}}}, []string{"p is violated in state 0"}, nil},
		{"one state to induction",
			&result.Trace{Kind: result.ToInduction, Violates: "p", Loop: -1,
				Steps: []result.Step{{State: x(no)}}},
			[]string{"counterexample to induction of p", "not a bug report", "x = ?", "p is false in state 0"}, nil},
		{"a loop of one state",
			&result.Trace{Kind: result.Counterexample, Violates: "p", Loop: 0,
				Steps: []result.Step{{State: x(no)}}},
			[]string{"│ state 0", "loop back to state 0: no action can be taken", "p is violated: state 0 repeats for ever", "(nothing changes)"}, nil},
		{"not known stays not known",
			&result.Trace{Kind: result.Counterexample, Loop: -1,
				Steps: []result.Step{{State: x(no)}, {Action: "a", State: x(no)}}},
			[]string{"(nothing changes)"}, []string{"? ->"}},
		{"becomes known",
			&result.Trace{Kind: result.Counterexample, Loop: -1,
				Steps: []result.Step{{State: x(no)}, {Action: "a", State: x(set(atom("c", 0)))}}},
			[]string{"x: ? -> {c0}"}, nil},
		{"other variables",
			&result.Trace{Kind: result.Counterexample, Loop: -1,
				Steps: []result.Step{{State: x(result.Int("1"))},
					{State: []result.Binding{{Name: "y", Value: result.Int("2")}}}}},
			[]string{"y: ? -> 2", "x: 1 -> ?"}, nil},
		{"a long value",
			&result.Trace{Kind: result.Counterexample, Loop: -1,
				Steps: []result.Step{{State: x(result.Int(strings.Repeat("7", 5000)))}}},
			[]string{strings.Repeat("7", longest-1) + "…\n"},
			[]string{strings.Repeat("7", longest)}},
		{"codes for the terminal",
			&result.Trace{Kind: result.Counterexample, Violates: "p\x1b[2J", Loop: -1,
				Steps: []result.Step{{State: x(result.Atom("s", "a\x1b[31m\u202eb"))}}},
			[]string{"x = a\ufffd[31m\ufffdb"}, []string{"\x1b", "\u202e"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := traceText(t, test.trace, Options{})
			for _, w := range test.want {
				if !strings.Contains(got, w) {
					t.Errorf("%q is missing in\n%s", w, got)
				}
			}
			for _, n := range test.not {
				if strings.Contains(got, n) {
					t.Errorf("%q occurs in\n%s", n, got)
				}
			}
		})
	}
}

func TestHideUnknownVariable(t *testing.T) {
	err := WriteTrace(&strings.Builder{}, lockTrace(), Options{Hide: []string{"clocks"}})
	if err == nil || !strings.Contains(err.Error(), `cannot hide "clocks"`) {
		t.Errorf("error %v", err)
	}
}

func TestChanges(t *testing.T) {
	n1, n2 := atom("node", 1), atom("node", 2)
	row := func(v result.Value, key ...result.Value) result.Row {
		return result.Row{Key: key, Result: v}
	}
	rows := func(kind result.ValueKind, rows ...result.Row) result.Value {
		return result.Value{Kind: kind, Rows: rows}
	}
	one, two := result.Int("1"), result.Int("2")
	tla := func(v result.Value) result.Value { return v.In(result.TLA) }
	tests := []struct {
		name     string
		old, new result.Value
		want     string
	}{
		{"same", one, one, ""},
		{"scalar", one, two, "v: 1 -> 2"},
		{"set", set(n1), set(n2), "v(node1): true -> false; v(node2): false -> true"},
		{"relation", rows(result.SetValue), rows(result.SetValue, row(result.Value{}, n2, one)), "v(node2, 1): false -> true"},
		{"map", rows(result.MapValue, row(one, n1, two), row(one, n2, one)),
			rows(result.MapValue, row(one, n1, two), row(two, n2, one)), "v(node2, 1): 1 -> 2"},
		{"map grows and shrinks", rows(result.MapValue, row(one, n1)),
			rows(result.MapValue, row(one, n2)), "v(node1): 1 -> ?; v(node2): ? -> 1"},
		{"map of sets", rows(result.MapValue, row(set(n1), one)),
			rows(result.MapValue, row(set(n1, n2), one)), "v(1)(node2): false -> true"},
		{"rows out of order",
			rows(result.SetValue, row(result.Value{}, n2), row(result.Value{}, n1)), set(n1, n2),
			""},
		{"another kind", set(), function(), "v: {} -> {}"},
		{"function of TLA+", tla(rows(result.EntriesValue, row(one, n1), row(two, n2))),
			tla(rows(result.EntriesValue, row(one, n1), row(one, n2))), "v[node2]: 2 -> 1"},
		{"another domain", tla(rows(result.EntriesValue, row(one, n1))),
			tla(rows(result.EntriesValue, row(one, n2))), "v: (node1 :> 1) -> (node2 :> 1)"},
		{"record of TLA+ within a sequence",
			tla(rows(result.SequenceValue, row(result.Value{}, rows(result.RecordValue,
				row(one, result.Atom("", "a")), row(two, result.Atom("", "b")))))),
			tla(rows(result.SequenceValue, row(result.Value{}, rows(result.RecordValue,
				row(one, result.Atom("", "a")), row(one, result.Atom("", "b")))))),
			"v[1].b: 2 -> 1"},
		{"longer sequence of TLA+", tla(rows(result.SequenceValue)),
			tla(rows(result.SequenceValue, row(result.Value{}, one))), "v: <<>> -> <<1>>"},
		{"set of TLA+", tla(rows(result.ElementsValue, row(result.Value{}, one))),
			tla(rows(result.ElementsValue, row(result.Value{}, two))),
			"1 \\in v: TRUE -> FALSE; 2 \\in v: FALSE -> TRUE"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, c := range Changes([]result.Binding{{Name: "v", Value: test.old}},
				[]result.Binding{{Name: "v", Value: test.new}}) {
				got = append(got, c.String())
			}
			if s := strings.Join(got, "; "); s != test.want {
				t.Errorf("changes are %q, want %q", s, test.want)
			}
		})
	}
}

// The changes of a relation, applied to the old state, give the new state.
func TestChangesAreComplete(t *testing.T) {
	members := rapid.SliceOfNDistinct(rapid.IntRange(0, 12), 0, 8, rapid.ID[int])
	make := func(list []int) (result.Value, map[string]bool) {
		v, m := result.Value{Kind: result.SetValue}, map[string]bool{}
		for _, i := range list {
			v.Rows = append(v.Rows, result.Row{Key: []result.Value{atom("n", i)}})
			m["r("+atom("n", i).Text+")"] = true
		}
		result.SortRows(v.Rows)
		return v, m
	}
	rapid.Check(t, func(t *rapid.T) {
		old, have := make(members.Draw(t, "old"))
		new, want := make(members.Draw(t, "new"))
		for _, c := range Changes([]result.Binding{{Name: "r", Value: old}},
			[]result.Binding{{Name: "r", Value: new}}) {
			if have[c.Path] != c.Old.Bool || c.Old.Bool == c.New.Bool {
				t.Fatalf("%s, but the old state has %v", c, old)
			}
			if delete(have, c.Path); c.New.Bool {
				have[c.Path] = true
			}
		}
		if len(have) != len(want) {
			t.Fatalf("the changes from %v to %v lead to %v", old, new, have)
		}
		for path := range want {
			if !have[path] {
				t.Fatalf("the changes from %v to %v lead to %v", old, new, have)
			}
		}
	})
}

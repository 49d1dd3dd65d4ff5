package report

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/result"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares with testdata/NAME.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s: %s", path, diff)
	}
}

func atom(sort string, i int) result.Value { return result.Atom(sort, fmt.Sprint(sort, i)) }

func set(keys ...result.Value) result.Value {
	v := result.Value{Kind: result.SetValue}
	for _, k := range keys {
		v.Rows = append(v.Rows, result.Row{Key: []result.Value{k}})
	}
	return v
}

func function(pairs ...result.Value) result.Value {
	v := result.Value{Kind: result.MapValue}
	for i := 0; i < len(pairs); i += 2 {
		v.Rows = append(v.Rows, result.Row{Key: []result.Value{pairs[i]}, Result: pairs[i+1]})
	}
	return v
}

// lockTrace is a violation of mutual exclusion by two clients.
func lockTrace() *result.Trace {
	c0, c1 := atom("client", 0), atom("client", 1)
	state := func(turn string, waiting, entered, clock result.Value) []result.Binding {
		return []result.Binding{
			{Name: "turn", Value: result.Atom("phase", turn)}, {Name: "waiting", Value: waiting},
			{Name: "entered", Value: entered}, {Name: "clock", Value: clock},
		}
	}
	zero, one := result.Int("0"), result.Int("1")
	arg := func(c result.Value) []result.Binding { return []result.Binding{{Name: "c", Value: c}} }
	return &result.Trace{
		Kind: result.Counterexample, Instance: "small", Violates: "mutex", Line: 12, Loop: -1,
		Universe: []result.Universe{{Sort: "client", Elements: []string{"client0", "client1"}}},
		Params:   []result.Binding{{Name: "M_period", Value: result.Int("4")}},
		Steps: []result.Step{
			{State: state("Idle", set(), set(), function(c0, zero, c1, zero))},
			{Action: "join", Args: arg(c0),
				State: state("Idle", set(c0), set(), function(c0, zero, c1, one))},
			{Action: "tick", State: state("Idle", set(c0), set(), function(c0, zero, c1, one))},
			{Action: "enter", Args: arg(c0),
				State: state("Busy", set(), set(c0), function(c0, zero, c1, one))},
			{Action: "barge", Args: arg(c1),
				State: state("Busy", set(), set(c0, c1), function(c0, zero, c1, zero))},
		},
	}
}

func induction() *result.Trace {
	t := lockTrace()
	t.Kind, t.Instance, t.Steps = result.ToInduction, "", t.Steps[3:]
	t.Steps[0].Action, t.Steps[0].Args = "", nil
	t.Steps[0].State[3].Value = result.Value{Kind: result.NoValue}
	return t
}

// diagnosed is lockTrace with an explanation.
func diagnosed() *result.Trace {
	t := induction()
	truth := func(text string, value bool, parts ...*result.Why) *result.Why {
		return &result.Why{Text: text, Value: result.Bool(value), Subformulas: parts}
	}
	body := truth("entered(C1) & entered(C2) -> C1 = C2", false,
		truth("entered(C1) & entered(C2)", true, truth("entered(C1)", true),
			truth("entered(C2)", true)),
		truth("C1 = C2", false))
	t.Why = truth("forall C1:client, C2:client. entered(C1) & entered(C2) -> C1 = C2", false, body)
	t.Why.Witness = []result.Binding{{Name: "C1", Value: atom("client", 0)},
		{Name: "C2", Value: atom("client", 1)}}
	for _, w := range []*result.Why{t.Why, body} {
		w.Line, w.Column, w.End = 12, 17, 53 // after a tab
	}
	t.Diagnosis = &result.Diagnosis{
		Instance: "client = 2, M_period = 4", States: 1234, Finding: result.Unreachable,
		Candidates: []result.Candidate{
			{Formula: "invariant forall C1:client. entered(C1) -> turn = Busy", Inductive: true,
				Suffices: true},
			{Formula: "invariant forall C1:client. entered(C1) -> !waiting(C1)", Inductive: true},
			{Formula: "invariant turn = Busy", Suffices: true},
			{Formula: "invariant forall C1:client. !entered(C1)"},
		},
		Where: "all 1234 with client = 2, M_period = 4",
	}
	return t
}

func lasso() *result.Trace {
	t := lockTrace()
	t.Assuming = []string{"fair", "slow"}
	t.Violates, t.Line, t.Steps, t.Loop = "served", 15, t.Steps[:4], 1
	return t
}

func exampleReport() *Report {
	return &Report{
		Version: "0.1", File: "lock.ere", Command: "erelong verify lock.ere",
		Results: []result.Result{
			{Property: "mutex", Kind: "safety", Verdict: result.Violated, Scope: "small", Engine: "explicit", Line: 12,
				States: 10158, Transitions: 12194, Depth: 5, Elapsed: 1234 * time.Millisecond,
				Trace: lockTrace()},
			{Property: "mutex", Kind: "safety", Verdict: result.NotInductive,
				Scope: result.ScopeAll, Engine: "induct", Line: 12,
				Elapsed: 42 * time.Millisecond, Queries: 7, Trace: induction(),
				Reason: result.Because(result.NotProved, "barge does not preserve the conjunct on line 12, and no invariant excludes the state before it"),
				Evidence: &result.Evidence{Invariant: []string{"mutex"}, Trusted: []string{"fair"},
					Obligations: []result.Obligation{
						{Name: "initiation of mutex", Property: "mutex", Line: 12,
							Verdict: result.Holds,
							Solver:  result.Solver{Name: "z3", Version: "4.16.0"}, Queries: 1,
							Rlimit: 12345, Elapsed: 3 * time.Millisecond},
						{Name: "barge preserves mutex", Action: "barge", Property: "mutex",
							Line: 12, Verdict: result.NotInductive,
							Solver: result.Solver{Name: "z3", Version: "4.16.0"}, Queries: 6,
							Elapsed: 39 * time.Millisecond},
					}}},
			{Property: "served", Kind: "liveness", Verdict: result.Violated, Scope: "small",
				Engine: "explicit", Line: 15,
				States: 10158, Transitions: 12194, Depth: 4, Elapsed: 2 * time.Second,
				Trace: lasso()},
			{Property: "range:clock", Kind: "range", Verdict: result.Holds, Scope: result.ScopeAll,
				Engine: "induct", Elapsed: 90 * time.Second, Queries: 3,
				Evidence: &result.Evidence{Invariant: []string{"range:clock"}},
				Assumptions: []result.Assumption{
					{Name: "fair", Kind: result.TrustedInvariant, Line: 10, Text: "forall C:client. clock(C) <= M_period"},
					{Name: "slow", Kind: result.TrustedInvariant},
				}},
			{Property: "a_property_with_a_rather_long_name", Kind: "safety",
				Verdict: result.HoldsUpTo, Scope: "big", Engine: "explicit",
				States: 4_000_000_000, Transitions: 12_000_000_000, Depth: 1234,
				Elapsed: 3*time.Hour + 62*time.Second, Reason: result.Because(result.NotProved, "out of\nmemory")},
			{Property: "later", Kind: "temporal", Verdict: result.NothingChecked,
				Scope: result.ScopeAll, Engine: "induct", Reason: result.Because(result.NotProved, "no engine proves temporal properties")},
		},
		Expectations: []Expectation{
			{Property: "mutex", Want: "holds states=10158", Got: "violated", Instance: "small",
				Detail: "see the trace"},
			{Property: "served", Want: "violated", Got: "violated", Instance: "small", Met: true},
			{Property: "range:clock", Want: "violated", Got: "holds"},
		},
		Warnings: []*diag.Diagnostic{
			{Severity: diag.Warning, Code: diag.NoInit,
				Span: diag.Span{Source: diag.NewSource("mutex.ere", "\n r"), Start: 2, End: 3}, Message: "no start", Fix: "Say it."},
			{Severity: diag.Warning, Code: diag.NotReduced, Message: "more"},
		},
		Notes: []string{"the action leave is never enabled in the instance small"},
		Environment: Environment{Date: time.Date(2026, 11, 21, 1, 2, 3, 0, time.UTC), CPUs: 2,
			Solvers: []string{"z3 4.16.0", "cvc5 1.3.1"}},
	}
}

func snippet(line int) string {
	return map[int]string{12: "\tsafety [mutex] entered(C1) & entered(C2) -> C1 = C2  ", 15: "liveness [served] forall C: client. waiting(C) ~> entered(C)"}[line]
}

func TestWriteText(t *testing.T) {
	for name, o := range map[string]Options{
		"table.txt": {}, "table-80.txt": {Width: 80}, "table-60.txt": {Width: 60},
		"table-30.txt": {Width: 30}, "table-colour.txt": {Color: true},
	} {
		var b strings.Builder
		if err := WriteText(&b, exampleReport(), o); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.String())
		for line := range strings.Lines(b.String()) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); o.Width > 0 && n > o.Width {
				t.Errorf("%s: a line has %d characters: %s", name, n, line)
			}
		}
	}
}

func TestSummary(t *testing.T) {
	row := func(p string, v result.Verdict) result.Result {
		return result.Result{Property: p, Verdict: v, Scope: result.ScopeAll}
	}
	small := func(p string, v result.Verdict) result.Result {
		return result.Result{Property: p, Verdict: v, Scope: "small"}
	}
	assuming := func(r result.Result) result.Result {
		r.Assumptions = []result.Assumption{{Name: "fair"}}
		return r
	}
	only := small("c", result.Holds)
	only.Whole = true
	tests := []struct {
		results []result.Result
		want    string
	}{
		{nil, "nothing was checked"},
		{[]result.Result{row("a", result.Holds)}, "1 property: 1 holds for all"},
		{[]result.Result{row("a", result.Holds), row("b", result.Violated), row("c", result.Holds)},
			"3 properties: 2 hold for all, 1 violated"},
		{[]result.Result{row("a", result.HoldsUpTo), row("a", result.Holds),
			row("b", result.NothingChecked)}, "2 properties: 1 holds for all, 1 not checked"},
		{[]result.Result{row("a", result.HoldsUpTo), row("b", result.HoldsUpTo),
			row("c", result.Unknown)}, "3 properties: 2 hold up to k, 1 unknown"},
		{[]result.Result{row("a", result.Holds), small("a", result.Holds),
			small("b", result.Holds)},
			"2 properties: 1 holds for all, 1 holds in the instances explored"},
		{[]result.Result{only, small("b", result.Holds), small("d", result.Holds)}, "3 properties: 1 holds for all, 2 hold in the instances explored"},
		{[]result.Result{assuming(row("a", result.Holds))}, "1 property: 1 holds for all under assumptions"},
		{[]result.Result{assuming(row("a", result.Holds)), row("b", result.Holds),
			assuming(small("c", result.Holds))},
			"3 properties: 2 hold for all (1 under assumptions), 1 holds in the instances explored under assumptions"},
	}
	for _, test := range tests {
		if got := summary(test.results); got != test.want {
			t.Errorf("summary = %q, want %q", got, test.want)
		}
	}
}

func TestEmptyReport(t *testing.T) {
	var b strings.Builder
	if err := WriteText(&b, &Report{}, Options{Width: 80}); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "nothing was checked\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestGroup(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 7: "7", 999: "999", 1000: "1,000",
		12194: "12,194", 123456: "123,456", 1234567: "1,234,567", -100: "-100", -1000: "-1,000"} {
		if got := group(n); got != want {
			t.Errorf("group(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "<1ms", 999 * time.Microsecond: "<1ms", 12 * time.Millisecond: "12ms",
		1234 * time.Millisecond:  "1.23s",
		12345 * time.Millisecond: "12.3s", 90 * time.Second: "1m30s",
		2*time.Hour + 3*time.Minute + 4*time.Second: "2h3m",
	} {
		if got := duration(d); got != want {
			t.Errorf("duration(%d) = %q, want %q", d, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	spans := []span{{bold, "one two "}, {plain, "three"}, {red, " fourfourfourfourfour x"}}
	tests := []struct {
		o    Options
		want string
	}{
		{Options{}, "> one two three fourfourfourfourfour x\n"},
		{Options{Width: 5}, "> one two three fourfourfourfourfour x\n"},
		{Options{Width: 16}, "> one two three\n>     fourfourfo\n>     urfourfour\n>     x\n"},
		{Options{Color: true, Width: 20}, "> \x1b[1mone two \x1b[0mthree\n>     \x1b[31mfourfourfourfo\x1b[0m\n>     \x1b[31murfour x\x1b[0m\n"},
	}
	for _, test := range tests {
		if got := test.o.wrap("> ", spans...); got != test.want {
			t.Errorf("width %d: got %q, want %q", test.o.Width, got, test.want)
		}
	}
}

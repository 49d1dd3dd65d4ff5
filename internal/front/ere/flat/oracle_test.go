package flat_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/ere/flat/oracletest"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/itf"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// mostStates bounds the states of a generated system.
const mostStates = 300

// tally counts what the generated systems were.
type tally map[string]int

func (c tally) String() string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(c)) {
		parts = append(parts, fmt.Sprintf("%s %d", k, c[k]))
	}
	return strings.Join(parts, ", ")
}

// systems is the number of generated systems; 10,000 take minutes.
func systems() int64 {
	if testkit.Long() {
		return 10_000
	}
	return testkit.Size(200, 1200)
}

// TestGeneratedSystems compares explorations of flat systems with the oracle.
func TestGeneratedSystems(t *testing.T) {
	counts := tally{}
	for seed := range systems() {
		text := oracletest.Generate(rand.New(rand.NewSource(seed)))
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) { compare(t, text, counts) }) {
			t.Log(text)
		}
	}
	t.Log(counts)
	if all := systems(); counts["compared"] < int(all/2) {
		t.Errorf("only %d of %d systems were compared", counts["compared"], all)
	}
	if all := systems(); counts["with codes"] < int(all/20) {
		t.Errorf("only %d of %d systems have codes", counts["with codes"], all)
	}
}

func compare(t *testing.T, text string, counts tally) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	errs := &diag.List{}
	file := syntax.Parse(diag.NewSource("generated.ere", text), errs)
	if errs.Err() != nil {
		t.Fatalf("%v", errs)
	}
	sizes := map[string]int{"node": 1}
	if strings.Contains(text, "node = 2") {
		sizes["node"] = 2
	}
	m := oracletest.New(file, sizes)
	want := m.Explore(mostStates)
	if want.TooMany {
		counts["too many states"]++
		return
	}
	sys, list, err := ere.Compile("generated.ere", text)
	if err != nil {
		for _, d := range list.All {
			if d.Severity != diag.Error {
				continue
			}
			if d.Code != diag.Unsupported {
				t.Fatalf("%v: %v", err, list)
			}
			counts["refused: "+d.Message]++
		}
		return
	}
	x, err := explicit.Explore(t.Context(), sys, sys.Instances[0], explicit.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if want.Overflow {
		counts["leave a range"]++
		if !slices.ContainsFunc(x.Results, func(r result.Result) bool {
			return r.Verdict == result.Violated && strings.Contains(r.Property, ":")
		}) {
			t.Errorf("a range is left, which nothing reports: %v", verdicts(x))
		}
		return
	}
	if want.Passing { // a later statement of the action may mend it, or not
		counts["leave a range within a step"]++
		return
	}
	listed(t, sys, counts)
	counts["compared"]++
	for what, is := range map[string]bool{"with 10 states": want.States >= 10,
		"violated": len(want.Violated) > 0, "undefined": len(want.Undefined) > 0,
		"with errors in steps": want.Failed > 0} {
		if is {
			counts[what]++
		}
	}
	agree(t, m, want, sys, x)
}

// listed checks the axioms that instances are not asked about: what they list satisfies them.
func listed(t *testing.T, sys *system.System, counts tally) {
	t.Helper()
	if len(sys.Coded) == 0 {
		return
	}
	counts["with codes"]++
	m, err := interp.NewModel(sys, sys.Instances[0])
	if err != nil {
		t.Fatal(err)
	}
	states, err := m.Nearest(t.Context(), nil, func([]interp.Reached) error {
		return interp.ErrStop
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range sys.Axioms {
		if holds, err := m.Holds(f.Term, states[0].State); f.Listed && (err != nil || !holds) {
			t.Errorf("%s is %v: %v", f.Term, holds, err)
		}
	}
}

func verdicts(x *explicit.Exploration) (out []string) {
	for _, r := range x.Results {
		out = append(out, fmt.Sprintf("%s %s %d", r.Property, r.Verdict, r.Depth))
	}
	return out
}

// agree compares counts, verdicts and traces.
func agree(
	t *testing.T, m *oracletest.Machine, want *oracletest.Report, sys *system.System,
	x *explicit.Exploration,
) {
	t.Helper()
	states, depth := int(x.Stats.States), int(x.Stats.Depth)
	if x.Stats.Complete && (states != want.States || depth != want.Depth) {
		t.Errorf("%d states in %d levels, and the oracle has %d in %d", states, depth,
			want.States, want.Depth)
	}
	failed := 0
	for _, r := range x.Results {
		depth := 0
		kind, name, implicit := strings.Cut(r.Property, ":")
		switch {
		case implicit && kind == "argument":
			if r.Verdict == result.Violated && (failed == 0 || int(r.Depth) < failed) {
				failed = int(r.Depth)
			}
			continue
		case implicit && kind == "defined":
			depth = want.Undefined[name]
		case implicit:
		default:
			if depth = want.Violated[r.Property]; want.Undefined[r.Property] > 0 {
				continue // its claim says so
			}
		}
		if got := r.Verdict == result.Violated; got != (depth > 0) ||
			got && int(r.Depth) != depth {
			t.Errorf("%s is %s %v in state %d; the oracle has %d", r.Property, r.Verdict, r.Reason, r.Depth,
				depth)
		}
		if r.Trace != nil {
			replay(t, m, r.Trace.Shown())
			if t.Failed() {
				return
			}
			if len(system.Sparse(sys)) == 0 { // else a run need not be one in a window
				readBack(t, sys, r)
			}
		}
	}
	if failed != want.Failed {
		t.Errorf("a step is an error in state %d; the oracle has %d", failed, want.Failed)
	}
	for _, name := range slices.Sorted(maps.Keys(want.Undefined)) {
		if !slices.ContainsFunc(x.Results, func(r result.Result) bool {
			return r.Property == "defined:"+name
		}) {
			t.Errorf("%s has no value in state %d of a run, which no claim says", name,
				want.Undefined[name])
		}
	}
}

// readBack checks that a trace is written and read back as the same run.
func readBack(t *testing.T, sys *system.System, r result.Result) {
	t.Helper()
	var b bytes.Buffer
	if err := itf.Write(&b, r.Trace); err != nil {
		t.Fatal(err)
	}
	written := b.String()
	read, err := itf.Read(&b)
	if err != nil {
		t.Fatalf("%v\n%s", err, written)
	}
	if diff := cmp.Diff(r.Trace.Shown().Steps, read.Steps, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("read with other values: %s\n%s", diff, written)
		return
	}
	flat, err := read.Flat(sys.View)
	if err == nil {
		err = interp.Replay(t.Context(), sys, flat, nil)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, written)
	}
}

// replay checks that a trace is a run of the oracle.
func replay(t *testing.T, m *oracletest.Machine, trace *result.Trace) {
	t.Helper()
	states := m.Initial()
	for i, step := range trace.Steps {
		shown := map[string]string{}
		for _, b := range step.State {
			shown[b.Name] = text(b.Value)
		}
		var args []string
		for _, b := range step.Args {
			args = append(args, text(b.Value))
		}
		at := slices.IndexFunc(states, func(s oracletest.State) bool {
			return maps.Equal(m.Shown(s), shown)
		})
		if at < 0 {
			t.Errorf("state %d of a trace is none of the oracle after %s(%s): %v\nbut e.g. %v", i,
				step.Action, strings.Join(args, ", "), shown, states)
			return
		}
		s := states[at]
		states = nil
		if i+1 == len(trace.Steps) {
			return
		}
		next := trace.Steps[i+1]
		steps, _ := m.Steps(s)
		for _, o := range steps {
			same := o.Action == next.Action && len(next.Args) >= len(o.Params)
			for k, p := range o.Params {
				same = same && text(next.Args[k].Value) == p
			}
			if same {
				states = append(states, o.To)
			}
		}
	}
}

// text writes a value with the rows of a symbol in the order of their texts.
func text(v result.Value) string {
	if v.Rows == nil || v.Kind.Structured() {
		return v.String()
	}
	var parts []string
	for _, r := range v.Rows {
		p := r.KeyString()
		if v.Kind == result.MapValue {
			p += ": " + r.Result.String()
		}
		parts = append(parts, p)
	}
	slices.Sort(parts)
	return "{" + strings.Join(parts, ", ") + "}"
}

package compile

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/front"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// comparison counts the results of compare.
type comparison struct {
	states, successors, violations, failures int
	// States in which only the program fails, though no step leaves a range.
	spurious    int
	unsupported int // systems
}

func (c *comparison) add(d comparison) {
	c.states += d.states
	c.successors += d.successors
	c.violations += d.violations
	c.failures += d.failures
	c.spurious += d.spurious
}

// claimsOf lists the invariants of a system that have a value in a finite instance.
func claimsOf(sys *system.System) []*logic.Term {
	var out []*logic.Term
	for _, p := range sys.Properties {
		if p.IsInvariant() && !testkit.QuantifiesIntegers(p.Term) {
			out = append(out, p.Term)
		}
	}
	return out
}

// compileWide compiles with room for every given state.
func compileWide(
	t *testing.T, m *interp.Model, claims []*logic.Term, opts Options, states []interp.State,
) (Program, []uint64) {
	t.Helper()
	for {
		p, err := Compile(context.Background(), m, claims, opts)
		if err != nil {
			t.Fatal(err)
		}
		var packed []uint64
		for _, s := range states {
			words, err := p.Pack(s)
			var width *WidthError
			if errors.As(err, &width) {
				opts = opts.Widen(width)
				packed = nil
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Unpack(words); !slices.Equal(got, s) {
				t.Fatalf("the state %v is unpacked as %v", s, got)
			}
			packed = append(packed, words...)
		}
		if len(packed) == len(states)*p.Words() {
			return p, packed
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// compare explores a model with the interpreter and compares the program's results in every state.
func compare(t *testing.T, m *interp.Model, opts Options, limit int) comparison {
	t.Helper()
	return compareClaims(t, m, claimsOf(m.System), opts, limit)
}

// try compares a program of a generated system, in every third one with loops for all that may be
// one. It counts the systems that cannot be compiled.
func (c *comparison) try(t *testing.T, seed int64, m *interp.Model, claims []*logic.Term) {
	t.Helper()
	opts := Options{}
	if seed%3 == 0 {
		opts.limits = &limits{unknown: defaultLimits.unknown, wordBits: 64}
	}
	if _, err := build(t.Context(), m, claims, opts); errors.Is(err, ErrUnsupported) {
		t.Log(err)
		c.unsupported++
		return
	}
	c.add(compareClaims(t, m, claims, opts, int(testkit.Size(50, 100))))
}

func compareClaims(
	t *testing.T, m *interp.Model, claims []*logic.Term, opts Options, limit int,
) comparison {
	t.Helper()
	ctx := context.Background()
	var seen comparison
	if _, err := build(ctx, m, claims, opts); err != nil {
		t.Fatal(err) // before a long exploration
	}
	var queue []interp.State
	known := map[string]bool{}
	visit := func(s interp.State) error {
		if key := m.Key(s); !known[key] {
			known[key] = true
			queue = append(queue, s)
		}
		return nil
	}
	atMost := func(s interp.State) error {
		if len(queue) >= limit {
			return interp.ErrStop
		}
		return visit(s)
	}
	if err := m.Initial(ctx, atMost); err != nil {
		t.Fatal(err)
	}
	// Successors beyond the limit are compared but not expanded.
	type expectation struct {
		steps    []map[string]bool
		fails    bool
		outside  bool // outside a range: the interpreter goes on
		violated []bool
	}
	var want []expectation
	var ranges []*system.Property
	for _, p := range m.System.Properties {
		if p.Kind == system.Range {
			ranges = append(ranges, p)
		}
	}
	leaves := func(s interp.State) bool {
		return slices.ContainsFunc(ranges, func(p *system.Property) bool {
			holds, err := m.Holds(p.Term, s)
			return err == nil && !holds
		})
	}
	var expanded []interp.State
	for i := 0; i < len(queue) && i < limit; i++ {
		s := queue[i]
		if leaves(s) {
			continue // the search does not expand it
		}
		e := expectation{}
		for _, a := range m.System.Actions {
			steps := map[string]bool{}
			err := m.Steps(ctx, s, a, func(step interp.Step) error {
				steps[m.Key(step.State)] = true
				e.outside = e.outside || leaves(step.State)
				return visit(step.State)
			})
			var failed *interp.ActionError
			if errors.As(err, &failed) {
				e.fails = true
			} else if err != nil {
				t.Fatal(err)
			}
			e.steps = append(e.steps, steps)
		}
		for _, c := range claims {
			holds, err := m.Holds(c, s)
			e.fails = e.fails || err != nil
			e.violated = append(e.violated, !holds)
		}
		want = append(want, e)
		expanded = append(expanded, s)
	}
	var room []interp.State // successors must fit, unless they are outside a range
	for _, s := range queue {
		if !leaves(s) {
			room = append(room, s)
		}
	}
	p, packed := compileWide(t, m, claims, opts, room)
	defer p.Close()
	packed = packed[:0]
	for _, s := range expanded {
		words, err := p.Pack(s)
		if err != nil {
			t.Fatal(err)
		}
		packed = append(packed, words...)
	}
	w, err := p.Worker()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	b, err := w.Expand(packed)
	var width *WidthError
	// A successor that a trusted property or a later condition excludes.
	for errors.As(err, &width) {
		p, packed = compileWide(t, m, claims, opts.Widen(width), expanded)
		opts = opts.Widen(width)
		w, err = p.Worker()
		if err != nil {
			t.Fatal(err)
		}
		b, err = w.Expand(packed)
	}
	if err != nil {
		t.Fatal(err)
	}
	got := make([][]map[string]bool, len(expanded))
	for i := range got {
		for range m.System.Actions {
			got[i] = append(got[i], map[string]bool{})
		}
	}
	if !slices.IsSorted(b.Source) {
		t.Fatal("the successors are not in the order of the sources")
	}
	for k, source := range b.Source {
		s := p.Unpack(b.States[k*p.Words() : (k+1)*p.Words()])
		got[source][b.Action[k]][m.Key(s)] = true
	}
	failed := map[int]bool{}
	for _, i := range b.Failed {
		failed[int(i)] = true
	}
	claimWords := (len(claims) + 63) / 64
	for i, e := range want {
		seen.states++
		if e.fails {
			seen.failures++
		}
		// A program may fail where a formula about unknown values has a part without a value that
		// the interpreter need not evaluate. The search then asks the interpreter.
		open := slices.ContainsFunc(m.System.Actions, func(a *system.Action) bool {
			return havocs(a.Code)
		})
		if failed[i] && !e.fails && !e.outside {
			seen.spurious++
		}
		if failed[i] != e.fails && !(failed[i] && (e.outside || open)) {
			t.Fatalf("in state %v: failed is %v, in the interpreter %v\n%s",
				m.Bindings(expanded[i], true), failed[i], e.fails, m.System)
		}
		if failed[i] {
			continue
		}
		for k := range claims {
			bit := b.Violated[i*claimWords+k/64]>>(k%64)&1 == 1
			if bit != e.violated[k] {
				t.Fatalf("in state %v: claim %s violated: %v, in the interpreter %v\n%s",
					m.Bindings(expanded[i], true), claims[k], bit, e.violated[k], m.System)
			}
			if bit {
				seen.violations++
			}
		}
		for k, a := range m.System.Actions {
			if fmt.Sprint(keys(got[i][k])) != fmt.Sprint(keys(e.steps[k])) {
				t.Fatalf("in state %v (%v): action %s leads to\n%s\nand in the interpreter to\n%s\n%s", m.Bindings(expanded[i], true), expanded[i], a.Name,
					list(m, got[i][k]), list(m, e.steps[k]), m.System)
			}
			seen.successors += len(e.steps[k])
		}
	}
	return seen
}

func keys(set map[string]bool) []string {
	var out []string
	for k := range set {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// list names the states of a set.
func list(m *interp.Model, set map[string]bool) string {
	out := ""
	for _, k := range keys(set) {
		out += fmt.Sprintf("  %v %v\n", m.Bindings(m.StateOfKey(k), true), m.StateOfKey(k))
	}
	return out
}

// load reads a model from the examples.
func load(t testing.TB, path ...string) *system.System {
	t.Helper()
	sys, _, err := ere.Load(filepath.Join(append([]string{"..", "..", "examples"}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return sys
}

func model(t testing.TB, sys *system.System, inst *system.Instance) *interp.Model {
	t.Helper()
	m, err := interp.NewModel(sys, inst)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// failureDetector is an instance of the failure detector.
func failureDetector(t testing.TB, delta, phi int64) *interp.Model {
	sys := load(t, "failure_detector", "strong_accuracy.ere")
	inst := &system.Instance{Name: "test", Values: map[*logic.Symbol]*logic.Term{}}
	for _, s := range sys.Symbols {
		switch s.Name {
		case "Delta":
			inst.Values[s] = logic.IntLit(delta)
		case "Phi":
			inst.Values[s] = logic.IntLit(phi)
		}
	}
	return model(t, sys, inst)
}

func TestExamples(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "examples", "*.ere"))
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob(filepath.Join("..", "..", "examples", "*", "*.ere"))
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for i, file := range append(files, more...) {
		if !testkit.One(i+2, 3) {
			continue
		}
		read, err := front.Load(t.Context(), file, front.Options{})
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
		for _, d := range read.Systems {
			sys := d.Spec.System
			for i, inst := range sys.Instances {
				if tried++; i > 0 && !testkit.CI() {
					continue
				}
				t.Run(filepath.Base(file)+" "+d.Name+" "+inst.Name, func(t *testing.T) {
					seen := compare(t, model(t, sys, inst), Options{}, int(testkit.Size(60, 500)))
					if seen.states == 0 {
						t.Error("nothing was compared")
					}
				})
			}
		}
	}
	if tried == 0 {
		t.Error("there are no examples")
	}
}

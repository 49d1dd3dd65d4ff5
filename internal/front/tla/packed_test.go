package tla

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/tla/tlatest"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// TestPackedGenerated compares the steps of packed states, and the truth of formulas in them, with
// the ones of a plain computer, for generated models.
func TestPackedGenerated(t *testing.T) {
	for name, generated := range map[string]func(seed uint64) tlatest.Model{
		"Generated": tlatest.Generated, "Sent": tlatest.Sent,
	} {
		packed, states, changed := 0, 0, 0
		for seed := range uint64(testkit.Size(75, 2450)) {
			m := generated(seed)
			if strings.Contains(m.Config, "VIEW") {
				continue
			}
			spec, err := read(t, "-- S.tla --\n"+m.Module+"-- S.cfg --\n"+m.Config+
				"-- T.tla --\n"+m.Inner)
			if err != nil {
				t.Fatal(err)
			}
			p := &packing{what: fmt.Sprintf("%s %d\n%s", name, seed, m.Module), most: mostCompared}
			p.compare(t, spec)
			states, changed = states+p.states, changed+p.changed
			if p.states > 0 {
				packed++
			}
		}
		t.Logf("%s: %d packed, %d states, %d forms changed", name, packed, states, changed)
		if packed < 20 || states < 500 {
			t.Errorf("%s: only %d models with %d states were packed", name, packed, states)
		}
	}
}

// TestPackedForms has models whose values do not fit into the first form.
func TestPackedForms(t *testing.T) {
	for name, m := range map[string]struct {
		vars, init, next string
		changed          int
	}{
		"many values": {"f", "f = [i \\in 1..2 |-> 0]",
			"\\E i \\in 1..2 : f' = [f EXCEPT ![i] = IF i = 1 THEN (@ + 1) % 300 ELSE @]", 1},
		"many elements": {"s, n", "s = {} /\\ n = 0",
			"s' = s \\cup {n} /\\ n' = (n + 1) % 50", 1},
		"too many elements": {"s, n", "s = {} /\\ n = 0",
			"s' = s \\cup {n} /\\ n' = (n + 1) % 300", 5},
		"elements that go": {"s", "s = {1}",
			"\\E i \\in 1..5 : s' = s \\cup {i, i + 1} \\/ s' = s \\ {i} \\/ s' = {i}", 0},
		"a domain that grows": {"f", "f = <<0, 1>>",
			"f' = [f EXCEPT ![1] = 1 - @] \\/ (Len(f) < 4 /\\ f' = Append(f, 1))", 1},
		"parts of other kinds": {"f", "f = [a |-> <<1, 2>>, b |-> 3]",
			"f' = [f EXCEPT !.a[1] = (@ + 1) % 3] \\/ f' = [f EXCEPT !.b = f.a[1]] \\/ " +
				"f' = [f EXCEPT !.a = <<7>>]", 1},
		"parts of components": {"g", "g = [i \\in 1..2 |-> <<>>]",
			"\\E i \\in 1..2 : (Len(g[i]) < 2 /\\ g' = [g EXCEPT ![i] = Append(@, i)]) \\/ " +
				"(Len(g[i]) > 0 /\\ g' = [g EXCEPT ![i][1] = (@ + 1) % 4]) \\/ " +
				"g' = [g EXCEPT ![3] = 1]", 0},
		"a function as a whole": {"f, g", "f = [i \\in 1..3 |-> i] /\\ g = f",
			"(\\E i \\in 1..3 : f' = [f EXCEPT ![i] = g[i]] /\\ g' = f) \\/ " +
				"(UNCHANGED f /\\ g' = [j \\in 1..3 |-> g[(j % 3) + 1]])", 0},
		"several changes": {"f", "f = [a |-> [b |-> 0, c |-> 1], d |-> {}]",
			"f' = [f EXCEPT !.a.b = 1 - @, !.a = [@ EXCEPT !.c = f.a.b], !.d = @ \\cup {f.a.c}]", 0},
	} {
		module := fmt.Sprintf(`---- MODULE S ----
EXTENDS Integers, Sequences, FiniteSets
VARIABLES %s
vars == <<%[1]s>>
Init == %[2]s
Next == %[3]s
Same == <<%[4]s>> # <<>>
====
`, m.vars, m.init, m.next, m.vars[:1])
		spec, err := read(t, "-- S.tla --\n"+module+"-- S.cfg --\nINIT Init\nNEXT Next\n"+
			"INVARIANT Same\n")
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, module)
		}
		p := &packing{what: name + "\n" + module, most: 2000}
		p.compare(t, spec)
		if p.states == 0 && m.changed == 0 || p.changed != m.changed {
			t.Errorf("%s: %d states, and %d forms were changed", name, p.states, p.changed)
		}
	}
}

// TestPackedUpdates is TestPackedGenerated for updates of parts of functions, of functions within
// them, and of sets, whose values may have other parts than the ones before.
func TestPackedUpdates(t *testing.T) {
	packed, states, changed := 0, 0, 0
	for seed := range uint64(testkit.Size(300, 3000)) {
		r := rand.New(rand.NewPCG(seed, 11))
		one := func(of ...string) string { return of[r.IntN(len(of))] }
		number := func() string {
			return one("0", "1", "2", "f[1].a", "f[i].a", "(@ + 1) % 3", "Cardinality(s)", "f[2].n[1]")
		}
		set := func() string { return one("{}", "{1}", "{i}", "f[i].s", "s", "{f[1].a, f[2].a}") }
		guard := func() string {
			return one("TRUE", "i \\in s", "f[i].a < 2", "f[1].s = s", "Cardinality(s) < 3",
				"\\E x \\in s : x = f[i].a", "f[1] # f[2]", "Len(f[i].n) = 1", "s \\subseteq f[1].s")
		}
		kind := func() string {
			numbers := one("0..1", "Nat", "{0, f[i].a}", "{1, 2}", "{}", "0..i")
			sets := one("SUBSET (0..1)", "SUBSET (0..i)", "{{}, {1}}", "SUBSET s", "SUBSET Nat")
			tuples := one("Seq(0..1)", "[1..1 -> 0..1]", "{<<0>>, <<1>>}", "[1..i -> Nat]")
			records := one("[a : NN, s : SS, n : TT]", "[a : NN, s : SS]",
				"[{\"a\", \"n\", \"s\"} -> Nat]", "Kinds(i)")
			return strings.NewReplacer("NN", numbers, "SS", sets, "TT", tuples).Replace(one(
				"f \\in [1..2 -> "+records+"]", "f \\in [1..i -> "+records+"]",
				"f[i] \\in "+records, "f[1].a \\in "+numbers, "f[i].s \\in "+sets,
				"f[3] \\in "+records, "s \\in "+sets, "s \\subseteq {0, 1, i}",
				"f[i].n \\in "+tuples, "f \\in Functions", "f[i].s \\subseteq {0, f[1].a}"))
		}
		action := func() string {
			at := one("1", "2", "i")
			new := strings.ReplaceAll(number(), "@", one("f["+at+"].a", "f[1].n[1]"))
			f := one(
				"![AT].a = NEW", "![AT].s = @ \\cup SET", "![AT].s = @ \\ SET", "![AT].n[1] = NEW",
				"![AT].a = NEW, ![i].s = SET", "![AT].n = <<NEW>>", "![AT].n = Append(<<NEW>>, 1)",
				"![AT] = [a |-> NEW, s |-> SET, n |-> <<1>>]", "![AT] = f[1]", "![3].a = 1",
				"![1].n[1] = NEW, ![1].n = <<0>>", "![AT].s = SET, ![AT].s = @ \\cup {i}")
			f = strings.NewReplacer("AT", at, "NEW", new, "SET", set()).Replace(f)
			g := one("s \\cup "+set(), "s \\ "+set(), set(), "s", "s", "s \\cup {i}")
			if r.IntN(5) == 0 {
				return guard() + " /\\ f' = [j \\in 1..2 |-> f[3 - j]] /\\ s' = " + g
			}
			return guard() + " /\\ " + guard() + " /\\ f' = [f EXCEPT " + f + "] /\\ s' = " + g
		}
		module := fmt.Sprintf(`---- MODULE S ----
EXTENDS Integers, Sequences, FiniteSets
VARIABLES f, s
Init == f = [i \in 1..2 |-> [a |-> 0, s |-> {}, n |-> <<1>>]] /\ s \in {{}, {2}}
Next == \E i \in 1..2 : (%s) \/ (%s) \/ (%s)
Claim == \A i \in 1..2 : (%s) \/ (%s)
Kinds(i) == [a : 0..i, s : SUBSET (0..2), n : Seq(Nat)]
Functions == [1..2 -> [a : 0..1, s : SUBSET {1, 2}, n : [1..1 -> 0..1]]]
Kind == \A i \in 1..2 : %s /\ (%s \/ %s)
====
`, action(), action(), action(), guard(), guard(), kind(), kind(), kind())
		spec, err := read(t, "-- S.tla --\n"+module+"-- S.cfg --\nINIT Init\nNEXT Next\n"+
			"INVARIANTS Claim Kind\n")
		if err != nil {
			t.Fatalf("%v\n%s", err, module)
		}
		p := &packing{what: fmt.Sprintf("%d\n%s", seed, module), most: 100}
		p.compare(t, spec)
		if states, changed = states+p.states, changed+p.changed; p.states > 0 {
			packed++
		}
	}
	t.Logf("%d packed, %d states, %d forms changed", packed, states, changed)
	if packed < 200 || states < 2000 || changed < 3 {
		t.Errorf("only %d models with %d states were packed, and %d forms changed", packed, states,
			changed)
	}
}

// packing is a model whose packed states are compared with its states.
type packing struct {
	what            string
	most            int // states
	states, changed int
}

// compare compares them in the first form that fits.
func (p *packing) compare(t *testing.T, spec *ere.Specification) {
	t.Helper()
	for ; p.changed < 20; p.changed++ {
		p.states = 0
		form := spec.System.Computed.Computed.(system.Packing).Form(t.Context())
		if form == nil {
			return
		}
		err := p.within(t, spec.System, form)
		switch {
		case err == nil:
			return
		case !errors.Is(err, system.ErrForm):
			t.Fatalf("%v\n%s", err, p.what)
		}
	}
	t.Fatalf("no form fits\n%s", p.what)
}

func (p *packing) within(t *testing.T, sys *system.System, form system.Form) error {
	t.Helper()
	quick, packer, plain := form.Computer(t.Context()), form.Packer(), sys.Computed.Plain()
	numbers := map[string]string{} // of states, by their packed forms
	var queue [][]int64
	_ = plain.Initial(t.Context(), func(s []int64) error {
		queue = append(queue, slices.Clone(s))
		return nil
	})
	for ; len(queue) > 0 && p.states < p.most; queue = queue[1:] {
		state := queue[0]
		packed, err := packer.Pack(state, nil)
		if err != nil {
			return err
		}
		if was := numbers[fmt.Sprint(packed)]; was == fmt.Sprint(state) {
			continue
		} else if was != "" {
			t.Fatalf("%v has the packed form of %v\n%s", state, was, p.what)
		}
		numbers[fmt.Sprint(packed)] = fmt.Sprint(state)
		p.states++
		back := make([]int64, len(state))
		if packer.Unpack(packed, back); !slices.Equal(back, state) {
			t.Fatalf("%v is unpacked as %v\n%s", state, back, p.what)
		}
		next, err := p.steps(t, sys, quick, packer, plain, packed, state)
		if err != nil {
			return err
		}
		queue = append(queue, next...)
	}
	return nil
}

// steps compares the steps from a state, and the formulas in it.
func (p *packing) steps(
	t *testing.T, sys *system.System, quick system.PackedComputer, packer system.Packer,
	plain system.Computer, packed []uint64, state []int64,
) (next [][]int64, err error) {
	t.Helper()
	var got, want []string
	back := make([]int64, len(state))
	failed := quick.Steps(t.Context(), packed, func(action int, to []uint64) error {
		packer.Unpack(to, back)
		got = append(got, fmt.Sprint(action, back))
		return nil
	})
	if errors.Is(failed, system.ErrForm) {
		return nil, failed
	}
	err = plain.Steps(t.Context(), state, func(action int, _, to []int64) error {
		want, next = append(want, fmt.Sprint(action, to)), append(next, slices.Clone(to))
		return nil
	})
	slices.Sort(got)
	slices.Sort(want)
	if fmt.Sprint(failed) != fmt.Sprint(err) || err == nil && !slices.Equal(got, want) {
		t.Fatalf("%v %v, not %v %v, from %v\n%s", got, failed, want, err, state, p.what)
	}
	for _, d := range sys.Derived {
		if d.Predicate == nil || d.Predicate.OfStep {
			continue
		}
		want, err := plain.Holds(d.Predicate.Number, state, nil)
		got, failed := quick.Holds(d.Predicate.Number, packed)
		if errors.Is(failed, system.ErrForm) {
			return nil, failed
		}
		if got != want || (err == nil) != (failed == nil) {
			t.Fatalf("formula %d is %v %v, not %v %v, in %v\n%s", d.Predicate.Number, got, failed,
				want, err, state, p.what)
		}
	}
	return next, nil
}

package discharge

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
	"erelong.dev/erelong/internal/vc"
)

// truth is a symbol without arguments.
func truth(name string) *logic.Term {
	return logic.App(&logic.Symbol{Name: name, Result: logic.Bool, Mutable: true}, 0)
}

var p, q, r, s = truth("p"), truth("q"), truth("r"), truth("s")

// chain is a theory in which s follows from p, q and two implications; two further hypotheses are
// not needed.
func chain(step *logic.Term) *vc.Theory {
	t := &vc.Theory{}
	t.AssumeAs("start", p)
	t.AssumeAs("spare", logic.Implies(q, p))
	t.AssumeAs("first", logic.Implies(p, q))
	t.AssumeAs("second", logic.Implies(q, r))
	t.AssumeAs("other", logic.Not(truth("elsewhere")))
	t.Assume(step)
	return t
}

// settled gives the outcome of one obligation.
func settled(t *testing.T, opts Options, theory *vc.Theory, goal *logic.Term) *Obligation {
	t.Helper()
	if opts.Drivers == nil {
		opts.Drivers = testkit.Solvers(t)
	}
	d, err := New(t.Context(), &system.System{}, opts)
	if err != nil {
		t.Fatal(err)
	}
	o := &Obligation{Obligation: result.Obligation{Name: "x", Property: "x"}, Goal: goal}
	g := &Group{Theory: theory, Obligations: []*Obligation{o}}
	g.Path.States = []vc.Versions{{}}
	d.All(t.Context(), []*Group{g})
	return o
}

func TestNeeds(t *testing.T) {
	o := settled(t, Options{Cores: true}, chain(logic.Implies(r, s)), s)
	if o.Verdict != result.Holds || !slices.Equal(o.Needs, []string{"first", "second", "start"}) {
		t.Errorf("%s needs %v", o.Verdict, o.Needs)
	}
}

func TestCachedProofs(t *testing.T) {
	dir := t.TempDir()
	opts := Options{Cores: true, Cache: smt.NewCache(dir)}
	first := settled(t, opts, chain(logic.Implies(r, s)), s)
	if first.Verdict != result.Holds || first.Cached || first.Queries == 0 {
		t.Fatalf("%+v", first)
	}
	again := settled(t, opts, chain(logic.Implies(r, s)), s)
	if again.Verdict != result.Holds || !again.Cached || again.Queries != 0 ||
		again.Solver != first.Solver || !slices.Equal(again.Needs, first.Needs) {
		t.Errorf("%+v", again)
	}
	for name, o := range map[string]*Obligation{
		"another goal": settled(t, opts, chain(logic.Implies(r, s)), logic.Not(s)),
		"another step": settled(t, opts, chain(logic.Implies(s, r)), s),
		"fewer hypotheses": settled(t, opts, chain(logic.Implies(r, s)).Only(func(
			vc.Hypothesis,
		) bool {
			return false
		}), s),
		"no cache": settled(t, Options{}, chain(logic.Implies(r, s)), s),
		"a cache elsewhere": settled(t, Options{Cache: smt.NewCache(t.TempDir())},
			chain(logic.Implies(r, s)), s),
	} {
		want := result.NotInductive
		if strings.Contains(name, "cache") {
			want = result.Holds
		}
		if o.Cached || o.Verdict != want {
			t.Errorf("%s: %s, cached %v", name, o.Verdict, o.Cached)
		}
	}

	opts.Verify = true
	if o := settled(t, opts, chain(logic.Implies(r, s)), s); o.Verdict != result.Holds ||
		o.Cached || o.Queries == 0 {
		t.Errorf("verified: %+v", o)
	}
}

// An entry in the folder that is not a proof of this query is not believed; a proof that cannot be
// saved counts all the same.
func TestUselessCache(t *testing.T) {
	dir := t.TempDir()
	var notes []string
	opts := Options{Cache: smt.NewCache(dir), Note: func(n string) { notes = append(notes, n) }}
	settled(t, opts, chain(logic.Implies(r, s)), s)
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.proof.json"))
	if err != nil || len(files) != 1 || len(notes) != 0 {
		t.Fatal(files, err, notes)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files[0], []byte(strings.Replace(string(text), "macro", "magic", 1)+"x"),
		0o644); err != nil {
		t.Fatal(err)
	}
	if o := settled(t, opts, chain(logic.Implies(r, s)), s); o.Verdict != result.Holds ||
		o.Cached || len(notes) != 1 || !strings.Contains(notes[0], "damaged") {
		t.Errorf("%s, cached %v, notes %q", o.Verdict, o.Cached, notes)
	}
	notes = nil
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	opts.Cache = smt.NewCache(file)
	if o := settled(t, opts, chain(logic.Implies(r, s)), s); o.Verdict != result.Holds ||
		o.Cached || len(notes) == 0 {
		t.Errorf("%s, cached %v, notes %q", o.Verdict, o.Cached, notes)
	}
}

// A wrong entry in the cache is detected when the solvers are asked again.
func TestWrongCache(t *testing.T) {
	opts := Options{Cache: smt.NewCache(t.TempDir()), Drivers: testkit.Solvers(t)}
	d, err := New(t.Context(), &system.System{}, opts)
	if err != nil {
		t.Fatal(err)
	}
	theory := chain(logic.Implies(s, r))
	a := newAsker(d, &Group{Theory: theory})
	defer a.close()
	key, err := a.key(theory, s, &baseKey{})
	if err != nil {
		t.Fatal(err)
	}
	if err := opts.Cache.SaveProof(key,
		&smt.Proof{Solver: "a liar", Provers: []string{smt.Label(opts.Drivers[0])}}); err != nil {
		t.Fatal(err)
	}
	// the entry is the right one
	if o := settled(t, opts, theory, s); !o.Cached || o.Verdict != result.Holds {
		t.Errorf("%+v", o)
	}
	var notes []string
	opts.Verify, opts.Note = true, func(n string) { notes = append(notes, n) }
	o := settled(t, opts, theory, s)
	if o.Verdict != result.Unknown || !strings.Contains(o.Reason.Text, "a liar") ||
		len(notes) != 1 {
		t.Errorf("%s (%s), notes %q", o.Verdict, o.Reason.Text, notes)
	}
	opts.Verify = false
	// it was dropped
	if o := settled(t, opts, theory, s); o.Cached || o.Verdict != result.NotInductive {
		t.Errorf("%+v", o)
	}
}

// A proof counts only if every solver that it rests on may answer, in the same version.
func TestProofsOfOtherSolvers(t *testing.T) {
	all := testkit.Solvers(t)
	own := smt.Label(all[0])
	for _, test := range []struct {
		provers []string
		cached  bool
	}{
		{[]string{own}, true}, {[]string{all[0].Name() + " 0.1"}, false},
		{[]string{own, "cvc6 1.0"}, false}, {nil, false},
	} {
		opts := Options{Cache: smt.NewCache(t.TempDir()), Drivers: all[:1]}
		d, err := New(t.Context(), &system.System{}, opts)
		if err != nil {
			t.Fatal(err)
		}
		theory := chain(logic.Implies(r, s))
		a := newAsker(d, &Group{Theory: theory})
		defer a.close()
		key, err := a.key(theory, s, &baseKey{})
		if err != nil {
			t.Fatal(err)
		}
		if err := opts.Cache.SaveProof(key,
			&smt.Proof{Solver: "some", Provers: test.provers}); err != nil {
			t.Fatal(err)
		}
		if o := settled(t, opts, theory, s); o.Verdict != result.Holds || o.Cached != test.cached {
			t.Errorf("provers %v: %s, cached %t", test.provers, o.Verdict, o.Cached)
		}
		p, err := opts.Cache.Proof(key)
		if err != nil || !slices.Equal(p.Provers, []string{own}) {
			t.Errorf("provers %v: afterwards %+v, %v", test.provers, p, err)
		}
	}
}

// The hypotheses of the last proof are tried first, and prove nothing by themselves.
func TestHint(t *testing.T) {
	for _, needs := range [][]string{{"first", "second", "start"}, {"first", "gone"}, {}} {
		// too hard as a whole
		opts := Options{
			Cores:   true,
			Cache:   smt.NewCache(t.TempDir()),
			Drivers: testkit.Solvers(t),
			Jobs:    1,
			Solving: Solving{Rlimit: 30},
		}
		d, err := New(t.Context(), &system.System{}, opts)
		if err != nil {
			t.Fatal(err)
		}
		o := &Obligation{Obligation: result.Obligation{Name: "x", Property: "x"}, Goal: s,
			hint: needs}
		a := newAsker(d, &Group{Theory: chain(logic.Implies(r, s)), Obligations: []*Obligation{o}})
		defer a.close()
		attempts := a.narrower(o)
		if len(attempts) == 0 || attempts[0].scope != needed {
			t.Fatalf("%v", attempts)
		}
		for _, at := range attempts {
			if at.scope != needed {
				continue
			}
			out := a.start(t.Context(), o, part{goal: s}, at, 1_000_000)()
			enough := slices.Contains(needs, "start")
			if out.err != nil || out.decides() != enough || enough != (out.Status == smt.Unsat) {
				t.Errorf("%v, %s: %s, %v", needs, at, out.Status, out.err)
			}
		}
	}
}

// Where an obligation is hard with all hypotheses, the likely ones are tried alone, and prove
// nothing by themselves.
func TestLikely(t *testing.T) {
	for _, names := range [][]string{{"first", "second", "start"}, {"first", "gone"}, {}} {
		d, err := New(t.Context(), &system.System{}, Options{Cores: true,
			Drivers: testkit.Solvers(t), Jobs: 1, Lead: 5_000})
		if err != nil {
			t.Fatal(err)
		}
		theory := chain(logic.Implies(r, s))
		for i := range 20 {
			theory.AssumeAs("more", truth(fmt.Sprint("more ", i)))
		}
		o := &Obligation{Obligation: result.Obligation{Name: "x", Property: "x"}, Goal: s,
			Likely: names}
		a := newAsker(d, &Group{Theory: theory, Obligations: []*Obligation{o}})
		defer a.close()
		a.lead = 4 // so that all of them are too hard
		if a.provesWithLikely(t.Context(), o) {
			t.Errorf("%v: %s with hardly any resources", names, o.Verdict)
		}
		enough := slices.Contains(names, "start")
		one := &attempt{method: method{scope: likely}}
		r := a.start(t.Context(), o, part{goal: s}, one, 1_000_000)()
		if r.err != nil || r.decides() != enough || enough != (r.Status == smt.Unsat) {
			t.Errorf("%v: %s, %v", names, r.Status, r.err)
		}
		a.lead = 5_000
		if a.decide(t.Context(), o); o.Verdict != result.Holds {
			t.Errorf("%v: %s, %s", names, o.Verdict, o.Reason.Text)
		}
	}
}

// A model of a part of the hypotheses means nothing, and unrelated hypotheses are left out.
func TestRelated(t *testing.T) {
	theory := chain(logic.Implies(r, s))
	var left []string
	for _, h := range relatedTo(theory, s).Hypotheses {
		left = append(left, h.Name)
	}
	if !slices.Equal(left, []string{"second", ""}) {
		t.Errorf("%q are related", left)
	}
	if o := settled(t, Options{}, theory, s); o.Verdict != result.Holds {
		t.Errorf("%s", o.Verdict)
	}
}

// A low limit is spent in one round: an obligation that no attempt proves at once is given up.
func TestLowLimit(t *testing.T) {
	queries := map[int64]int64{}
	for _, limit := range []int64{lowRlimit, lowRlimit + 1} {
		o := settled(t, Options{Drivers: []smt.Driver{unsure(t)}, Solving: Solving{Rlimit: limit}},
			chain(logic.Implies(r, s)), logic.And(s, truth("more")))
		if o.Verdict != result.Unknown {
			t.Fatalf("%s", o.Verdict)
		}
		queries[limit] = o.Queries
	}
	if queries[lowRlimit] == 0 || 2*queries[lowRlimit] > queries[lowRlimit+1] {
		t.Errorf("queries: %v", queries)
	}
}

// unsure is a solver that answers unknown.
func unsure(t *testing.T) smt.Driver {
	t.Helper()
	dir := t.TempDir()
	script := "#!/bin/sh\n[ \"$1\" = --version ] && { echo 'Z3 version 4.8.12 - 64 bit'; exit; }\n" +
		"while read -r line; do case \"$line\" in '(echo '*) line=${line#'(echo \"'}; echo \"${line%'\")'}\";; '(check-sat)') echo unknown;; " +
		"*reason-unknown*) echo '(:reason-unknown \"max. resource limit exceeded\")';; *rlimit*) echo '(:rlimit 1)';; esac; done\n"
	if err := os.WriteFile(filepath.Join(dir, "z3"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	ds, err := smt.Find(t.Context(), []string{"z3"})
	if err != nil {
		t.Fatal(err)
	}
	return ds[0]
}

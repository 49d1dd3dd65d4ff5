package ranking

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/ere/strip"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// Where nothing is found, the reason names the kind of hint that is missing, and what it is about.
// The run that shows it is one of the system, and the rank to fill in is read.
func TestWhatIsMissing(t *testing.T) {
	const eater = `
		mutable relation hungry, holding, eating
		init !hungry & !holding & !eating
		action rest() { require !hungry & !holding & !eating; }
		action think() { require !hungry & !holding & !eating; hungry := true; }
		fair action take() { require hungry; hungry := false; holding := true; }
		fair action eat() { require holding; holding := false; eating := true; }
		fair action stop() { require eating; eating := false; }
		liveness [live] hungry ~> eating
		instance i { }
		`
	const workers = `
		sort node
		mutable relation done(node)
		init !done(N)
		fair action work(n: node) { require !done(n); done(n) := true; }
		action idle() { }
		liveness [live] forall P: node. true ~> done(P) & (forall N. done(N))
		instance two { node = 2 }
		`
	const lamp = `
		mutable relation up, stuck
		init !up & !stuck
		fair action rise() { require !stuck; up := true; }
		action spin() { require stuck; }
		liveness [live] true ~> up
		instance i { }
		`
	for _, c := range []struct {
		name, text, reason, shown, note string
		steps, loop                     int
	}{
		{"a condition", eater,
			"; take ends it before it is good, and the run shown is fair and never gets there: " +
				"what is missing is a condition that stays true until it is good (pending)",
			"a fair run in which it is never good", "pending hungry;", 1, 0},
		{"a name", workers, "; the run shown is pending for ever, and fair to all values that " +
			"have names (P): it puts off work(n = node1). What is missing is a name for such " +
			"values (choose)", "it is pending for ever for P = node0: the loop is fair to the " +
			"values that have names, and puts off work(n = node1)",
			"choose next_n:node with !done(next_n);", 2, 1},
		{"a number", `
			sort s
			immutable function next(s): s
			mutable constant at: s
			fair action go() { at := next(at); }
			liveness [live] true ~> at = P
			instance two { s = 2, next = { s0: s1, s1: s0 } }`,
			"; nothing decreases in go, which changes at, which the property waits for: what is " +
				"missing is a number made of at that these steps make smaller (variable, count)",
			"no ranking function was found that decreases in this step: go()", "", 0, -1},
		{"an invariant", lamp, "; spin() is never taken while it is pending in i (3 states): " +
			"what is missing is an invariant that excludes the step shown",
			"no explored run takes this step while it is pending: spin()", "none", 2, -1},
		{"a larger instance", `
			immutable constant top: int
			axiom top >= 0
			mutable constant x: 0..top
			init x = top
			action down() { require x > 0; x := x - 1; }
			action stay() { require x > 1; }
			liveness [live] true ~> x = 0
			instance i { top = 1 }`,
			"; the run shown, of the instance top = 2, is fair and pending for ever: it violates " +
				"the property", "it is pending for ever", "none", 1, 0},
		{"an invariant for a hint", `
			mutable constant x: 0..2
			mutable relation lit, odd
			init x = 2 & lit & !odd
			fair action off() { require lit; lit := false; }
			action noise() { require odd; lit := true; }
			fair action step() { require !lit & x > 0; x := x - 1; lit := true; }
			liveness [live] true ~> x = 0
			rank [live] { variable if lit then 1 else 0; }
			instance i { }`,
			"; nothing decreases in off, which changes lit, which step waits for: what is missing " +
				"is a number made of lit that these steps make smaller (variable, count), or an " +
				"invariant with which a hint is such a number", "in this step: off()", "none",
			0, -1},
		{"nothing", lamp + "invariant !stuck", "", "", "none", 0, 0},
		{"no instance", `
			sort s
			immutable function next(s): s
			mutable constant at: s
			fair action go() { at := next(at); }
			liveness [live] true ~> at = P`,
			"that these steps make smaller (variable, count), or the values of a fair action " +
				"that stays possible meanwhile (choose)", "", "", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := testkit.Compile(t, c.text)
			prop := sys.Property("live")
			r, notes := missing(t, sys, prop, sys.RankingOf(prop))
			if c.reason == "" {
				if r.Verdict != result.Holds {
					t.Errorf("%s: %s", r.Verdict, r.Reason.Text)
				}
				return
			}
			if r.Verdict != result.Unknown || !strings.HasSuffix(r.Reason.Text, c.reason) {
				t.Errorf("%s: %s", r.Verdict, r.Reason.Text)
			}
			switch x := r.Trace; {
			case x == nil:
				if c.shown != "" {
					t.Error("no run is shown")
				}
			case !strings.Contains(x.Shows, c.shown) || x.Loop != c.loop ||
				c.steps > 0 && len(x.Steps) != c.steps:
				t.Errorf("%d steps, loop to %d, %s", len(x.Steps), x.Loop, x.Shows)
			}
			if c.note == "none" {
				if len(notes) > 0 {
					t.Errorf("%q", notes)
				}
				return
			}
			if len(notes) != 1 || !strings.Contains(notes[0], c.note) {
				t.Fatalf("%q", notes)
			}
			paste(t, c.text, notes[0])
		})
	}
}

// missing gives the result of one attempt, without guesses, and what it says is missing.
func missing(
	t *testing.T, sys *system.System, prop *system.Property, hints *system.Ranking,
) (r *result.Result, notes []string) {
	t.Helper()
	opts := options(t)
	opts.Instances = sys.Instances
	opts.Note = func(text string) { notes = append(notes, text) }
	var invariants []*system.Property
	for _, p := range sys.Properties {
		if p.IsInvariant() {
			invariants = append(invariants, p)
		}
	}
	r = &result.Result{Property: prop.Name, Verdict: result.Unknown, Evidence: &result.Evidence{}}
	diagnose, err := attempt(t.Context(), sys, prop, hints, invariants, opts, r)
	if err == nil && diagnose != nil {
		err = diagnose()
	}
	if err != nil {
		t.Fatal(err)
	}
	return r, notes
}

// Each hint of an example is missed where it is taken away, with the hints that mention it.
func TestMissedHints(t *testing.T) {
	testkit.InFull(t)
	const choose, number = "a name for such values (choose)",
		"these steps make smaller (variable, count)"
	cases := []struct {
		file, property string
		without        func(*system.Ranking)
		missed         string
	}{
		{"sliding_window", "progress", func(r *system.Ranking) {
			r.Choices, r.Measures = r.Choices[1:], nil
		}, choose},
		{"sliding_window", "progress", func(r *system.Ranking) { r.Measures = nil }, number},
		{"philosophers", "fed", func(r *system.Ranking) {
			r.Choices = slices.Delete(slices.Clone(r.Choices), 1, 2)
		}, choose},
		{"philosophers", "fed", func(r *system.Ranking) { r.Measures = nil }, number},
		{"philosophers", "left_fed", func(r *system.Ranking) {
			r.Choices, r.Measures = nil, nil
		}, choose},
		{"philosophers", "left_fed", func(r *system.Ranking) { r.Choices = r.Choices[:1] }, choose},
		{"philosophers", "left_fed", func(r *system.Ranking) { r.Measures = nil }, number},
		{"sliding_window", "progress", func(r *system.Ranking) { *r = system.Ranking{} }, choose},
		{"sliding_window", "progress", func(r *system.Ranking) {
			r.Choices = r.Choices[:1]
		}, choose},
		{"philosophers", "fed", func(r *system.Ranking) {
			r.Choices, r.Measures = r.Choices[2:], nil
		}, choose},
		{"philosophers", "fed", func(r *system.Ranking) { r.Choices = r.Choices[:2] }, choose},
	}
	if !testkit.Long() {
		cases = cases[:7] // the others are like these, and slow
	}
	for _, c := range cases {
		text, err := os.ReadFile(filepath.FromSlash("../../../examples/liveness/" + c.file + ".ere"))
		if err != nil {
			t.Fatal(err)
		}
		sys := testkit.Compile(t, string(text))
		prop := sys.Property(c.property)
		hints := *sys.RankingOf(prop)
		c.without(&hints)
		r, _ := missing(t, sys, prop, &hints)
		if r.Verdict != result.Unknown || !strings.Contains(r.Reason.Text, c.missed) {
			t.Errorf("%s, %s: %s: %s", c.file, c.property, r.Verdict, r.Reason.Text)
		}
	}
}

// paste reads a specification with the rank of a note.
func paste(t *testing.T, text, note string) {
	t.Helper()
	_, rank, ok := strings.Cut(note, "begin with ")
	rank, _, found := strings.Cut(rank, " and write in place of 0")
	if !ok || !found {
		t.Fatal(note)
	}
	if sys, list, err := ere.Compile("rank.ere", text+"\n"+rank+"\n"); err != nil ||
		len(sys.Rankings) != 1 {
		t.Errorf("%v\n%s\n%s", list, text, note)
	}
}

// The rank to fill in is read in every specification.
func TestSkeletonIsRead(t *testing.T) {
	var texts []string
	for seed := range 400 {
		text := generated(seed)
		if !strings.Contains(text, "rank [") { // one is enough
			texts = append(texts, text)
		}
	}
	files, err := filepath.Glob(filepath.FromSlash("../../../examples/liveness/*.ere"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		stripped, err := strip.Hints(path, string(text))
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, stripped)
	}
	chosen := 0
	for _, text := range texts {
		sys := testkit.Compile(t, text)
		for _, prop := range sys.Properties {
			if prop.Kind != system.Liveness {
				continue
			}
			d := &diagnosis{p: newProblem(sys, prop, nil, nil)}
			roots := newPartition(d.p).roots
			for _, root := range roots[:min(len(roots), 3)] {
				l := &lack{part: root, from: d.changed(root)}
				if root.action.Fairness != system.Unfair {
					l.choose = d.p.originals[root.action]
				}
				note := d.skeleton(l)
				paste(t, text, note)
				if strings.Contains(note, " choose ") {
					chosen++
				}
			}
		}
	}
	if chosen == 0 {
		t.Error("no rank chooses a value")
	}
}

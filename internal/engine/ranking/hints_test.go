package ranking

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine/temporal"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// proved gives the result for the only property, and the notes on hints.
func proved(t *testing.T, opts Options, sys *system.System) (r result.Result, notes []string) {
	t.Helper()
	opts.Instances, opts.Note = sys.Instances, func(text string) { notes = append(notes, text) }
	return prove1(t, opts, sys), notes
}

// A wrong hint proves nothing, and a note names it. A note names a hint that is not used, too.
func TestHints(t *testing.T) {
	opts := options(t)
	for _, c := range []struct {
		name, text, hints string
		holds             bool
		notes             []string
	}{
		{"all is well", step, "bound x <= 3; variable x;", true, []string{"line 8 is not used: bound x <= 3"}},
		{"not an integer that is negative", step, "variable x - 1; variable x - 2;", true,
			[]string{"line 8 is not proved: variable x - 2"}},
		{"not a bound", step, "bound x <= 2;", true,
			[]string{"line 8 is not proved: bound x <= 2"}},
		{"of no use", step, "case x = 2; choose n: 0..3 with n = x;", true, []string{
			"line 8 is not used: choose n:0..3 with n = x", "line 8 is not used: case x = 2"}},
		{"no choice", step, "choose n: 0..3 with x + 1 < n;", false, []string{"line 8 is not proved: choose n:0..3 with x + 1 < n"}},
		{"steps that are taken", strings.Replace(step, "fair", "", 1), "never stay();", false,
			[]string{"line 8 is not proved: never stay()"}},
		{"some steps that are taken", strings.Replace(step, "fair", "", 1), "never stay() with x < 2;", false,
			[]string{"line 8 is not proved: never stay() with x < 2"}},
		{"steps that are not taken", step + "action up(k: 0..3) { require k > x & x > 2; x := x + 1; }\n", "never up(k) with k = 3;", true,
			[]string{"line 9 is not used: never up(k) with k = 3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := testkit.Compile(t, strings.TrimRight(c.text, "\t ")+"liveness [live] true ~> x = 0\nrank [live] { "+c.hints+" }\n")
			r, notes := proved(t, opts, sys)
			if (r.Verdict == result.Holds) != c.holds {
				t.Errorf("%s: %s", r.Verdict, r.Reason.Text)
			}
			for i, n := range notes {
				notes[i] = strings.TrimPrefix(n, "live: the hint in ")
			}
			if !slices.Equal(notes, c.notes) {
				t.Errorf("%q instead of %q", notes, c.notes)
			}
		})
	}
}

// A case is used where steps are told apart by it, also where its formula is merged with others.
func TestCaseThatIsAConjunction(t *testing.T) {
	sys := testkit.Compile(t, `
		mutable relation on, ready
		mutable constant x: 0..3
		init !on & !ready & x = 3
		fair action down() { require x > 0; x := x - 1; }
		action rest() { require true; }
		liveness [live] true ~> x = 0
		rank [live] { case on & ready; case on; }`)
	prop := sys.Property("live")
	hints := sys.RankingOf(prop)
	c := newCandidates(newProblem(sys, prop, hints, nil), hints)
	parts := newPartition(c.p)
	s := newSearch(c, parts, nil, nil)
	var tiers []*tier
	for _, v := range c.vars {
		if v.byCase == c.cases[0].hint && v.left != nil {
			halves := parts.roots[1].split(parts.mayDecrease(parts.roots[1].action, v))
			tiers = append(tiers, &tier{parts: halves[:]})
			break
		}
	}
	if !s.distinguishes(c.cases[0].hint, tiers) || s.distinguishes(c.cases[1].hint, tiers) {
		t.Errorf("%v", tiers[0].parts)
	}
}

// Several values are chosen at once: the first is one for which there are others.
func TestChooseSeveral(t *testing.T) {
	const text = `
		sort team
		sort node
		immutable relation belongs(node, team)
		axiom exists T. belongs(N, T)
		mutable relation done(node)
		init !done(N)
		fair action finish(n: node) { require !done(n); done(n) := true; }
		action rest() { require true; }
		liveness [live] true ~> (forall N. done(N))
		rank [live] { choose t: team, next with belongs(next, t) & !done(next); }`
	r, notes := proved(t, options(t), testkit.Compile(t, text))
	if r.Verdict != result.Holds || len(notes) != 0 {
		t.Fatalf("%s: %s %q", r.Verdict, r.Reason.Text, notes)
	}
	want := []result.Choice{{Name: "t", Condition: "exists next:node. belongs(next, t) & !done(next)"},
		{Name: "next", Condition: "belongs(next, t) & !done(next)"}}
	if !slices.Equal(r.Evidence.Ranking.Choices, want) {
		t.Errorf("%q", r.Evidence.Ranking.Choices)
	}
}

// Where the hints count what is needed, nothing else is counted, and other sorts may be infinite.
func TestOwnCountsComeFirst(t *testing.T) {
	const text = `
		sort node
		sort slot
		mutable relation voted(node, slot)
		init !voted(N, I)
		fair action vote(n: node, i: slot) { require !voted(n, i); voted(n, i) := true; }
		action rest() { require true; }
		liveness [live] forall I: slot. true ~> (forall N. voted(N, I))
		rank [live] { choose n: node with !voted(n, I); %s }`
	for _, c := range []struct {
		hint   string
		finite []string
	}{{"", []string{"node", "slot"}}, {"count (N: node) with !voted(N, I);", []string{"node"}}} {
		r, notes := proved(t, options(t), testkit.Compile(t, fmt.Sprintf(text, c.hint)))
		if r.Verdict != result.Holds || len(notes) != 0 {
			t.Fatalf("%q: %s: %s %q", c.hint, r.Verdict, r.Reason.Text, notes)
		}
		if !slices.Equal(r.Evidence.Ranking.Finite, c.finite) {
			t.Errorf("%q: finite are %q", c.hint, r.Evidence.Ranking.Finite)
		}
	}
}

// A bound of a hint that no step changes also bounds the number of steps.
func TestBoundLimits(t *testing.T) {
	opts := options(t)
	const text = `
		immutable constant top: int
		axiom top >= 0
		mutable constant x: int
		mutable constant y: 0..3
		init x = 0 & y = 3
		action up() { require x <= 2 * top; x := x + 1; }
		action down() { require y > 0; y := y - 1; x := 0; }
		action on() { require y > 0 & x > 2 * top; y := y - 1; x := 0; }
		invariant 0 <= x & x <= 2 * top + 1
		liveness [live] true ~> y = 0
		rank [live] { bound 2 * top + 1 - x <= 2 * top + 1; variable 2 * top + 1 - x; }
		`
	r, notes := proved(t, opts, testkit.Compile(t, text))
	if r.Verdict != result.Holds || len(notes) > 0 {
		t.Fatalf("%s: %s %q", r.Verdict, r.Reason.Text, notes)
	}
	if want := "(2 * top + 1 + 1) * y + (2 * top + 1 - x) + 1"; r.Evidence.Ranking.Steps != want {
		t.Errorf("%q instead of %q", r.Evidence.Ranking.Steps, want)
	}

	wrong := strings.Replace(text, "<= 2 * top + 1; variable", "<= 2 * top; variable", 1)
	r, notes = proved(t, opts, testkit.Compile(t, wrong))
	if r.Verdict != result.Holds || r.Evidence.Ranking.Steps != "" || len(notes) != 1 ||
		!strings.Contains(notes[0], "is not proved: bound") {
		t.Errorf("%s: %q %q", r.Verdict, r.Evidence.Ranking.Steps, notes)
	}

	// A bound that grows limits nothing.
	moving := strings.NewReplacer("mutable constant x", "mutable constant most: int mutable constant x", "init x", "init most = 2 * top + 1 & x",
		"x := x + 1", "x := x + 1; most := most + 1", "<= 2 * top + 1; variable", "<= most; variable",
		"invariant", "invariant 2 * top + 1 <= most invariant").Replace(text)
	r, notes = proved(t, opts, testkit.Compile(t, moving))
	if r.Verdict != result.Holds || r.Evidence.Ranking.Steps != "" {
		t.Errorf("%s %s: %q %q", r.Verdict, r.Reason.Text, r.Evidence.Ranking.Steps, notes)
	}
}

// A hint that only another hint uses is of use.
func TestHintForAHint(t *testing.T) {
	const text = `
		sort team
		sort node
		immutable relation belongs(node, team)
		axiom exists T. belongs(N, T)
		mutable relation done(node)
		init !done(N)
		fair action finish(n: node) { require !done(n); done(n) := true; }
		action rest() { require true; }
		liveness [live] true ~> (forall N. done(N))
		rank [live] {
			choose t: team with exists N. belongs(N, t) & !done(N);
			choose next: node with belongs(next, t) & !done(next);
			%s
		}`
	for more, want := range map[string]int{"": 0, "choose other: team with other = t;": 1} {
		r, notes := proved(t, options(t), testkit.Compile(t, fmt.Sprintf(text, more)))
		if r.Verdict != result.Holds || len(notes) != want {
			t.Errorf("%s: %s %q", r.Verdict, r.Reason.Text, notes)
		}
	}
}

const climb = `
	sort level
	immutable relation le(level, level)
	axiom le(X, X)
	axiom le(X, Y) & le(Y, Z) -> le(X, Z)
	axiom le(X, Y) & le(Y, X) -> X = Y
	axiom le(X, Y) | le(Y, X)
	immutable constant goal: level
	mutable constant at: level
	init le(at, goal)
	fair action up() { choose l: level with le(at, l) & at != l & le(l, goal); at := l; }
	action stay() { at := at; }
	invariant le(at, goal)
	liveness [there] true ~> at = goal
	instance i { level = 3 }
	`

// Along a total order, strict or not, the distance to the goal is the number of values in between.
func TestDistances(t *testing.T) {
	opts := options(t)
	strict := strings.NewReplacer("axiom le(X, X)\n", "axiom !le(X, X)\n", "& le(Y, X) -> X = Y", "-> !le(Y, X)", "le(X, Y) | le(Y, X)", "X = Y | le(X, Y) | le(Y, X)",
		"init le(at, goal)", "init at = goal | le(at, goal)", "at != l & le(l, goal)", "(l = goal | le(l, goal))", "invariant le", "invariant at = goal | le")
	for _, c := range []struct {
		name, text string
		holds      bool
	}{
		{"up", climb, true},
		{"strictly up", strict.Replace(climb), true},
		{"up and down", strings.Replace(climb, "with le(at, l) & at != l", "with at != l", 1),
			false},
		{"not total", strings.Replace(climb, "axiom le(X, Y) | le(Y, X)", "", 1), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := testkit.Compile(t, c.text)
			r, _ := proved(t, opts, sys)
			if (r.Verdict == result.Holds) != c.holds {
				t.Fatalf("%s: %s", r.Verdict, r.Reason.Text)
			}
			found, err := temporal.Check(t.Context(), sys, sys.Instances[0], temporal.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if c.holds &&
				(found[0].Verdict == result.Violated ||
					!slices.Equal(r.Evidence.Ranking.Finite, []string{"level"})) {
				t.Errorf("%s, finite: %q", found[0].Verdict, r.Evidence.Ranking.Finite)
			}
		})
	}
}

// toggled needs a hint: an uncounted step comes before each counted one.
const toggled = `
	mutable constant x: 0..3
	mutable relation ready
	init x = 3 & !ready
	action prepare(n: 0..3) { require !ready & n < x; ready := true; }
	action down() { require x > 0 & ready; ready := false; x := x - 1; }
	liveness [live] forall N: 0..1. x = 3 - N ~> x = 0
	rank [live] { pending x <= 3 - N; }
	instance i { }
	`

// A step in which nothing decreases is shown as a run of the user's own system.
func TestStuck(t *testing.T) {
	opts := options(t)
	sys := testkit.Compile(t, toggled)
	r, _ := proved(t, opts, sys)
	if r.Verdict != result.Unknown || r.Trace == nil {
		t.Fatalf("%s: %s", r.Verdict, r.Reason.Text)
	}
	if err := interp.Replay(t.Context(), sys, r.Trace, nil); err != nil {
		t.Error(err)
	}
	last := r.Trace.Steps[len(r.Trace.Steps)-1]
	if last.Action != "prepare" || len(last.Args) != 1 || last.Args[0].Name != "n" ||
		len(last.State) != 2 || len(r.Trace.Steps) != 2 {
		t.Errorf("%+v", r.Trace.Steps)
	}
	if w := r.Trace.Why.Witness; len(w) != 1 || w[0].Name != "N" || w[0].Value.Text != "0" {
		t.Errorf("%+v", w)
	}
	if !strings.Contains(r.Trace.Shows, "prepare(n:0..3)") {
		t.Errorf("%q", r.Trace.Shows)
	}

	// The trigger comes late: until then the step is taken while the property is not pending.
	late := testkit.Compile(t, strings.NewReplacer("x = 3 - N ~>", "x = 1 - N ~>", "pending x <= 3 - N", "pending x <= 1 - N").Replace(toggled))
	if r, _ := proved(t, opts, late); r.Trace == nil || len(r.Trace.Steps) != 6 {
		t.Errorf("%s: %s %+v", r.Verdict, r.Reason.Text, r.Trace)
	}

	// Only one case of the action is stuck, and the run ends with this case.
	r, _ = proved(t, opts, testkit.Compile(t, `
		sort s
		immutable function next(s): s
		immutable constant end: s
		mutable constant at: s
		mutable constant x: 0..4
		init x = 4 & at != end
		action go() {
		  require x > 0;
		  if x = 2 & at != end { at := next(at); } else { x := x - 1; }
		}
		liveness [live] true ~> x = 0
		instance i { s = 2, next = { s0: s1, s1: s1 }, end = s1 }`))
	if r.Trace == nil || len(r.Trace.Steps) != 4 || !strings.HasSuffix(r.Trace.Shows, "go() where !(x' < x)") {
		t.Errorf("%s: %s %+v", r.Verdict, r.Reason.Text, r.Trace)
	}

	// No run takes the step. What is shown is a state in which nothing may be possible.
	never := testkit.Compile(t, strings.Replace(toggled, "require !ready &", "require !ready & x = 2 & ready & ", 1)+"action lift() { require x > 5; ready := ready; }")
	r, _ = proved(t, opts, never)
	if r.Verdict == result.Holds || r.Trace != nil && len(r.Trace.Steps) > 1 {
		t.Errorf("%s: %+v", r.Verdict, r.Trace)
	}
}

// The record of the search is complete, also when the time is up.
func TestRecord(t *testing.T) {
	opts := options(t)
	opts.unfitted = true
	sys := testkit.Compile(t, step+"liveness [live] true ~> x = 0")
	r, _ := proved(t, opts, sys)
	s := r.Evidence.Search
	if r.Verdict != result.Holds || len(s.Variables) != 2 || s.Variables[0].Name != "x" ||
		s.Variables[1].Limit != "M_down" {
		t.Fatalf("%s: %+v", r.Verdict, s)
	}
	want := []result.RankStep{{Step: "down()", Grows: []int{-1, result.Unbounded}},
		{Step: "stay()", Grows: []int{0, -1}}}
	if !slices.EqualFunc(s.Steps, want, func(a, b result.RankStep) bool {
		return a.Step == b.Step && slices.Equal(a.Grows, b.Grows)
	}) {
		t.Errorf("%+v", s.Steps)
	}
	var stages []string
	for _, x := range s.Stages {
		stages = append(stages, x.Name)
	}
	for _, x := range []string{result.StageGoodEnd, result.StageNoDeadlock, result.StageBounds,
		result.StageContradictions, result.StageDeltas,
		result.StageSynthesis, result.StageValidation} {
		if !slices.Contains(stages, x) {
			t.Errorf("%s is missing in %q", x, stages)
		}
	}
	if s.Constraints == 0 {
		t.Error("no constraints")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if results, err := Prove(ctx, sys, Options{Proved: []result.Result{}}); err == nil &&
		results[0].Verdict == result.Holds {
		t.Error("it holds without time")
	}
}

// Without hints from the user, the search for cases ends at the given effort.
func TestEffort(t *testing.T) {
	opts := options(t)
	const text = `
		mutable constant x: 0..3
		mutable relation on
		init x = 3 & !on
		fair action down() { require x > 0 & on; x := x - 1; }
		fair action start() { require !on; on := true; }
		action stay() { x := x; }
		liveness [live] true ~> x = 0
		`
	for _, c := range []struct {
		effort int
		hints  string
		holds  bool
	}{{0, "", true}, {1, "", false}, {1, "rank [live] { case on; }", true}} {
		sys := testkit.Compile(t, text+c.hints)
		opts.Effort = c.effort
		r := prove1(t, opts, sys)
		if (r.Verdict == result.Holds) != c.holds ||
			!c.holds && !strings.HasPrefix(r.Reason.Text, "the search was cut short") {
			t.Errorf("effort %d, hints %q: %s: %s", c.effort, c.hints, r.Verdict, r.Reason.Text)
		}
	}
}

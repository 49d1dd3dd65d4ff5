package ranking

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// The formulas about growth are compared with the comparison of two lists, from their beginning.
func TestLexicographicGrowth(t *testing.T) {
	sys := testkit.Compile(t, `
		type place = 0..3
		type number = 0..2
		mutable function left(place): number
		mutable relation on(place)
		action step() { left := *; on := *; }
		liveness [live] true ~> left(0) = 0
		instance one { }
		`)
	m, err := interp.NewModel(sys, sys.Instances[0])
	if err != nil {
		t.Fatal(err)
	}
	var left, on *logic.Symbol
	for _, s := range sys.Symbols {
		switch s.Name {
		case "left":
			left = s
		case "on":
			on = s
		}
	}
	place := &logic.Var{Name: "K", Sort: left.Args[0]}
	args := []*logic.Term{logic.Ref(place)}
	rng := rand.New(rand.NewSource(1))
	random := func() (s interp.State, list, digits []int64) {
		list, digits = make([]int64, 4), make([]int64, 4)
		var counts [4]bool
		symbols, points := m.SlotSymbols(), m.SlotArguments()
		for i, sym := range symbols {
			x := rng.Int63n(3)
			if sym == on {
				x = min(x, 1)
				counts[points[i][0]] = x == 1
			} else {
				list[points[i][0]] = x
			}
			s = append(s, x)
		}
		for i, is := range counts {
			if digits[i] = 1; !is {
				list[i], digits[i] = 0, 0
			}
		}
		return s, list, digits
	}
	seen := map[int]int{}
	for _, downwards := range []bool{false, true} {
		l := &lexicographic{place, logic.App(on, logic.Pre, args...), &fairness{left: left}, args,
			downwards}
		number := func(place *logic.Var, in int) *logic.Term {
			return logic.Shift(l.of(place, logic.Ite(l.such, logic.App(left, logic.Pre, args...),
				logic.IntLit(0))), in)
		}
		still := func(k *logic.Var) *logic.Term { return logic.Le(number(k, 1), number(k, 0)) }
		falls := func(k *logic.Var) *logic.Term { return logic.Lt(number(k, 1), number(k, 0)) }
		for range 2000 {
			pre, before, was := random()
			post, after, is := random()
			if downwards {
				for _, list := range [][]int64{before, after, was, is} {
					slices.Reverse(list)
				}
			}
			number := &lexicographic{place: place, such: l.such, downwards: downwards}
			order := slices.Compare(is, was)
			for h, want := range map[int]bool{-1: order < 0, 0: order <= 0} {
				got, err := m.Holds(number.grows(nil, h), pre, post)
				if err != nil || got != want {
					t.Fatalf("%v, then %v: it grows by at most %d: %v, %v", was, is, h, got, err)
				}
			}
			order = slices.Compare(after, before)
			seen[order]++
			for h, want := range map[int]bool{-1: order < 0, 0: order <= 0} {
				got, err := m.Holds(l.ordered(h, still, falls), pre, post)
				if err != nil || got != want {
					t.Fatalf("%v, then %v: it grows by at most %d: %v, %v", before, after, h, got,
						err)
				}
			}
		}
	}
	if len(seen) != 3 {
		t.Errorf("the lists are all alike: %v", seen)
	}
}

// inARow is a row of places that go up and down. A place goes down when the next one is down, so it
// waits for the next one, which waits for the one after it.
const inARow = `
	immutable constant last: int
	axiom last >= 0
	type place = 0..last
	mutable relation up(place)
	init !up(K)
	strong fair action down(k: place) { require up(k) & (k = last | !up(k + 1)); up(k) := false; }
	action raise(k: place) { require !up(k); up(k) := true; }
	liveness [falls] up(P) ~> !up(P)
	rank [falls] {
		choose end: place with P <= end & (end = last | !up(end + 1))
			& (forall K: place. P <= K & (K = last | !up(K + 1)) -> end <= K);
		count (K: place) with P <= K & K <= end;
	}
	instance one { last = 0 }
	instance two { last = 1 }
	instance three { last = 2 }
	`

func TestInARow(t *testing.T) {
	sys := testkit.Compile(t, inARow)
	r, notes := proved(t, options(t), sys)
	if r.Verdict != result.Holds || len(notes) > 0 {
		t.Fatalf("%s: %s; %q", r.Verdict, r.Reason, notes)
	}
	restate(t, sys, r)
	found := r.Evidence.Ranking
	const want = "lexicographic{K:0..last upwards | P <= K & K <= end | left_down(K)}"
	if len(found.Tiers) != 1 || found.Tiers[0].Function != want {
		t.Errorf("%+v", found.Tiers)
	}
	if found.Steps != "" || found.Proof.Bound != nil {
		t.Errorf("an order is no number of steps: %s", found.Steps)
	}
	found.Proof.Bound = &result.RankBound{Steps: want + " + 1"}
	if _, err := Obligations(sys, sys.Properties[0], nil, found.Proof); err == nil {
		t.Error("a number of steps is accepted")
	}
}

// Rows of other kinds are proved only if no instance has a lasso.
func TestRowsAgainstLassos(t *testing.T) {
	opts := options(t)
	opts.Rlimit, opts.Wall, opts.Effort = 300_000, time.Minute, 30
	seen := map[string]int{}
	for seed := range testkit.Size(3, 8) {
		rng := rand.New(rand.NewSource(seed))
		pick := func(from ...string) string { return from[rng.Intn(len(from))] }
		text := strings.NewReplacer(
			"strong fair", pick("strong fair", "strong fair", "fair", ""),
			"!up(k + 1))", pick("!up(k + 1))", "!up(k + 1))", "up(k + 1))", "true)"),
			"up(k) := false;", pick("up(k) := false;", "up(k) := false;", "up(k) := false; assume k = last | up(k + 1) | !up(k + 1);",
				"up(K) := up(K) & K < k;", "up(K) := up(K) & K > k;", "up(K) := K > k | up(K) & K < k;"),
			"require !up(k)", pick("require !up(k)", "require !up(k)", "require !up(k) & (k = 0 | up(k - 1))", "require true"),
			"action raise", pick("action raise", "action raise", "fair action raise"),
			"end <= K);", pick("end <= K);", "end <= K);", "K <= end);"),
			"K <= end;", pick("K <= end;", "K <= end;", "K < end;", "up(K);"),
		).Replace(inARow)
		sys := testkit.Compile(t, text)
		r := result.Result{Property: "falls", Verdict: result.Unknown, Evidence: &result.Evidence{}}
		prop := sys.Property("falls")
		_, err := attempt(t.Context(), sys, prop, sys.RankingOf(prop), nil, opts, &r)
		if err != nil {
			t.Fatal(err)
		}
		has := lasso(t, sys)
		switch {
		case r.Verdict == result.Holds && has:
			t.Errorf("seed %d: proved, but there is a lasso\n%s", seed, text)
		case r.Verdict == result.Holds:
			restate(t, sys, r)
			for _, tier := range r.Evidence.Ranking.Tiers {
				if strings.Contains(tier.Function, "lexicographic{") {
					seen["an order"]++
				}
			}
		}
		seen[fmt.Sprint(r.Verdict, ", a lasso: ", has)]++
	}
	t.Log(seen)
	if testkit.CI() && (seen["an order"] == 0 || seen["unknown, a lasso: true"] == 0) {
		t.Errorf("the rows are all alike: %v", seen)
	}
}

// carrying counts up or down; the digit of a place changes with the ones of smaller weight.
const carrying = `
	immutable constant last: int
	axiom last >= 0
	type place = 0..last
	mutable relation one(place)
	fair action step(k: place) {
		require !one(k) & (forall J: place. J > k -> one(J));
		one(J) := J = k | one(J) & J < k;
	}
	liveness [full] true ~> (forall K: place. one(K))
	instance two { last = 1 }
	instance three { last = 2 }
	`

// A number of digits is found, and is proved as a hint.
func TestDigits(t *testing.T) {
	sys := testkit.Compile(t, carrying)
	opts := options(t)
	opts.Instances = sys.Instances
	r := prove1(t, opts, sys)
	const want = "lexicographic{X1:0..last upwards | !one(X1)}"
	if r.Verdict != result.Holds || r.Evidence.Ranking.Tiers[0].Function != want {
		t.Fatalf("%s: %s; %+v", r.Verdict, r.Reason, r.Evidence.Ranking)
	}
	restate(t, testkit.Compile(t, carrying+r.Evidence.Ranking.Proof.Hints), r)
	sys = testkit.Compile(t, carrying+"rank [full] { count (K: place) with !one(K); }")
	if r, notes := proved(t, options(t), sys); r.Verdict != result.Holds || len(notes) > 0 {
		t.Errorf("as a hint: %s; %q", r.Verdict, notes)
	}
}

// Who waits in a queue gets nearer to its first place with each that is served, whoever asks again
// behind.
func TestPlaceInQueue(t *testing.T) {
	sys := testkit.Compile(t, `
		sort client
		mutable constant queue: seq[client, 3]
		mutable constant waiting: set[client]
		mutable constant served: set[client]
		init queue = [] & waiting = {} & served = {}
		action ask(c: client) {
			require !(c in waiting) & size(queue) < 3;
			queue := append(queue, c);
			waiting := waiting with c;
		}
		fair action serve() {
			require size(queue) > 0;
			let c = queue[1];
			served := served with c;
			waiting := waiting without c;
			queue := tail(queue);
		}
		action idle() { require true; }
		invariant [listed] forall c: client. c in waiting ->
			exists i: 1..3. i <= size(queue) & queue[i] = c
		liveness [answered] forall C: client. C in waiting ~> C in served
		instance two { client = 2 }
		`)
	opts := options(t)
	opts.Instances = sys.Instances
	if got := prove1(t, opts, sys); got.Verdict != result.Holds {
		t.Errorf("%s: %s", got.Verdict, got.Reason)
	}
}

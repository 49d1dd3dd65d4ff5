package ranking

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"erelong.dev/erelong/internal/engine/temporal"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// small writes a random protocol: processes go from phase to phase and share a counter; the
// property leads each process from one phase to another.
func small(rng *rand.Rand) string {
	var b strings.Builder
	phases := []string{"idle", "trying", "done"}
	pick := func(from ...string) string { return from[rng.Intn(len(from))] }
	b.WriteString("sort process\nenum phase { idle, trying, done }\nimmutable constant top: int\naxiom [top] top >= 1\n")
	b.WriteString("mutable function at(process): phase\nmutable relation free\nmutable constant x: 0..top\n")
	fmt.Fprintf(&b, "init at(P) = %s\ninit x = %s\n", pick("idle", "trying"), pick("0", "top"))
	if rng.Intn(2) == 0 {
		b.WriteString("init free\n")
	}
	for i := range 2 + rng.Intn(3) {
		guards := []string{"at(p) = " + pick(phases...)}
		var effects []string
		switch rng.Intn(4) {
		case 0:
			guards = append(guards, "free")
			effects = append(effects, pick("free := false", "free := true"))
		case 1:
			guards, effects = append(guards, "x < top"), append(effects, "x := x + 1")
		case 2:
			guards, effects = append(guards, "x > 0"), append(effects, "x := x - 1")
		}
		switch rng.Intn(6) {
		case 0:
			guards[0] = "(forall Q: process. at(Q) = " + pick(phases...) + ")"
		case 1:
			guards = append(guards, pick("x = 0", "x = top", "!free"))
		}
		if rng.Intn(3) > 0 {
			effects = append(effects, "at(p) := "+pick(phases...))
		}
		if rng.Intn(8) == 0 {
			effects = append(effects, "free := *")
		}
		fmt.Fprintf(&b, "%saction a%d(p: process) { require %s; %s; }\n",
			pick("", "fair ", "fair ", "strong fair "), i, strings.Join(guards, " & "),
			strings.Join(append(effects, "free := free"), "; "))
	}
	if rng.Intn(6) == 0 {
		b.WriteString("trusted invariant " +
			pick("x < top", "x > 0 | free", "free | at(P) != done") + "\n")
	}
	from, to := pick(phases...), pick(phases...)
	switch rng.Intn(4) {
	case 0:
		fmt.Fprintf(&b, "liveness [live] at(P) = %s ~> at(P) = %s\n", from, to)
	case 1:
		fmt.Fprintf(&b, "liveness [live] true ~> %s\n", pick("x = 0", "x = top", "free", "(forall P. at(P) = done)"))
	case 2:
		fmt.Fprintf(&b, "liveness [live] at(P) = %s ~> at(P) != %s\n", from, from)
	default:
		fmt.Fprintf(&b, "liveness [live] x = %s ~> x = %s\n", pick("0", "top"), pick("0", "top"))
	}
	if rng.Intn(4) == 0 {
		fmt.Fprintf(&b, "rank [live] { %s }\n", pick("choose q: process with at(q) = trying;", "bound x <= top;", "bound x + 1 <= top;",
			"never a0(p) with x = 0; never a1(p);", "bound 1 <= x; never a1(p) with at(p) = idle;"))
	}
	fmt.Fprintf(&b, "instance one { process = 1, top = 1 }\ninstance two { process = 2, top = %d }\n", 1+rng.Intn(2))
	return b.String()
}

// chain writes a random lock: processes go round a chain of phases. A step may be fair or not, and
// may need the lock or not.
func chain(rng *rand.Rand) string {
	var b strings.Builder
	pick := func(from ...string) string { return from[rng.Intn(len(from))] }
	b.WriteString("sort process\nenum phase { idle, trying, done }\nmutable function at(process): phase\nmutable relation free\n")
	b.WriteString("init at(P) = idle & free\n")
	fair := func() string { return pick("", "fair ", "fair ", "strong fair ") }
	fmt.Fprintf(&b, "%saction start(p: process) { require at(p) = idle%s; at(p) := trying; }\n",
		fair(), pick("", "", " & free"))
	fmt.Fprintf(&b, "%saction enter(p: process) { require at(p) = trying%s; at(p) := %s; free := %s; }\n",
		fair(), pick("", "", " & free"), pick("done", "done", "done", "idle"),
		pick("false", "true", "free"))
	fmt.Fprintf(&b, "%saction leave(p: process) { require at(p) = done; at(p) := %s; free := true; }\n", fair(), pick("idle", "done"))
	if rng.Intn(3) > 0 {
		fmt.Fprintf(&b, "%saction wait(p: process) { require %s; free := free; }\n", fair(), pick("true", "at(p) = trying", "at(p) = idle", "!free"))
	}
	fmt.Fprintf(&b, "liveness [live] %s\n", pick("at(P) = trying ~> at(P) = done", "at(P) = done ~> at(P) = idle", "at(P) = idle ~> at(P) = trying",
		"at(P) = trying ~> at(P) != trying", "true ~> free"))
	b.WriteString("instance one { process = 1 }\ninstance two { process = 2 }\n")
	return b.String()
}

// items writes a random protocol of several sorts: processes get items, pass them on and finish
// them. It has hints of all kinds.
func items(rng *rand.Rand) string {
	var b strings.Builder
	pick := func(from ...string) string { return from[rng.Intn(len(from))] }
	b.WriteString("sort process\nsort item\nmutable relation has(process, item)\nmutable relation done(item)\nmutable relation on\n")
	b.WriteString("mutable constant turn: process\n")
	fmt.Fprintf(&b, "init %shas(P, I) & !done(I)\n", pick("!", "!", ""))
	b.WriteString("immutable relation le(item, item)\n" + pick("", "axiom le(I, J) | le(J, I)\n") +
		pick("", "axiom le(I, J) & le(J, K) -> le(I, K)\n") + pick("", "axiom le(I, J) & le(J, I) -> I = J\n"))
	actions := []string{
		"get(p: process, i: item) { require !has(p, i)" + pick("", " & !done(i)", " & p = turn") + "; has(p, i) := true; }",
		"drop(p: process, i: item) { require has(p, i)" + pick("", " & on", " & p = turn") + "; has(p, i) := false; " + pick("", "done(i) := true; ") + "}",
		"pass(p: process, q: process, i: item) { require has(p, i) & !has(q, i)" +
			pick("", " & !on") + "; has(p, i) := false; has(q, i) := true; }",
		"finish(i: item) { require !done(i) & (" + pick("exists", "forall") + " P: process. has(P, i)); done(i) := true; }",
		"flip() { require " + pick("on", "!on", "true") + "; on := " + pick("!on", "false") + "; }",
		"next(p: process) { require turn != p; turn := p; }",
		"some() { choose i: item with !done(i) { done(i) := true; } }",
		"first() { choose i: item with !done(i) & (forall J: item. !done(J) -> le(i, J)) { done(i) := true; } }",
		"mine(p: process) { choose i: item with (exists J: item. has(p, J)) -> has(p, i) & (forall J: item. has(p, J) -> le(i, J)) { done(i) := true; } }",
		"lose(i: item) { require !done(i); has(P, i) := false; " + pick("", "done(i) := true; ") + "}",
	}
	rng.Shuffle(len(actions), func(i, j int) { actions[i], actions[j] = actions[j], actions[i] })
	actions = actions[:1+rng.Intn(3)]
	for _, a := range actions {
		fmt.Fprintf(&b, "%saction %s\n", pick("", "fair ", "fair ", "strong fair "), a)
	}
	fmt.Fprintf(&b, "liveness [live] %s\n", pick("true ~> done(I)", "has(P, I) ~> !has(P, I)", "has(P, I) ~> done(I)", "true ~> (forall I. done(I))",
		"on ~> !on", "turn = P ~> turn != P", "!done(I) ~> (exists P. has(P, I))", "true ~> (forall P, I. has(P, I))"))
	head, _, _ := strings.Cut(actions[0], " {")
	hints := []string{"count (X: process, Y: item) with " + pick("", "!") + "has(X, Y);", "count (Y: item) with !done(Y);", "case on;",
		"choose i: item with !done(i);", "choose p: process with exists Y. has(p, Y);", "variable if on then 1 else 0;", "variable if on then 0 else 0 - 1;",
		"never " + strings.NewReplacer(": process", "", ": item", "").Replace(head) + " with " +
			pick("on", "!on", "turn = turn") + ";",
		"pending " +
			pick("on", "exists Y: item. !done(Y)", "exists Y: item, X: process. !has(X, Y)") + ";"}
	rng.Shuffle(len(hints), func(i, j int) { hints[i], hints[j] = hints[j], hints[i] })
	if some := hints[:rng.Intn(3)]; len(some) > 0 {
		fmt.Fprintf(&b, "rank [live] { %s }\n", strings.Join(some, " "))
	}
	b.WriteString(
		"instance one { process = 1, item = 1 }\ninstance two { process = 2, item = 2 }\n")
	return b.String()
}

// branches writes a random program with two counters, in which the effect of a step depends on the
// state.
func branches(rng *rand.Rand) string {
	var b strings.Builder
	pick := func(from ...string) string { return from[rng.Intn(len(from))] }
	b.WriteString("mutable constant x: 0..2\nmutable constant y: 0..2\nmutable relation on\n")
	fmt.Fprintf(&b, "init x = 2%s\n", pick("", " & y = 2", " & on"))
	lower := func(v string) string {
		return fmt.Sprintf("%s := if %s > 0 then %s - 1 else %s; ", v, v, v, v)
	}
	effects := func() string {
		return pick(lower("x"), lower("y"), lower("x")+"y := 2; ", lower("y")+"on := true; ",
			lower("x")+lower("y"), lower("x")+"on := *; ",
			"on := false; ", "on := !on; ", lower("y")+"x := y; ")
	}
	condition := func() string { return pick("on", "!on", "y > 0", "x > y", "x = y") }
	for i := range 1 + rng.Intn(3) {
		fmt.Fprintf(&b, "%saction a%d() { require %s; if %s { %s} else { %s} }\n",
			pick("", "", "fair ", "strong fair "), i, pick("true", "x > 0", "y > 0 | on", "x > 0 | y > 0"), condition(), effects(), effects())
	}
	fmt.Fprintf(&b, "liveness [live] %s\n", pick("true ~> x = 0", "true ~> x = 0", "true ~> x = 0 & y = 0", "y > 0 ~> y = 0", "on ~> !on", "true ~> x = 0 | !on"))
	if rng.Intn(3) == 0 {
		fmt.Fprintf(&b, "rank [live] { %s }\n", pick("variable if on then 1 else 0;", "variable x + y;", "case on;", "case x > y;", "variable 2 * x + y;"))
	}
	b.WriteString("instance one { }\n")
	return b.String()
}

// excused puts some of the fair actions of a text under a condition of fairness.
func excused(rng *rand.Rand, text string) string {
	var conditions []string
	for declared, c := range map[string]string{"relation free": "free", "relation on": "on",
		"constant x: ": "x > 0"} {
		if strings.Contains(text, "mutable "+declared) {
			conditions = append(conditions, c, "!("+c+")")
		}
	}
	slices.Sort(conditions)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		fair, action, ok := strings.Cut(line, "action ")
		head, body, _ := strings.Cut(action, " {")
		if !ok || !strings.HasSuffix(fair, "fair ") || rng.Intn(2) == 0 {
			continue
		}
		when := conditions[rng.Intn(len(conditions))]
		if strings.Contains(head, "p: process") && rng.Intn(3) == 0 {
			when = map[bool]string{true: "at(p) != idle", false: "turn = p"}[strings.Contains(text,
				"at(process)")]
		}
		lines[i] = fmt.Sprintf("action %s %sif %s {%s", head, fair, when, body)
	}
	return strings.Join(lines, "\n")
}

// reached names the features that a proof uses.
func reached(text string, r *result.Ranking) (out []string) {
	add := func(name string, ok bool) {
		if ok {
			out = append(out, name)
		}
	}
	var functions, steps string
	for _, t := range r.Tiers {
		functions += t.Function + "\n"
		steps += strings.Join(t.Steps, "\n") + "\n"
	}
	for name, fairness := range map[string]string{"weak": "\nfair action ", "strong": "\nstrong fair action "} {
		for _, after := range strings.Split(text, fairness)[1:] {
			action, _, _ := strings.Cut(after, "(")
			if strings.Contains(functions, leftPrefix+action) {
				add(name+" fairness", true)
				break
			}
		}
	}
	add("a condition of fairness", strings.Contains(text, " fair if ") &&
		strings.Contains(functions, leftPrefix))
	add("a bound that was compared", slices.ContainsFunc(r.Observed, func(x result.Observed) bool {
		return x.Why == "" && x.Steps > 0
	}))
	add("tiers", len(r.Tiers) > 1)
	add("parts of actions", strings.Contains(steps, " where ") || strings.Contains(steps, " case "))
	add("counts", strings.Contains(functions, "#{"))
	add("choose", len(r.Choices) > 0)
	add("what is first", slices.ContainsFunc(r.Proof.Possible, func(p result.RankPossible) bool {
		return p.Action == "first" || p.Action == "mine"
	}))
	add("pending", strings.Contains(text, "pending "))
	add("never", strings.Contains(text, "never "))
	add("several parameters", strings.Contains(steps, ", "))
	return out
}

// seeds gives the seeds of the generated systems: few, in a long run 10,000, or the ones of
// ERELONG_SEEDS, as in 2000-3000 (the last one excluded).
func seeds(t *testing.T, few int) (from, to int) {
	t.Helper()
	if text := os.Getenv("ERELONG_SEEDS"); text != "" {
		if _, err := fmt.Sscanf(text, "%d-%d", &from, &to); err != nil || from >= to {
			t.Fatalf("ERELONG_SEEDS=%s: write it as in 2000-3000", text)
		}
		return from, to
	}
	if testkit.Long() {
		return 0, 10_000
	}
	return 0, few
}

// generated is the text of the system of a seed.
func generated(seed int) string {
	write := []func(*rand.Rand) string{small, chain, items, branches}[seed%4]
	return write(rand.New(rand.NewSource(int64(seed))))
}

// kindOf names the reason why there is no proof, without what belongs to one system.
func kindOf(r result.Result) string {
	text := r.Reason.Text
	for _, kind := range []string{"some action can be taken", "keeps it pending", "is pending",
		"exists", "no ranking function", "keep to their ranges"} {
		if strings.Contains(text, kind) {
			if strings.Contains(text, "cut short") {
				kind += ", cut short"
			}
			return kind
		}
	}
	return text
}

// supported is a proof of the property with invariants that such a proof wants, or that are simple,
// and that are inductive by themselves, and the system with them; nil where there is none.
func supported(
	t *testing.T, sys *system.System, opts Options,
) (*result.Result, *system.System) {
	t.Helper()
	prop := sys.Property("live")
	with := *sys
	for _, simple := range []bool{false, true} {
		before := len(with.Properties)
		if simple {
			more, err := Simple(t.Context(), &with, prop, opts.Instances, opts.Options)
			if err != nil {
				t.Fatal(err)
			}
			with.Properties = slices.Concat(with.Properties, more)
		}
		wanted, err := Wanted(t.Context(), &with, prop, opts.Instances, opts.Options)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range wanted {
			ok, err := Inductive(t.Context(), &with, w, opts.Instances, opts.Options)
			if err != nil {
				t.Fatal(err)
			}
			if ok {
				with.Properties = append(slices.Clone(with.Properties), w)
				break
			}
		}
		if len(with.Properties) == before {
			continue
		}
		results, err := Prove(t.Context(), &with, opts)
		if err != nil {
			t.Fatal(err)
		}
		if results[0].Verdict == result.Holds {
			return &results[0], &with
		}
	}
	return nil, nil
}

// A property that holds for all instances holds in two of them. One solver and few questions for
// each system are enough. A proof that takes too long all the same, since a solver does not keep to
// its limit everywhere, counts as not found.
func TestNeverHoldsWhereThereIsALasso(t *testing.T) {
	from, to := seeds(t, int(testkit.Size(6, 20)))
	long, patience := to-from >= 500, time.Minute // for one proof
	if long {
		patience *= 10
	}
	opts := options(t)
	opts.Rlimit, opts.Wall, opts.Effort = 300_000, patience, 150
	opts.Observe = true // a bound that a run exceeds is an error
	seen, uses := map[result.Verdict]int{}, map[string]int{}
	open := map[string]int{} // why systems are not proved that have no lasso
	for seed := from; seed < to; seed++ {
		text := generated(seed)
		if seed/4%3 == 2 {
			text = excused(rand.New(rand.NewSource(int64(seed))), text)
		}
		sys, _, err := ere.Compile("small.ere", text)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		ctx, end := context.WithTimeout(t.Context(), patience)
		opts.Instances = sys.Instances
		results, err := Prove(ctx, sys, opts)
		late := ctx.Err() != nil
		end()
		if err != nil && late {
			seen["late"]++
			if long {
				t.Logf("seed %d: late", seed)
			}
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		live, with := results[0], sys
		if live.Verdict == result.Unknown {
			if again, more := supported(t, sys, opts); again != nil {
				live, with = *again, more
				uses["an invariant that is wanted"]++
			}
		}
		seen[live.Verdict]++
		if live.Verdict == result.Holds {
			for _, name := range reached(text, live.Evidence.Ranking) {
				uses[name]++
			}
			restate(t, with, live)
			reprove(t, with, live, opts)
		}
		lasso := false
		for _, in := range sys.Instances {
			found, err := temporal.Check(t.Context(), sys, in, temporal.Options{})
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			if lasso = found[0].Verdict == result.Violated; lasso {
				seen[result.Violated]++
				if live.Verdict == result.Holds {
					t.Errorf("seed %d: proved %+v, but there is a lasso in %s\n%s", seed,
						live.Evidence.Ranking, in.Name, text)
				}
				break
			}
		}
		if !lasso && live.Verdict == result.Unknown {
			open[kindOf(live)]++
			if long {
				t.Logf("seed %d: no lasso, and no proof: %s", seed, live.Reason.Text)
			}
		}
		if seed%100 == 99 {
			t.Logf("%d systems: %v; open: %v; proofs with %v", seed+1-from, seen, open, uses)
		}
	}
	t.Logf("%d systems: %v; open: %v; proofs with %v", to-from, seen, open, uses)
	if seen[result.Holds] == 0 || seen[result.Unknown] == 0 || seen[result.Violated] == 0 {
		t.Errorf("the systems are all alike: %v", seen)
	}
	if long && len(uses) < 10 {
		t.Errorf("no proof has %v alone", uses)
	}
}

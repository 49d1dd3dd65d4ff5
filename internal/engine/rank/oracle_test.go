package rank

import (
	"fmt"
	"math/rand"
	"os"
	"strings"
	"testing"

	"erelong/internal/discharge"
	"erelong/internal/engine/temporal"
	"erelong/internal/lang"
	"erelong/internal/verdict"
)

// small writes a random protocol: processes that go from phase to phase, with a shared counter, and with a property that each of them
// gets from one phase to another.
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
			pick("", "fair ", "fair ", "strong fair "), i, strings.Join(guards, " & "), strings.Join(append(effects, "free := free"), "; "))
	}
	if rng.Intn(6) == 0 {
		b.WriteString("trusted invariant " + pick("x < top", "x > 0 | free", "free | at(P) != done") + "\n")
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
		fmt.Fprintf(&b, "rank [live] { choose q: process with at(q) = trying; }\n")
	}
	fmt.Fprintf(&b, "instance one { process = 1, top = 1 }\ninstance two { process = 2, top = %d }\n", 1+rng.Intn(2))
	return b.String()
}

// chain writes a random lock: processes that go round, where each step may be fair or not, and may need the lock or not.
func chain(rng *rand.Rand) string {
	var b strings.Builder
	pick := func(from ...string) string { return from[rng.Intn(len(from))] }
	b.WriteString("sort process\nenum phase { idle, trying, done }\nmutable function at(process): phase\nmutable relation free\n")
	b.WriteString("init at(P) = idle & free\n")
	fair := func() string { return pick("", "fair ", "fair ", "strong fair ") }
	fmt.Fprintf(&b, "%saction start(p: process) { require at(p) = idle%s; at(p) := trying; }\n", fair(), pick("", "", " & free"))
	fmt.Fprintf(&b, "%saction enter(p: process) { require at(p) = trying%s; at(p) := %s; free := %s; }\n",
		fair(), pick("", "", " & free"), pick("done", "done", "done", "idle"), pick("false", "true", "free"))
	fmt.Fprintf(&b, "%saction leave(p: process) { require at(p) = done; at(p) := %s; free := true; }\n", fair(), pick("idle", "done"))
	if rng.Intn(3) > 0 {
		fmt.Fprintf(&b, "%saction wait(p: process) { require %s; free := free; }\n", fair(), pick("true", "at(p) = trying", "at(p) = idle", "!free"))
	}
	fmt.Fprintf(&b, "liveness [live] %s\n", pick("at(P) = trying ~> at(P) = done", "at(P) = done ~> at(P) = idle", "at(P) = idle ~> at(P) = trying",
		"at(P) = trying ~> at(P) != trying", "true ~> free"))
	b.WriteString("instance one { process = 1 }\ninstance two { process = 2 }\n")
	return b.String()
}

// What holds for all instances holds in two.
func TestNeverHoldsWhereThereIsALasso(t *testing.T) {
	n := 30
	if os.Getenv("ERELONG_LONG") != "" {
		n = 10_000
	} else if testing.Short() {
		n = 10
	}
	seen := map[verdict.Verdict]int{}
	for seed := range int64(n) {
		write := small
		if seed%3 > 0 {
			write = chain
		}
		text := write(rand.New(rand.NewSource(seed)))
		sys, _, err := lang.Compile("small.ere", text)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		results, err := Prove(t.Context(), sys, Options{Options: discharge.Options{Rlimit: 300_000}})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		live := results[0]
		seen[live.Verdict]++
		for _, in := range sys.Instances {
			found, err := temporal.Check(t.Context(), sys, in, temporal.Options{})
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			if found[0].Verdict == verdict.Violated {
				seen[verdict.Violated]++
				if live.Verdict == verdict.Holds {
					t.Errorf("seed %d: proved %+v, but there is a lasso in %s\n%s", seed, live.Evidence.Ranking, in.Name, text)
				}
				break
			}
		}
	}
	t.Log(seen)
	if seen[verdict.Holds] == 0 || seen[verdict.Unknown] == 0 || seen[verdict.Violated] == 0 {
		t.Errorf("the systems are all alike: %v", seen)
	}
}

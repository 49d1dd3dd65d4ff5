package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/testkit"
)

// How long an example takes. One that is in no list takes a second or two.
var (
	// Their proofs take minutes. `make test-long` runs them.
	heavyFiles = []string{"tlb_shootdown.ere", "stoppable_paxos_forall.pyv",
		"stoppable_paxos_forall_choosable.pyv", "stoppable_paxos_simplified.ere"}
	// They take ten seconds and more. `make test-full` runs them.
	slowFiles = []string{"paxos_fol.pyv", "fast_paxos_epr.pyv", "block_cache_system.pyv",
		"paxos_forall_choosable.pyv", "flexible_paxos_forall_choosable.pyv", "multi_paxos.ere",
		"hybrid_broadcast.ere", "hybrid_broadcast_correctness.ere", "paxos_waits.ere",
		"multi_paxos_waits.ere", "paxos_deaf.ere", "alternating_bit.ere", "sliding_window.ere",
		"completeness_inductive.ere", "counter.ere", "bakery.ere", "commit_live.ere",
		"readers_writers.ere", "philosophers.ere", "railway.ere", "raft_numbers.ere",
		"stoppable_paxos.ere", "peterson_levels.ere", "raft.ere", "bounded_buffer.ere",
		"raft_any_term.ere", "raft_any_log.ere", "swim.ere", "grow_counter.ere",
		"rotating_coordinator.ere", "monitor.ere", "lamport_mutex.ere", "peterson.ere",
		"completeness_fixed_timeout.ere", "completeness_large_timeout.ere", "chandra_toueg.ere",
		"hybrid_broadcast_liars.ere", "at_most_once.ere", "stabilisation.ere",
		"hasty_coordinator.ere", "paxos.ere", "ring_detector_fdr.ere", "raft_messages.ere",
		"ticket_lock.ere", "chain_replication.ere", "chain_replication_lost.ere",
		"echo_broadcast.ere", "dwork_lynch_stockmeyer.ere", "consensus_on_detector.ere",
		"lease_by_clock.ere", "dwork_lynch_stockmeyer_signed.ere",
		"dwork_lynch_stockmeyer_forged.ere"}
	// They take a few seconds. CI runs them, and an ordinary run does not.
	largeFiles = []string{"raft_timeouts.ere", "raft_election.ere", "two_phase_commit.ere",
		"signed_broadcast.ere", "in_order.ere", "two_kinds_of_faults.ere",
		"unsigned_broadcast.ere", "chang_roberts_loses.ere", "heartbeat_gossip.ere",
		"raft_votes_twice.ere", "two_phase_forgetful.ere", "dwork_lynch_stockmeyer_unlocked.ere",
		"completeness.ere", "lease_by_acks.ere", "swim_deaf.ere", "delivered_twice.ere",
		"reference_counts.ere", "ping_ack.ere", "heartbeat_omission.ere", "ring_detector.ere",
		"causal_broadcast_early.ere", "echo_majority.ere", "weighted_references.ere", "leader.ere",
		"write_ahead_log_lost.ere"}
)

// heavy skips a test with a file whose proofs take minutes.
func heavy(t *testing.T, path string) {
	t.Helper()
	if slices.Contains(heavyFiles, filepath.Base(path)) {
		testkit.InLong(t)
	}
}

// slow skips a test that verifies a file that takes long.
func slow(t *testing.T, path string) {
	t.Helper()
	heavy(t, path)
	if slices.Contains(slowFiles, filepath.Base(path)) {
		testkit.InFull(t)
	}
}

func glob(t *testing.T, patterns ...string) (out []string) {
	t.Helper()
	for _, p := range patterns {
		files, err := filepath.Glob(filepath.FromSlash(p))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, files...)
	}
	return out
}

// unaided are the examples whose invariants are found.
var unaided = []string{"monitor.ere", "raft_numbers.ere", "termination.ere",
	"bounded_buffer.ere", "grow_counter.ere", "two_phase_messages.ere", "reference_counts.ere"}

// Every example states its source, what it shows and what to expect.
func TestExamples(t *testing.T) {
	ctx := testkit.Solving(t)
	examples(t, func(t *testing.T, path string, later bool) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"From: ", "# Shows:   ", "# Expect:  ", "\nexpect ["} {
			if !strings.Contains(string(text), word) {
				t.Errorf("it lacks %q", word)
			}
		}
		if !later {
			asExpected(ctx, t, path)
		}
	})
}

// TestRemainingExamples are the examples that an ordinary run leaves out.
func TestRemainingExamples(t *testing.T) {
	testkit.InCI(t)
	ctx := testkit.Solving(t)
	examples(t, func(t *testing.T, path string, later bool) {
		if later {
			slow(t, path)
			asExpected(ctx, t, path)
		}
	})
}

// examples calls a test for each example. Later are the larger ones, and two of three others: an
// ordinary run leaves them out.
func examples(t *testing.T, test func(t *testing.T, path string, later bool)) {
	t.Helper()
	files := glob(t, "../../examples/*.ere", "../../examples/*/*.ere")
	if len(files) == 0 {
		t.Fatal("no examples")
	}
	larger := slices.Concat(largeFiles, slowFiles, heavyFiles)
	for i, path := range files {
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			test(t, path, i%3 != 0 || slices.Contains(larger, name))
		})
	}
}

// asExpected verifies an example: it has the expected verdicts, and its proofs are checked again
// from their certificate.
func asExpected(ctx context.Context, t *testing.T, path string) {
	t.Helper()
	var out, errOut bytes.Buffer
	certificate := filepath.Join(t.TempDir(), "certificate.json")
	if slices.Contains(unaided, filepath.Base(path)) {
		withoutInvariants(ctx, t, path, certificate)
		return
	}
	code := Main(ctx,
		slices.Concat([]string{"verify", "--expect"}, proofOf(certificate), []string{path}),
		nil, &out, &errOut)
	if code != ExitHolds {
		t.Errorf("exit code %d\n%s%s", code, &out, &errOut)
	}
	checkAgain(ctx, t, path, certificate, out.String(), errOut.String())
}

// withoutInvariants verifies a file whose proof needs invariants that it does not have. Its text is
// no certificate then: infer writes one, with the text that has them.
func withoutInvariants(ctx context.Context, t *testing.T, path, certificate string) {
	t.Helper()
	for _, args := range [][]string{
		{"verify", "--expect", "-q", path}, {"infer", "-q", "--certificate", certificate, path},
		{"prove", "-q", "--recheck", certificate},
	} {
		var out, errOut bytes.Buffer
		if code := Main(ctx, args, nil, &out, &errOut); code != ExitHolds {
			t.Errorf("%v: exit code %d\n%s%s", args, code, &out, &errOut)
		}
	}
}

// Other people's models get the right verdicts.
func TestModels(t *testing.T) {
	ctx := testkit.Solving(t)
	models := testkit.Shared(t, "models", "mypyvy") + "/"
	prove := func(t *testing.T, path string, options ...string) (int, string, string) {
		var out, errOut bytes.Buffer
		code := Main(ctx, slices.Concat([]string{"prove"}, options, []string{path}), nil, &out, &errOut)
		return code, out.String(), errOut.String()
	}
	t.Run("examples", func(t *testing.T) {
		for i, path := range glob(t, models+"examples/*.pyv") {
			if !testkit.One(i, 3) {
				continue
			}
			t.Run(filepath.Base(path), func(t *testing.T) {
				slow(t, path)
				certificate := filepath.Join(t.TempDir(), "certificate.json")
				code, out, errOut := prove(t, path, proofOf(certificate)...)
				if code != ExitHolds {
					t.Errorf("exit code %d\n%s%s", code, out, errOut)
				}
				checkAgain(ctx, t, path, certificate, out, errOut)
			})
		}
	})
	t.Run("unsafe", func(t *testing.T) {
		for _, path := range glob(t, models+"unsafe/*.pyv") {
			t.Run(filepath.Base(path), func(t *testing.T) {
				code, out, errOut := prove(t, path, "--all", "-q")
				if code != ExitSafety || !strings.Contains(out, "is violated in state ") {
					t.Errorf("exit code %d\n%s%s", code, out, errOut)
				}
			})
		}
	})
	// mypyvy's output for these is beside them; the expectation here is the same kind of answer:
	// the exit code, and for an error mypyvy's position. Where mypyvy shows a reachable
	// counterexample to induction, a run is shown.
	for name, want := range map[string]struct {
		code int
		text []string
	}{
		"190516-theorem-boundvar":       {ExitSafety, []string{"theorem:7  violated", "theorem:8  violated"}},
		"190919-ensure-axiom-immutable": {ExitFile, []string{":8:95: error"}},
		"190919-union-find-loop":        {ExitNothingChecked, nil},
		"191119-nested-old-errmsg":      {ExitFile, []string{":12:33: error"}},
		"191120-error-localization": {ExitFile,
			[]string{":16:7: error", "because ", ":12:3: ", ":9:3: "}},
		"191125-derived-relation": {ExitNothingChecked, nil},
		"191125-theorem": {ExitSafety,
			[]string{"MyTrueTheorem           holds", "MyFalseTheorem          violated", "MyZerostateTrueTheorem  holds"}},
		"191125-updr":             {ExitHolds, nil},
		"191202-faithful-print":   {ExitHolds, nil},
		"191205-def-order":        {ExitNothingChecked, nil},
		"200209-bmc-state-order":  {ExitSafety, []string{"is violated in state 3"}},
		"200731-global-shadowing": {ExitFile, []string{":9:17: error"}},
		"200801-global-shadowing-transition": {ExitFile,
			[]string{":10:19: error", ":12:18: error"}},
		// It is not inductive, and holds: pieces of runs decide it.
		"200804-nonlin-int-arith-cti":      {ExitHolds, []string{"safety:17  holds    all    steady"}},
		"200804-nonlin-int-arith-proof":    {ExitHolds, nil},
		"200818-immutable-modifies-clause": {ExitFile, []string{":9:12: error"}},
		"221230-appexpr-nnew":              {ExitHolds, nil},
		"221231-fly":                       {ExitHolds, nil},
		"231122-definition-shadowing":      {ExitFile, []string{":5:26: error"}},
		"250902-integer-theorems":          {ExitFile, []string{":3:22: error", ":3:28: error", ":4:22: error", ":4:28: error"}},
		"260207-incompatible-sort": {ExitSafety,
			[]string{"safety:23 is violated in state 1"}},
	} {
		t.Run("regression/"+name, func(t *testing.T) {
			code, out, errOut := prove(t, models+"regression/"+name+".pyv", "--all", "-q")
			if code != want.code {
				t.Errorf("exit code %d, want %d\n%s%s", code, want.code, out, errOut)
			}
			for _, text := range want.text {
				if !strings.Contains(out+errOut, text) {
					t.Errorf("it does not say %q:\n%s%s", text, out, errOut)
				}
			}
		})
	}
}

// mypyvy's bounded check of this file finds a run of four states; exploration finds it too.
func TestBoundedCheckOfRegression(t *testing.T) {
	path := testkit.Shared(t, "models", "mypyvy", "regression", "200209-bmc-state-order.pyv")
	var out, errOut bytes.Buffer
	if code := Main(t.Context(), []string{"check", "-q", path}, nil, &out, &errOut); code !=
		ExitSafety {
		t.Errorf("exit code %d", code)
	}
	for _, text := range []string{"4 states", "send_lock", "recv_lock", "recv_grant"} {
		if !strings.Contains(out.String(), text) {
			t.Errorf("it does not say %q:\n%s", text, &out)
		}
	}
}

// The exploration of the failure detector has the states and depths of the golden file.
func TestFailureDetectorCounts(t *testing.T) {
	text, err := os.ReadFile(testkit.Shared(t, "golden", "failure_detector.json"))
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Holds []struct {
			Delta, Phi, Distinct, Depth int
		} `json:"strong_accuracy_holds_timeout_6Phi_plus_Delta"`
		Violated []struct {
			Delta, Phi int
			States     int `json:"shortest_cex_states"`
			Through    int `json:"distinct_through_cex_level"`
		} `json:"strong_accuracy_violated_timeout_Delta_plus_1"`
	}
	if err := json.Unmarshal(text, &golden); err != nil {
		t.Fatal(err)
	}
	check := func(file string, delta, phi, wantCode, states, depth int) {
		t.Helper()
		var out, errOut bytes.Buffer
		code := Main(t.Context(), []string{
			"check", "-q", "--format", "json", "-p", "strong_accuracy", "-i",
			"Delta=" + strconv.Itoa(delta) + ",Phi=" + strconv.Itoa(phi),
			"../../examples/failure_detector/" + file,
		}, nil, &out, &errOut)
		var got struct {
			Results []struct {
				Property      string
				States, Depth int
			}
		}
		if err := json.Unmarshal(out.Bytes(), &got); err != nil || len(got.Results) != 1 {
			t.Fatalf("%v %s%s", err, &out, &errOut)
		}
		if r := got.Results[0]; code != wantCode || r.States != states || r.Depth != depth {
			t.Errorf("%s Delta %d Phi %d: exit code %d, %d states, depth %d; want %d, %d, %d",
				file, delta, phi, code, r.States, r.Depth, wantCode, states, depth)
		}
	}
	n := 0
	for _, g := range golden.Holds {
		if g.Distinct < 60_000 {
			check("strong_accuracy.ere", g.Delta, g.Phi, ExitHolds, g.Distinct, g.Depth)
			n++
		}
	}
	for _, g := range golden.Violated {
		if g.Through < 60_000 {
			check("small_timeout.ere", g.Delta, g.Phi, ExitSafety, g.Through, g.States)
			n++
		}
	}
	if n < 10 {
		t.Errorf("only %d golden figures were compared", n)
	}
}

// The exploration of the ring failure detector has as many states at each depth as the golden file
// says. There the depth of a state is counted in steps, from 1 on.
func TestRingDetectorCounts(t *testing.T) {
	text, err := os.ReadFile(testkit.Shared(t, "golden", "ring_detector.json"))
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		B struct {
			Cum      []int64
			Deadlock int `json:"first_deadlock_depth"`
		} `json:"appendix_A_type_B_buffer_1"`
		R struct {
			Cum9  int64 `json:"cum_9"`
			Cum10 int64 `json:"cum_10"`
		} `json:"appendix_A_type_R_buffer_1"`
		Minimised struct {
			Cum []int64
		} `json:"appendix_B_bisimulation_minimised_leaves_type_B_buffer_1"`
	}
	if err := json.Unmarshal(text, &golden); err != nil {
		t.Fatal(err)
	}
	if len(golden.B.Cum) != golden.B.Deadlock || len(golden.Minimised.Cum) == 0 {
		t.Fatalf("unexpected golden figures: %s", text)
	}
	for _, c := range []struct {
		file, instance, property string
		maxDepth                 int // in states, 0 for none
		code, depth              int
		cum                      []int64 // the last of the depths
	}{
		{"ring_detector.ere", "channel=B,forgets=false", "deadlock", 0, ExitDeadlock,
			golden.B.Deadlock, golden.B.Cum},
		{"ring_detector.ere", "channel=R,forgets=false", "no_overflow", 0, ExitSafety, 9,
			append(slices.Clone(golden.B.Cum[:8]), golden.R.Cum9)},
		{"ring_detector.ere", "channel=R,forgets=false", "deadlock", 11, ExitUnknown, 10,
			append(slices.Clone(golden.B.Cum[:8]), golden.R.Cum9, golden.R.Cum10)},
		{"ring_detector_fdr.ere", "channel=B,minimised=true,specified=false", "deadlock", 0,
			ExitDeadlock,
			len(golden.Minimised.Cum), golden.Minimised.Cum},
	} {
		var out, errOut bytes.Buffer
		code := Main(t.Context(), []string{
			"check", "-q", "--format", "json", "--levels", "-p", c.property, "-i", "last=2,buffer=1," + c.instance,
			"--max-depth", strconv.Itoa(c.maxDepth), "../../examples/larrea/" + c.file,
		}, nil, &out, &errOut)
		var got struct {
			Results []struct {
				States int64
				Depth  int
				Levels []int64
			}
		}
		if err := json.Unmarshal(out.Bytes(), &got); err != nil || len(got.Results) != 1 {
			t.Fatalf("%v %s%s", err, &out, &errOut)
		}
		r := got.Results[0]
		var cum []int64
		sum := int64(0)
		for _, n := range r.Levels {
			sum += n
			cum = append(cum, sum)
		}
		if code != c.code || r.Depth != c.depth+1 || r.States != sum ||
			!slices.Equal(cum[1:], c.cum) {
			t.Errorf("%s %s %s: exit code %d, %d states, depth %d, up to each depth %d; want exit code %d, depth %d, %d",
				c.file, c.instance, c.property, code, r.States, r.Depth-1, cum[1:], c.code, c.depth,
				c.cum)
		}
	}
}

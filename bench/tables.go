package main

import (
	"fmt"
	"slices"
)

// table is a table of a paper, or one of erelong's own.
type table struct {
	Name, Title string
	Paper       []string // headings of the columns beside ours: mostly other tools' figures
	Rows        []row
	Inside      bool   // it needs a program with z3 inside (make build-embed)
	Ratio       bool   // Paper[0] is the CPU time, where that of the last row with Reaches is 1
	Clone       *clone // of the repositories that have its files, nil for none
	Long        bool   // it takes minutes and gigabytes, so it runs only when it is named
	// Own measures a table that has no rows of its own.
	Own func(program string, at *places) ([]Measured, error)
}

// row is one run, with its known results; zero or empty means unknown.
type row struct {
	Name                       string
	Args                       []string
	Verdict                    string
	States, Transitions, Depth int64
	Paper                      []string
	Reaches                    bool      // of a table with Ratio: its time is 1
	Live                       *protocol // nil for what is not about liveness
	Spin                       *spun     // a run of Spin that is measured beside it, nil for none
	// run on a copy of the file that has only its properties left
	Stripped bool
	Without  string    // taken away for a row about liveness: hintsOnly, allHelp, or nothing
	Of       *protocol // of a row with Without: the protocol
}

const detector = "examples/failure_detector/"

// holds is a row of the failure detector with timeout 6 Phi + Delta.
func holds(delta, phi int, states, transitions, depth int64, paper ...string) row {
	return row{
		Name: fmt.Sprintf("Delta %d, Phi %d, predicate", delta, phi),
		Args: []string{"check", detector + "strong_accuracy.ere", "-p", "strong_accuracy", "-i",
			fmt.Sprintf("Delta=%d,Phi=%d", delta, phi)},
		Verdict: "holds", States: states, Transitions: transitions, Depth: depth, Paper: paper,
	}
}

// violated is a row with timeout Delta + 1.
func violated(delta, phi int, states, depth int64, paper ...string) row {
	return row{
		Name: fmt.Sprintf("Delta %d, Phi %d, predicate", delta, phi),
		Args: []string{"check", detector + "small_timeout.ere", "-p", "strong_accuracy", "-i",
			fmt.Sprintf("Delta=%d,Phi=%d", delta, phi)},
		Verdict: "violated", States: states, Depth: depth, Paper: paper,
	}
}

// ratesOfOthers are the states a CPU second of TLC and of Spin on the failure detector.
var ratesOfOthers = []string{"0.15M to 0.21M", "3.0M, breadth 1.6M"}

// packed is a row with the packed store.
func packed(r row) row {
	r.Args = append(slices.Clone(r.Args), "--store", "packed")
	return r
}

// counter is a row of the counter encoding.
func counter(delta, phi, timeout int, verdict string, states, depth int64, paper ...string) row {
	return row{
		Name: fmt.Sprintf("Delta %d, Phi %d, counter", delta, phi),
		Args: []string{"check", detector + "counter.ere", "-p", "strong_accuracy", "-i",
			fmt.Sprintf("Delta=%d,Phi=%d,oldest=%d,initial_timeout=%d", delta, phi, 1<<delta,
				timeout)},
		Verdict: verdict, States: states, Depth: depth, Paper: paper,
	}
}

// fischer is a row of Fischer's protocol with the given number of processes.
func fischer(name, processes, query, verdict string, zones int64) row {
	args := []string{"verify", "examples/timed/fischer.xta", "--query",
		"examples/timed/fischer_liveness.q", "--instance", "N=" + processes, "-p", query}
	return row{Name: name, Args: args, Verdict: verdict, States: zones}
}

// timed is a row of a model with which timed automata are measured, with the given number of
// processes.
func timed(name, file string, processes int, query string, zones int64, tchecker string) row {
	return row{
		Name: fmt.Sprintf("%s %d", name, processes),
		Args: []string{"verify", "examples/timed/" + file + ".xta", "--instance",
			fmt.Sprintf("N=%d", processes), "-p", query, "--threads", "1"},
		Verdict: "holds", States: zones, Paper: []string{tchecker},
	}
}

const (
	inTheSection = "A[] not (P(1).cs and P(2).cs)"
	onTheBus     = "A[] not (Station(1).Start and Station(1).x >= 2 * SIGMA and Station(2).Start)"
	withTheToken = "A[] not ((Station(1).q1 or Station(1).q2 or Station(1).q3) and " +
		"(Station(2).q1 or Station(2).q2 or Station(2).q3))"
)

// conditions is a row about many conditions of strong fairness.
func conditions(name, instance, property, verdict string, states int64) row {
	return row{
		Name: name,
		Args: []string{"check", "bench/models/bits.ere", "-p", property, "-i", instance,
			"--threads", "1"},
		Verdict: verdict, States: states,
	}
}

// threads is a row of the comparison of threads.
func threads(n int) row {
	r := holds(16, 16, 18_187_493, 22_985_580, 687, ratesOfOthers...)
	r.Name, r.Args = fmt.Sprintf("threads %d", n), append(r.Args, "--threads", fmt.Sprint(n))
	return r
}

// bounded makes a row of one that explores: the same instance, searched by a solver in runs of as
// many states.
func bounded(r row, apalache string) row {
	r.Args = append(slices.Clone(r.Args), "--depth", fmt.Sprint(r.Depth-1))
	r.Args[0] = "bmc"
	if r.Verdict == "holds" {
		r.Verdict = "holds up to k"
	}
	r.States, r.Transitions, r.Paper = 0, 0, []string{apalache}
	return r
}

// inductive is a row of Table 3.
func inductive(name, file string, delta, phi int, states int64, paper ...string) row {
	return row{
		Name: fmt.Sprintf("%s (%d, %d)", name, delta, phi),
		Args: []string{"check", detector + file, "-p", "inductive", "-i",
			fmt.Sprintf("Delta=%d,Phi=%d", delta, phi)},
		Verdict: "holds", States: states, Paper: paper,
	}
}

// proof is a row of Table 4, thrice. What cvc5 proves by itself is measured, not known; a low limit
// keeps it from trying long.
func proof(name, file, paper string) []row {
	args := []string{"prove", detector + file, "--cache=off"}
	return []row{
		{Name: name, Args: args, Verdict: "holds", Paper: []string{paper}},
		{Name: "  z3 alone", Args: append(slices.Clone(args), "--solver", "z3"), Verdict: "holds",
			Paper: []string{paper}},
		{Name: "  cvc5 alone",
			Args:  append(slices.Clone(args), "--solver", "cvc5", "--rlimit", "3000000"),
			Paper: []string{paper}},
	}
}

var tables = []table{
	{
		Name: "table1",
		Title: "Table 1: Strong Accuracy holds. (The paper's row 4, 5 is in truth 4, 6; so both " +
			"are here.)",
		Paper: []string{"TLC", "Apalache", "FAST"},
		Rows: []row{
			holds(2, 4, 10_158, 12_194, 176, "3s, 10.2K", "8m", "-"),
			counter(2, 4, 26, "holds", 10_158, 176, "3s, 10.2K", "9m", "16m"),
			holds(4, 4, 16_590, 20_088, 183, "3s, 16.6K", "12m", "-"),
			counter(4, 4, 28, "holds", 16_590, 183, "3s, 16.6K", "35m", "TO (6h)"),
			holds(4, 5, 28_492, 34_850, 225, "", "TO (6h)", "-"),
			counter(4, 5, 34, "holds", 28_492, 225, "", "TO (6h)", "TO (6h)"),
			holds(4, 6, 44_733, 55_094, 267, "3s, 44.7K", "", "-"),
			counter(4, 6, 40, "holds", 44_733, 267, "3s, 44.7K", "", ""),
		},
	},
	{
		Name: "table2",
		Title: "Table 2: Strong Accuracy is violated with timeout Delta + 1. (TLC's counts come " +
			"from a parallel search.)",
		Paper: []string{"TLC", "Apalache", "FAST"},
		Rows: []row{
			violated(2, 4, 1_059, 43, "1s, 840 states", "11s", "-"),
			counter(2, 4, 3, "violated", 1_059, 43, "1s, 945 states", "12s", "10m"),
			violated(4, 4, 1_115, 43, "2s, 1.3K states", "15s", "-"),
			counter(4, 4, 5, "violated", 1_115, 43, "2s, 2.4K states", "16s", "TO (6h)"),
			violated(20, 20, 15_325_296, 169, "TO (6h)", "1h15m", "TO (6h)"),
		},
	},
	{
		Name: "bounded",
		Title: "Tables 1 and 2 by bounded symbolic search, without exploring a state, to the " +
			"same depths",
		Paper: []string{"Apalache"},
		Rows: []row{
			bounded(holds(2, 4, 0, 0, 176), "8m"),
			bounded(counter(2, 4, 26, "holds", 0, 176), "9m"),
			bounded(holds(4, 4, 0, 0, 183), "12m"),
			bounded(counter(4, 4, 28, "holds", 0, 183), "35m"),
			bounded(holds(4, 5, 0, 0, 225), "TO (6h), 222"),
			bounded(counter(4, 5, 34, "holds", 0, 225), "TO (6h), 223"),
			bounded(holds(4, 6, 0, 0, 267), ""),
			bounded(counter(4, 6, 40, "holds", 0, 267), ""),
			bounded(violated(2, 4, 0, 43), "11s"),
			bounded(counter(2, 4, 3, "violated", 0, 43), "12s"),
			bounded(violated(4, 4, 0, 43), "15s"),
			bounded(counter(4, 4, 5, "violated", 0, 43), "16s"),
			bounded(violated(20, 20, 0, 169), "1h15m"),
		},
	},
	{
		Name: "table3",
		Title: "Table 3: inductive invariants, all states that satisfy them explored one round " +
			"further",
		Paper: []string{"TLC", "Apalache"},
		Rows: []row{
			inductive("Strong Accuracy", "inductive.ere", 4, 10, 5_787_038),
			inductive("Strong Accuracy", "inductive.ere", 4, 40, 347_265_128, "33m, 347.3M", "12s"),
			inductive("Strong Completeness", "completeness_inductive.ere", 4, 10, 13_357_758,
				"44m, 13.4M", "17s"),
		},
	},
	{
		Name: "larger",
		Title: "Strong Accuracy at larger bounds, by exploration, beside the states a CPU second " +
			"that others had on this system",
		Paper: []string{"TLC", "Spin"},
		Rows: []row{
			holds(8, 8, 254_309, 314_847, 344, ratesOfOthers...),
			holds(10, 10, 798_698, 994_245, 435, ratesOfOthers...),
			holds(4, 20, 1_087_397, 1_376_544, 855, ratesOfOthers...),
			holds(12, 12, 2_324_722, 2_907_179, 505, ratesOfOthers...),
			holds(4, 30, 3_407_917, 4_334_764, 1275, ratesOfOthers...),
			holds(16, 16, 18_187_493, 22_985_580, 687, ratesOfOthers...),
		},
	},
	{
		Name:  "threads",
		Title: "The same search on one and on two threads: Delta 16, Phi 16",
		Paper: []string{"TLC", "Spin"},
		Rows:  []row{threads(1), threads(2)},
	},
	{
		Name:  "memory",
		Title: "The same search with the packed store; see B/state of the table before",
		Paper: []string{"TLC", "Spin"},
		Rows: []row{packed(holds(16, 16, 18_187_493, 22_985_580, 687, "",
			"90 to 100 B/state"))},
	},
	{
		Name:  "twophase",
		Title: "Two-phase commit with 8 resource managers, without symmetry",
		Paper: []string{"TLC"},
		Rows: []row{{
			Name: "8 resource managers",
			Args: []string{"check", "examples/two_phase_commit.ere", "-p", "consistent", "-i",
				"rm=8"},
			Verdict: "holds", States: 1_745_408, Paper: []string{"0.052M states/cpu s"},
		}},
	},
	{
		Name: "spin",
		Title: "A lock of 16 processes beside Spin on the same model: its states (of the product " +
			"for LTL), CPU seconds, and states a CPU second",
		Paper: []string{"Spin"},
		Rows: []row{
			locked("states", "mutex", &spun{}),
			locked("LTL", "works", &spun{define: []string{"-DWORKS"}, ltl: true}),
		},
	},
	{
		Name:  "strong",
		Title: "Temporal properties under many conditions of strong fairness",
		Rows: []row{
			conditions("12 conditions", "twelve", "turns", "holds", 1_572_864),
			conditions("  violated near the begin", "twelve", "meet", "violated", 22_860),
			conditions("30 conditions", "thirty", "turns", "holds", 1_572_864),
			conditions("  violated near the begin", "thirty", "meet", "violated", 22_860),
		},
	},
	wideTable,
	ringDepths,
	ringDeep,
	ringStates,
	ringAutomata,
	{
		Name: "timed",
		Title: "Timed automata: zones kept, beside TChecker's stored zones and CPU seconds (0.8, " +
			"ExtraLU+; FDDI depth-first)",
		Paper: []string{"TChecker"},
		Rows: []row{
			timed("Fischer", "fischer", 6, inTheSection, 2_378, "2,378, 0.04s"),
			timed("Fischer", "fischer", 8, inTheSection, 25_080, "25,080, 1.05s"),
			timed("Fischer", "fischer", 10, inTheSection, 260_998, "260,998, 25.6s"),
			timed("CSMA/CD", "csma_cd", 6, onTheBus, 2_669, "2,594, 0.03s"),
			timed("CSMA/CD", "csma_cd", 8, onTheBus, 21_179, "20,738, 0.52s"),
			timed("CSMA/CD", "csma_cd", 10, onTheBus, 147_193, "144,898, 6.45s"),
			timed("FDDI", "fddi", 10, withTheToken, 459, "525, 0.19s"),
			timed("FDDI", "fddi", 14, withTheToken, 867, "1,013, 0.78s"),
			timed("FDDI", "fddi", 20, withTheToken, 1_719, "not in 248s, breadth"),
		},
	},
	{
		Name:  "fischer",
		Title: "Fischer's protocol as timed automata: liveness and deadlocks beside reachability",
		Paper: []string{timesReachability}, Ratio: true,
		Rows: []row{
			reaches(fischer("reachability, 8 processes", "8", "A[] not (P(1).cs and P(2).cs)",
				"holds", 25_080)),
			fischer("  deadlock", "8", noDeadlock, "holds", 25_080),
			fischer("  writes in time", "8", "P(1).req --> P(1).wait", "holds", 70_958),
			fischer("  gets there", "8", "P(1).req --> P(1).cs", "violated", 0),
		},
	},
	timedLive,
	ringAutomataLong,
	{
		Name: "table4",
		Title: "Table 4: inductive invariants for every Delta and Phi, each row by whichever " +
			"solver answers and by each alone",
		Paper: []string{"Ivy"},
		Rows: slices.Concat(
			proof("1 Strong Accuracy", "whole_rounds.ere", "4s"),
			proof("1 in sub-rounds", "strong_accuracy.ere", "4s"),
			proof("2 Eventual Strong Accuracy", "eventual_accuracy.ere", "4s"),
			proof("3 Completeness, fixed", "completeness_fixed_timeout.ere", "8s"),
			proof("4 Completeness, large", "completeness_large_timeout.ere", "22s"),
			proof("5 Completeness, any", "completeness.ere", "44s"),
		),
	},
	forteFast,
	forteIvy,
	{
		Name: "liveness",
		Title: "Liveness by ranking functions: the protocols of Yao et al. (POPL 2024), hints " +
			"as in Table 4, seconds of each stage as in Table 5",
		Rows: live(),
	}, {
		Name: "unaided",
		Title: "Liveness without hints, and without invariants as well; hints and seconds of the " +
			"paper. It takes up to ten minutes a row",
		Rows: unaided(),
		Long: true,
	}, {
		Name: "infer",
		Title: "Invariants that are found, for files with only their properties left; seconds " +
			"of others. It takes up to ten minutes a row",
		Paper: []string{"P-FOL-IC3", "prototype"},
		Rows:  inferences(),
		Long:  true,
	}, {
		Name: "unseen",
		Title: "Invariants of protocols that nobody here had seen, with only their properties " +
			"left. It takes up to five minutes a row",
		Paper: []string{"", ""},
		Rows:  unseen("infer", "safety/*.ere", "tla-by-hand/noinv_*.ere"),
		Long:  true,
	}, {
		Name: "unseen-live",
		Title: "Liveness of protocols that nobody here had seen, without a hint. It takes up to " +
			"five minutes a row",
		Rows: unseen("live", "live/*.ere"),
		Long: true,
	}, {
		Name: "inside",
		Title: "z3 inside the program, beside the one that is installed (the first row starts " +
			"it; the code is compiled once for each machine)",
		Inside: true,
		Rows: slices.Concat(
			[]row{{Name: "first answers",
				Args: []string{"prove", detector + "whole_rounds.ere", "-p", "range:sender_timer",
					"--cache=off", "--solver", "z3-wasm"}, Verdict: "holds"}},
			inside("Strong Accuracy", detector+"strong_accuracy.ere"),
			inside("Eventual Strong Accuracy", detector+"eventual_accuracy.ere"),
			inside("Completeness, any", detector+"completeness.ere"),
			inside("two-phase commit", "examples/two_phase_commit.ere"),
			inside("lease", "examples/lease.ere"),
		),
	}, {
		Name: mypyvyTable,
		Title: "CPU time of erelong prove beside mypyvy verify and fbii, on mypyvy's examples " +
			"(-mypyvy FOLDER)",
		Long: true,
		Own:  versusMypyvy,
	}, {
		Name: tlaTable,
		Title: "Models in TLA+, tlaplus/Examples and the ones of the failure detector's authors, " +
			"beside TLC's figures (-tla FOLDER -forte FOLDER -tlc CLASSPATH -limit 40s)",
		Long: true,
		Own:  versusTLC,
	}, {
		Name: tlapsTable,
		Title: "Modules in TLA+ that have proofs for TLAPS, proved without these proofs " +
			"(-tla FOLDER -limit 60s)",
		Long: true,
		Own:  versusTLAPS,
	}, {
		Name: thresholdTable,
		Title: "Threshold automata of ByMC's benchmarks, for all values of the parameters " +
			"(-automata FOLDER -limit 60s)",
		Long: true,
		Own:  versusByMC,
	},
}

// inside is a proof by z3 inside the program, and by the one that is installed.
func inside(name, file string) []row {
	args := []string{"prove", file, "--cache=off", "--solver"}
	return []row{
		{Name: name, Args: append(slices.Clone(args), "z3-wasm"), Verdict: "holds"},
		{Name: "  z3", Args: append(slices.Clone(args), "z3"), Verdict: "holds"},
	}
}

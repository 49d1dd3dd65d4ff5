package main

import "fmt"

// table is a table of a paper, or one of ours.
type table struct {
	Name, Title string
	Paper       []string // headings of the columns with other tools' figures
	Rows        []row
}

// row is one run, with what is known to be right; zero means not known.
type row struct {
	Name                       string
	Args                       []string
	Verdict                    string
	States, Transitions, Depth int64
	Paper                      []string
}

const detector = "examples/failure_detector/"

// holds is a row of the failure detector with timeout 6 Phi + Delta.
func holds(delta, phi int, states, transitions, depth int64, paper ...string) row {
	return row{
		Name:    fmt.Sprintf("Delta %d, Phi %d, predicate", delta, phi),
		Args:    []string{"check", detector + "strong_accuracy.ere", "-p", "strong_accuracy", "-i", fmt.Sprintf("Delta=%d,Phi=%d", delta, phi)},
		Verdict: "holds", States: states, Transitions: transitions, Depth: depth, Paper: paper,
	}
}

// violated is a row with timeout Delta + 1.
func violated(delta, phi int, states, depth int64, paper ...string) row {
	return row{
		Name:    fmt.Sprintf("Delta %d, Phi %d, predicate", delta, phi),
		Args:    []string{"check", detector + "small_timeout.ere", "-p", "strong_accuracy", "-i", fmt.Sprintf("Delta=%d,Phi=%d", delta, phi)},
		Verdict: "violated", States: states, Depth: depth, Paper: paper,
	}
}

// counter is a row of the counter encoding.
func counter(delta, phi, timeout int, verdict string, states, depth int64, paper ...string) row {
	return row{
		Name: fmt.Sprintf("Delta %d, Phi %d, counter", delta, phi),
		Args: []string{"check", detector + "counter.ere", "-p", "strong_accuracy", "-i",
			fmt.Sprintf("Delta=%d,Phi=%d,oldest=%d,initial_timeout=%d", delta, phi, 1<<delta, timeout)},
		Verdict: verdict, States: states, Depth: depth, Paper: paper,
	}
}

// threads is a row of the comparison of threads.
func threads(n int) row {
	r := holds(16, 16, 18_187_493, 22_985_580, 687)
	r.Name, r.Args = fmt.Sprintf("threads %d", n), append(r.Args, "--threads", fmt.Sprint(n))
	return r
}

// inductive is a row of Table 3.
func inductive(name, file string, delta, phi int, states int64, paper ...string) row {
	return row{
		Name:    fmt.Sprintf("%s (%d, %d)", name, delta, phi),
		Args:    []string{"check", detector + file, "-p", "inductive", "-i", fmt.Sprintf("Delta=%d,Phi=%d", delta, phi)},
		Verdict: "holds", States: states, Paper: paper,
	}
}

var tables = []table{
	{
		Name:  "table1",
		Title: "Table 1: Strong Accuracy holds. (The paper's row 4, 5 is in truth 4, 6; so both are here.)",
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
		Name:  "table2",
		Title: "Table 2: Strong Accuracy is violated with timeout Delta + 1. (TLC's counts are those of a parallel search.)",
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
		Name:  "table3",
		Title: "Table 3: inductive invariants, all states that satisfy them explored one round further",
		Paper: []string{"TLC", "Apalache"},
		Rows: []row{
			inductive("Strong Accuracy", "inductive.ere", 4, 40, 347_265_128, "33m, 347.3M", "12s"),
			inductive("Strong Completeness", "completeness_inductive.ere", 4, 10, 13_357_758, "44m, 13.4M", "17s"),
		},
	},
	{
		Name:  "larger",
		Title: "Strong Accuracy at larger bounds, by exploration",
		Rows: []row{
			holds(8, 8, 254_309, 314_847, 344),
			holds(10, 10, 798_698, 994_245, 435),
			holds(4, 20, 1_087_397, 1_376_544, 855),
			holds(12, 12, 2_324_722, 2_907_179, 505),
			holds(4, 30, 3_407_917, 4_334_764, 1275),
			holds(16, 16, 18_187_493, 22_985_580, 687),
		},
	},
	{
		Name:  "threads",
		Title: "The same search on one and on two threads: Delta 16, Phi 16",
		Rows:  []row{threads(1), threads(2)},
	},
	{
		Name:  "twophase",
		Title: "Two-phase commit with 8 resource managers, without symmetry",
		Paper: []string{"TLC"},
		Rows: []row{{
			Name: "8 resource managers", Args: []string{"check", "examples/two_phase_commit.ere", "-p", "consistent", "-i", "rm=8"},
			Verdict: "holds", States: 1_745_408, Paper: []string{"0.052M states/cpu s"},
		}},
	},
	{
		Name:  "table4",
		Title: "Table 4, row 1, for every Delta and Phi: Strong Accuracy by its inductive invariant",
		Paper: []string{"Ivy"},
		Rows: []row{
			{Name: "sub-rounds", Args: []string{"prove", detector + "strong_accuracy.ere", "-p", "strong_accuracy"}, Verdict: "holds", Paper: []string{"4s"}},
			{Name: "whole rounds", Args: []string{"prove", detector + "whole_rounds.ere", "-p", "strong_accuracy"}, Verdict: "holds", Paper: []string{"4s"}},
		},
	},
}

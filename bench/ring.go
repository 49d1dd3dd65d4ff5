package main

import "strings"

// Queries of the ring failure detectors.
const (
	noDeadlock, noError = "A[] not deadlock", "A[] not Monitor.error"
	suspects            = "crashProc[1] --> L[0][1]" // weak completeness as liveness
	lateQuestion        = "A[] not (crashProc[1] and L[0][1] and Task2(0).stopSus and " +
		"Task2(0).q == 1 and Task2(0).MsgType == 0)" // figure 12 (b)
	lateReply = "A[] not (crashProc[1] and Task1(0).noReply and Task1(0).MyTarget == 1 and " +
		"Task2(0).wait and Task2(0).q == 1 and Task2(0).MsgType == 1)" // figure 12 (c)
)

// How a row of the ring failure detectors as timed automata relates to the paper's model.
const (
	printed  = "as printed"
	asText   = "as the text says"
	strictly = "altered: less than maxDelta"
	larger   = strictly + "; BUFFER 2 to 4 open"
	fig14    = "altered: figure 14 waits for trust"
)

// ring is a row of the ring failure detector with three processes.
func ring(
	name, file, instance, property, verdict string, states, transitions, depth int64,
	paper ...string,
) row {
	if file == "_fdr" && !strings.Contains(instance, "specified") {
		instance += ",specified=false"
	}
	return row{
		Name: name,
		Args: []string{"check", "examples/larrea/ring_detector" + file + ".ere", "-p", property,
			"-i", "last=2," + instance},
		Verdict: verdict, States: states, Transitions: transitions, Depth: depth, Paper: paper,
	}
}

// automata is a row of the ring failure detectors as timed automata. It counts zones, which are
// states where there is no clock. The paper's verdict comes first, then whether process 1 is silent
// before it crashes, and last how the model relates to the paper's.
func automata(
	name, file, instance, query, verdict string, states int64, paper, reading string,
) row {
	args := []string{"verify", "examples/larrea/" + file + ".xta", "-p", query}
	if instance != "" {
		args = append(args, "--instance", instance)
	}
	early := "-"
	if strings.Contains(instance, "EARLY=true") ||
		file == "timeouts" && !strings.Contains(instance, "EARLY=false") {
		early = "only with EARLY"
	}
	return row{Name: name, Args: args, Verdict: verdict, States: states,
		Paper: []string{paper, early, reading}}
}

// deep is a row that is searched depth-first.
func deep(r row) row {
	r.Args = append(r.Args, "--search", "dfs")
	return r
}

// ringDepths counts the states up to an error. A search that ends at the first error stops in the
// midst of a depth, so a figure of the paper lies between two depths.
var ringDepths = table{
	Name: "ring",
	Title: "Ring failure detector, three processes, up to the first deadlock (B) or overflow " +
		"(R), and all states (I). Of the paper's figures a search\n" +
		"that ends in the midst of a depth explains the ones between two depths. Only process 1 " +
		"may crash, so two processes are correct.",
	Paper: []string{"mCRL2", "FDR2", "states before that depth"},
	Rows: []row{
		ring("B", "", "buffer=1,channel=B,forgets=false", "deadlock", "violated", 1_365_150, 0,
			21, "588.6K, 44s", "", "909,922: does not fit"),
		ring("R", "", "buffer=1,channel=R,forgets=false", "no_overflow", "violated", 5_321, 0, 10,
			"6,630, 6s", "", "one depth later 9,987"),
		ring("R, buffers of two", "", "buffer=2,channel=R,forgets=false", "no_overflow",
			"violated", 264_903, 0, 17, "314,951, 33s", "", "one depth later 430,851"),
		ring("B, minimised processes", "_fdr", "buffer=1,channel=B,minimised=true", "deadlock",
			"violated", 213_683, 0, 19, "", "167,388, 1s", "150,386"),
		ring("R, minimised processes", "_fdr", "buffer=1,channel=R,minimised=true",
			"no_overflow", "violated", 4_050, 0, 10, "", "2,401, 0s", "2,211"),
		ring("R, minimised, buffers of two", "_fdr", "buffer=2,channel=R,minimised=true",
			"no_overflow", "violated", 120_126, 0, 17, "", "83,437, 0s", "78,494"),
		ring("B, minimised, buffers of two", "_fdr", "buffer=2,channel=B,minimised=true",
			"deadlock", "violated", 8_365_640, 0, 29, "", "6,230,100, 70s", "6,218,289"),
		ring("appendix B's Spec1, B", "_fdr", "buffer=1,channel=B,minimised=true,specified=true",
			"at_most_twice", "violated", 253_221, 0, 19, "", "counterexample"),
		ring("appendix B's Spec1, I", "_fdr", "buffer=1,channel=I,minimised=true,specified=true",
			"at_most_twice", "violated", 184_398, 0, 18, "", ""),
		ring("I, minimised processes", "_fdr", "buffer=1,channel=I,minimised=true", "deadlock",
			"holds", 15_128_466, 79_241_228, 61, "", ""),
	},
}

var ringDeep = table{
	Name:  "ring_deep",
	Title: "Ring failure detector, three processes, up to a deadlock that is deep",
	Paper: []string{"mCRL2", "FDR2", "states before that depth"},
	Long:  true,
	Rows: []row{
		ring("B, buffers of two", "", "buffer=2,channel=B,forgets=false", "deadlock", "violated",
			76_160_441, 0, 31, "30.2M, 42m43s", "", "54,620,293: does not fit"),
	},
}

var ringStates = table{
	Name: "ring_long",
	Title: "Ring failure detector, channels of type I, all states (the paper prints 385.9M, " +
		"which is the count of appendix A, for FDR2)",
	Paper: []string{"mCRL2", "FDR2"},
	Long:  true,
	Rows: []row{
		ring("processes as they are", "_fdr", "buffer=1,channel=I,minimised=false", "deadlock",
			"holds", 50_358_577, 240_958_016, 65, "", ""),
		ring("messages forgotten", "", "buffer=1,channel=I,forgets=true", "deadlock", "holds",
			148_351_757, 1_069_948_742, 82, "", ""),
		ring("appendix A", "", "buffer=1,channel=I,forgets=false", "deadlock", "holds",
			385_861_073, 3_120_364_505, 82, "168.5M, 7h31m", "385.9M, 14h47m"),
	},
}

var ringAutomata = table{
	Name: "larrea",
	Title: "Ring failure detectors as timed automata: what section 5 of the analysis says, " +
		"for UPPAAL. With EARLY process 1 is silent before it crashes:\n" +
		"a row that holds says nothing of the other runs. Most deadlocks are sought depth-first.",
	Paper: []string{"UPPAAL", "runs", "the model"},
	Rows: []row{
		automata("figures 5 to 8 and 11", "figures", "", "A[] not Monitor.trusted", "violated", 0,
			"error", printed),
		deep(automata("  deadlock", "figures", "", noDeadlock, "violated", 0,
			"deadlock, 2.4M, 52s", printed)),
		automata("completeness, B", "weak_completeness", "", noDeadlock, "violated", 0,
			"deadlock, 2.4M, 52s", printed),
		deep(automata("  B, BUFFER 2", "weak_completeness", "BUFFER=2", noDeadlock, "violated",
			0, "deadlock, 184.5M, 71m", printed)),
		automata("  I", "weak_completeness", "EARLY=true,TYPE=I", noDeadlock, "holds", 306_579,
			"none, 711.4M, 6h44m", asText),
		deep(automata("  B, FIFO", "weak_completeness", "FIFO=true", noDeadlock, "violated", 0,
			"none", asText)),
		automata("  B, FIFO, full ones lose replies", "weak_completeness",
			"EARLY=true,FIFO=true,KEEPS_QUESTIONS=true", noDeadlock, "holds", 189_202, "none",
			"altered: fits the verdict; the paper does not say so"),
		automata("  R, overflow", "weak_completeness", "TYPE=R", "A[] not overflow", "violated",
			0, "overflow, 46.6K, 0s", asText),
		automata("  R, BUFFER 2, overflow", "weak_completeness", "TYPE=R,BUFFER=2",
			"A[] not overflow", "violated", 1_702_828, "overflow, 5.7M, 77s", asText),
		automata("  figure 12 (b)", "weak_completeness", "", lateQuestion, "violated", 0, "error",
			printed),
		automata("  figure 12 (c)", "weak_completeness", "", lateReply, "violated", 0, "error",
			printed),
		automata("  suspicion ends once", "weak_completeness", "", noError, "violated", 0,
			"error", "altered: figure 11 from the crash on"),
		automata("  twice, FIFO, N 2", "weak_completeness", "N=2,FIFO=true,OSCILLATIONS=2",
			noError, "violated", 0, "error", "altered: N, figure 11 from the crash on"),
		automata("  thrice, FIFO, N 2", "weak_completeness", "N=2,FIFO=true,OSCILLATIONS=3",
			noError, "holds", 7_939, "implied", "altered: N, figure 11 from the crash on"),
		automata("  thrice, FIFO, N 2", "weak_completeness",
			"N=2,FIFO=true,OSCILLATIONS=3,PRINTED=true", noError, "holds", 8_293, "implied",
			"altered: N"),
		automata("  thrice, FIFO", "weak_completeness",
			"EARLY=true,FIFO=true,OSCILLATIONS=3,PRINTED=true", noError, "holds", 176_729,
			"implied", printed),
		automata("  suspected, B", "timeouts", "ALGORITHM=STRONG_ACCURACY,EAGER=true", suspects,
			"holds", 203_344, "holds", "altered: liveness; tasks are eager"),
		automata("  suspected, FIFO", "timeouts", "ALGORITHM=STRONG_ACCURACY,FIFO=true,EAGER=true",
			suspects, "holds", 107_900, "holds", "altered: liveness; tasks are eager"),
		automata("  suspected, FIFO", "timeouts", "ALGORITHM=STRONG_ACCURACY,FIFO=true",
			suspects, "violated", 0, "holds", "altered: liveness"),
		deep(automata("weak accuracy, B", "timeouts", "EARLY=false", noDeadlock, "violated", 0,
			"deadlock", strictly)),
		deep(automata("  FIFO", "timeouts", "EARLY=false,FIFO=true", noDeadlock, "violated", 0,
			"none", strictly)),
		deep(automata("  FIFO, BUFFER 3", "timeouts", "EARLY=false,FIFO=true,BUFFER=3",
			noDeadlock, "violated", 0, "none", strictly)),
		automata("  FIFO, BUFFER 4, p0 leads", "timeouts", "FIFO=true,BUFFER=4,initial_cand=0",
			noDeadlock, "holds", 0, "none", strictly),
		deep(automata("  BUFFER 4, p0 leads", "timeouts", "EARLY=false,BUFFER=4,initial_cand=0",
			noDeadlock, "violated", 0, "deadlock", strictly)),
		automata("  FIFO, figure 14", "timeouts", "FIFO=true,PRINTED=true", noError, "violated",
			0, "holds", printed),
		automata("  FIFO, monitor", "timeouts", "FIFO=true", noError, "holds", 302_472, "holds",
			fig14+"; "+strictly),
		automata("  FIFO, monitor, at most", "timeouts", "FIFO=true,AT_MOST=true", noError,
			"violated", 0, "holds", fig14),
		deep(automata("strong accuracy, B", "timeouts", "EARLY=false,ALGORITHM=STRONG_ACCURACY",
			noDeadlock, "violated", 0, "deadlock", strictly)),
		automata("  FIFO", "timeouts", "ALGORITHM=STRONG_ACCURACY,FIFO=true", noDeadlock, "holds",
			103_087, "none", strictly),
		automata("  FIFO, figure 15", "timeouts", "ALGORITHM=STRONG_ACCURACY,FIFO=true", noError,
			"holds", 103_087, "holds", strictly),
		automata("  FIFO, figure 15, at most", "timeouts",
			"ALGORITHM=STRONG_ACCURACY,FIFO=true,AT_MOST=true", noError, "violated", 0, "holds",
			printed),
		deep(automata("strong completeness, B", "timeouts",
			"EARLY=false,ALGORITHM=STRONG_COMPLETENESS", noDeadlock, "violated", 0, "deadlock",
			strictly)),
		automata("  FIFO", "timeouts", "ALGORITHM=STRONG_COMPLETENESS,FIFO=true", noDeadlock,
			"holds", 119_034, "none", strictly),
		automata("  FIFO, figure 16", "timeouts", "ALGORITHM=STRONG_COMPLETENESS,FIFO=true",
			noError, "holds", 119_034, "holds", strictly+"; its guard is never true"),
		automata("  is figure 16's guard true?", "timeouts",
			"ALGORITHM=STRONG_COMPLETENESS,FIFO=true", "E<> Monitor.most", "no run", 119_034,
			"not asked", strictly),
		automata("  at most", "timeouts", "ALGORITHM=STRONG_COMPLETENESS,FIFO=true,AT_MOST=true",
			"E<> Monitor.most", "holds", 0, "not asked", printed),
		automata("  FIFO, figure 16, at most", "timeouts",
			"ALGORITHM=STRONG_COMPLETENESS,FIFO=true,AT_MOST=true", noError, "holds", 824_454,
			"holds", printed),
	},
}

var ringAutomataLong = table{
	Name:  "larrea_long",
	Title: "Ring failure detectors as timed automata, with more zones",
	Paper: []string{"UPPAAL", "runs", "the model"},
	Long:  true,
	Rows: []row{
		automata("completeness, I, BUFFER 2", "weak_completeness",
			"EARLY=true,TYPE=I,BUFFER=2", noDeadlock, "holds", 2_671_143, "none", asText),
		automata("weak accuracy, FIFO, BUFFER 4", "timeouts", "FIFO=true,BUFFER=4", noDeadlock,
			"holds", 0, "none", strictly),
		automata("  maxDelta 3, monitor", "timeouts", "FIFO=true,maxDelta=3", noError, "holds",
			1_103_590, "not shown", fig14+"; "+strictly),
		automata("strong accuracy, maxDelta 3", "timeouts",
			"ALGORITHM=STRONG_ACCURACY,FIFO=true,maxDelta=3", noError, "holds", 1_515_533,
			"not shown", strictly),
		automata("strong completeness, maxDelta 3", "timeouts",
			"ALGORITHM=STRONG_COMPLETENESS,FIFO=true,maxDelta=3", noError, "holds", 1_721_257,
			"not shown", strictly),
		automata("strong accuracy, FIFO", "timeouts",
			"EARLY=false,ALGORITHM=STRONG_ACCURACY,FIFO=true", noDeadlock, "violated", 0, "none",
			larger),
		automata("strong completeness, FIFO", "timeouts",
			"EARLY=false,ALGORITHM=STRONG_COMPLETENESS,FIFO=true", noDeadlock, "violated", 0,
			"none", larger),
	},
}

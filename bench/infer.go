package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"erelong.dev/erelong/internal/front/ere/strip"
)

// othersModels is where the models of mypyvy are; they are no part of the project.
const othersModels = "../shared/models/mypyvy/examples/"

// solvedBy has the seconds that others need for models of mypyvy: P-FOL-IC3 (z3, two processors,
// 150 s), and a prototype of package infer for which templates and sizes were chosen by hand.
var solvedBy = map[string][2]string{
	"lockserv":                    {"7.9", "0.55"},
	"toy_consensus_forall":        {"1.6", "0.15"},
	"toy_consensus_epr":           {">150", "0.11"},
	"client_server_ae":            {"1.6", "0.11"},
	"client_server_db_ae":         {"13.4", "0.46"},
	"sharded_kv":                  {"3.5", "0.82"},
	"sharded_kv_no_lost_keys":     {"1.3", "-"},
	"ring_leader_election":        {"28.5", "1.3"},
	"ticket":                      {"54.6", "1.8"},
	"toy_leader_consensus_forall": {"27.3", "0.47"},
	"toy_leader_consensus_epr":    {">150", "0.55"},
	"learning_switch_forall":      {"58.7", "5.6"},
	"paxos_forall_choosable":      {"-", "3.7"},
	"paxos_epr":                   {">150", "33.5"},
	"flexible_paxos_epr":          {"-", "82"},
	"ironfleet_distributed_lock":  {"-", "failed"},
	"paxos_forall":                {"-", "failed"},
}

// inferences are the rows of the search for invariants: files with only their properties left.
func inferences() (out []row) {
	add := func(path, name string, options ...string) {
		paper := solvedBy[name]
		out = append(out, row{
			Name:  name,
			Args:  append([]string{"infer", path, "--cache=off", "--timeout", "10m"}, options...),
			Paper: paper[:], Stripped: true,
		})
	}
	add("examples/chandra_toueg.ere", "chandra_toueg")
	for _, p := range []string{"strong_accuracy", "eventual_strong_accuracy",
		"strong_completeness"} {
		add("examples/chandra_toueg.ere", "chandra_toueg, "+p, "-p", p)
	}
	for _, f := range []string{"whole_rounds", "strong_accuracy", "eventual_accuracy",
		"completeness", "completeness_fixed_timeout", "completeness_large_timeout",
		"stabilisation"} {
		add(detector+f+".ere", f)
	}
	add(detector+"stabilisation.ere", "stabilisation, eventual_strong_accuracy", "-p",
		"eventual_strong_accuracy")
	add(detector+"least_timeout.ere", "least_timeout", "-p",
		"strong_accuracy,eventual_strong_accuracy")
	for _, f := range []string{"lease", "two_phase_commit", "token_ring", "ticket_lock",
		"raft_election"} {
		add("examples/"+f+".ere", f)
	}
	others, err := filepath.Glob(othersModels + "*.pyv")
	if err != nil || len(others) == 0 {
		return out
	}
	for _, path := range others {
		add(path, filepath.Base(path[:len(path)-len(filepath.Ext(path))]))
	}
	return out
}

// unseenModels is where protocols are that other people wrote; they are no part of the project.
const unseenModels = "../shared/models/unseen/"

// unseen are the rows of a search on the files that match one of the patterns.
func unseen(command string, patterns ...string) (out []row) {
	for _, pattern := range patterns {
		files, err := filepath.Glob(unseenModels + pattern)
		if err != nil {
			panic(err) // a wrong pattern
		}
		for _, path := range files {
			out = append(out, row{
				Name:  strings.TrimSuffix(filepath.Base(path), ".ere"),
				Args:  []string{command, path, "--cache=off", "--timeout", "5m"},
				Paper: []string{"", ""}, Stripped: command == "infer",
			})
		}
	}
	return out
}

// stripped makes a copy of the file of a row without what helps a proof, or without the hints for
// liveness only, and gives the arguments with it.
func stripped(args []string, hints bool) (with []string, remove func(), err error) {
	text, err := os.ReadFile(args[1])
	if err != nil {
		return nil, nil, err
	}
	less, err := strip.Source(args[1], string(text), true)
	if hints {
		less, err = strip.Hints(args[1], string(text))
	}
	if err != nil {
		return nil, nil, fmt.Errorf("stripping %s: %w", args[1], err)
	}
	dir, err := os.MkdirTemp("", "erelong-bench")
	if err != nil {
		return nil, nil, err
	}
	path := filepath.Join(dir, filepath.Base(args[1]))
	return append([]string{args[0], path}, args[2:]...), func() { _ = os.RemoveAll(dir) },
		os.WriteFile(path, []byte(less), 0o644)
}

func inferRow(m Measured, paper []string) {
	lemmas := "-"
	if m.Verdict == "holds" {
		lemmas = strconv.Itoa(m.Lemmas)
	}
	fmt.Printf("%-36s %-14s %9.2f %7s %12s %10s\n", m.Row, m.Verdict, m.CPUSeconds, lemmas,
		paper[0], paper[1])
}

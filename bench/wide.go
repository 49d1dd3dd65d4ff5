package main

import "fmt"

// wideStates bounds the states of a row about wide states.
const wideStates = 400_000

// wide is a row about states of many bits, of which the first ones are explored.
func wide(name string, bits int, file, property, instance string) row {
	return row{
		Name: fmt.Sprintf("%s, %d bits", name, bits),
		Args: []string{"check", "examples/data/" + file + ".ere", "-p", property, "-i", instance,
			"--max-states", fmt.Sprint(wideStates), "--threads", "1"},
		Verdict: "holds up to k", States: wideStates,
	}
}

var wideTable = table{
	Name:  "wide",
	Title: "States of hundreds of bits, as structured data have them: the first 400,000",
	Rows: []row{
		wide("chain replication", 290, "chain_replication", "prefixes",
			"value=3,length=6,most=8"),
		wide("Lamport's mutual exclusion", 384, "lamport_mutex", "mutex", "process=4,latest=6"),
		wide("vector clocks", 496, "vector_clocks", "exact", "process=4,most=3"),
		wide("multi-Paxos", 526, "multi_paxos", "agreement", "node=3,value=2,slot=2,most=2"),
		wide("Raft with messages", 1734, "raft_messages", "one_leader",
			"server=3,value=2,last_term=2,longest=2"),
	},
}

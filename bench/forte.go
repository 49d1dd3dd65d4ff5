package main

import "slices"

// The models that the authors of the failure detector's verification published (FORTE 2021,
// banhday/FORTE2021-FD), with the figures of their Tables 1, 2 and 4.

var forteFast = table{
	Name: "fast",
	Title: "The authors' counter systems for FAST, as they are: fixed bounds, then every Phi " +
		"(-forte FOLDER)",
	Paper: []string{"FAST"},
	Clone: authors,
	Rows: []row{
		counterSystem("Delta 2, Phi 4", "Delta_2_Phi_4_bigTO_Regions", "holds", 10_158, "16m"),
		counterSystem("Delta 4, Phi 4", "Delta_4_Phi_4_bigTO_Regions", "holds", 16_590, "TO"),
		counterSystem("Delta 4, Phi 5", "Delta_4_Phi_5_bigTO_Regions", "holds", 28_492, "TO"),
		counterSystem("Delta 2, Phi 4, small timeout", "Delta_2_Phi_4_smallTO_Regions",
			"violated", 0, "10m"),
		counterSystem("Delta 4, Phi 4, small timeout", "Delta_4_Phi_4_smallTO_Regions",
			"violated", 0, "TO"),
		everyPhi("Delta 0, every Phi", "Delta_0_bigTO"),
		everyPhi("Delta 1, every Phi", "Delta_1_bigTO"),
		everyPhi("Delta 2, every Phi", "Delta_2_bigTO"),
	},
}

var forteIvy = table{
	Name:  "ivy",
	Title: "The authors' models for Ivy, as they are, with their invariants (-forte FOLDER)",
	Paper: []string{"Ivy"},
	Clone: authors,
	Rows: slices.Concat(
		encodings("Strong Accuracy", "fd_sa", "4s"),
		encodings("Eventual Strong Accuracy", "fd_esa", "4s"),
		encodings("Completeness, fixed", "fd_sc_fixed_timeout", "8s"),
		encodings("Completeness, large", "fd_sc_big_timeout", "22s"),
		encodings("Completeness, any", "fd_sc", "44s"),
	),
}

// counterSystem is a row of a model for FAST whose bounds are fixed. It is explored.
func counterSystem(name, file, verdict string, states int64, paper string) row {
	return row{Name: name, Verdict: verdict, States: states, Paper: []string{paper},
		Args: []string{"verify", "fast/sa_" + file + ".fst", "--cache=off"}}
}

// everyPhi is a row of a model for FAST where Phi is not fixed. It is proved.
func everyPhi(name, file string) row {
	return row{Name: name, Verdict: "holds", Paper: []string{"crash, 30m"},
		Args: []string{"infer", "fast/sa_" + file + ".fst", "--cache=off"}}
}

// encodings are the rows of one property, with the messages as a function and as a relation.
func encodings(name, file, paper string) []row {
	of := func(name, kind string) row {
		return row{Name: name, Verdict: "holds", Paper: []string{paper},
			Args: []string{"prove", "ivy/" + file + "_" + kind + ".ivy", "--cache=off"}}
	}
	return []row{of(name, "fnc"), of("  relation", "rel")}
}

package main

import "slices"

// timesReachability heads the CPU time of a row, where the time of reachability is 1.
const timesReachability = "x reachability"

// Liveness of other people's timed automata. Each model begins with a query of reachability that
// visits all zones.
var timedLive = table{
	Name: "timed-live",
	Title: "Liveness of other people's timed automata beside reachability on the same model " +
		"(-uppaal FOLDER)",
	Paper: []string{timesReachability}, Ratio: true, Clone: uppaal,
	Rows: slices.Concat(
		theirs("7_ground_station", "logicaUppaal/7_ground_station/7_ground_station.xml",
			asked{"A[] (Satellite.science imply Satellite.x<=60)", "holds", 27},
			asked{"Satellite.science --> Satellite.comm", "violated", 23},
			asked{"A<> Satellite.comm", "violated", 43},
		),
		theirs("query-semantics", "docs.uppaal.org/static/images/query-semantics.xml",
			asked{"A[] not Invariantly.Error", "holds", 45_962},
			asked{"E[] PotentiallyAlways.Busy", "holds", 161},
			asked{"E[] PotentiallyAlways.Future2", "no run", 0},
			asked{"A<> Eventually.good==1", "holds", 12_348},
			asked{"A<> Possibly.Possible3", "violated", 286},
			asked{"LeadsTo.Fault --> LeadsTo.Recover", "holds", 64_087},
			asked{"LeadsToBad.Fault --> LeadsToBad.Recover", "violated", 43_883},
		),
		theirs("train-gate", "utap/examples/train-gate.xml",
			asked{"A[] Gate.list[N] == 0", "holds", 12_955},
			asked{"Train(0).Appr --> Train(0).Cross", "holds", 12_955},
		),
		theirs("PrimerModelo", "TFG-UPPAAL/PrimerModelo.xml",
			asked{"A[] !(cochesEnCruce > 0 && metrosEnCruce > 0)", "holds", 8_797},
			asked{"A<> Coche1.Cruzando", "holds", 23},
			asked{"Metro1.Alarma --> Metro1.DentroCruce", "holds", 17_888},
			asked{"Coche1.Llegando --> Coche1.Cruzando", "holds", 22_268},
			asked{"SemaforoCoche1.Rojo --> SemaforoCoche1.Verde", "holds", 28_353},
		),
		theirs("TercerModeloReducido", "TFG-UPPAAL/TercerModeloReducido.xml",
			asked{"A[] !(cochesEnCruce > 0 && metrosEnCruce > 0)", "holds", 302_484},
			asked{"A<> Coche1.Cruzando", "holds", 190},
			asked{"Metro1.Alarma --> Metro1.DentroCruce", "holds", 431_674},
			asked{"Coche1.Llegando --> Coche1.Cruzando", "violated", 41_637},
			asked{"SemaforoCoche1.Rojo --> SemaforoCoche1.Verde", "holds", 492_120},
		),
	),
}

// asked is a query of a model, with what is known of the answer.
type asked struct {
	Query, Verdict string
	Zones          int64
}

// theirs are the rows of a model. The first query is reachability.
func theirs(model, file string, queries ...asked) []row {
	var rows []row
	for i, q := range queries {
		name := "  " + q.Query
		if width := 33; len(name) > width {
			name = name[:width-1] + "…"
		}
		r := row{Name: name, Verdict: q.Verdict, States: q.Zones,
			Args: []string{"verify", file, "-p", q.Query, "--threads", "1"}}
		if i == 0 {
			r.Name = model
			r = reaches(r)
		}
		rows = append(rows, r)
	}
	return rows
}

// reaches makes a row the one that the following rows compare themselves with.
func reaches(r row) row {
	r.Reaches = true
	return r
}

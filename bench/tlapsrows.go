package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

//go:embed tlaps-rows.txt
var tlapsCensus string

// tlapsRow is a row of the census of modules with proofs for TLAPS: one specification, with its
// copies and the file of its proofs.
type tlapsRow struct {
	// T a type, S safety, D lemmas about data, A a property of steps, R a refinement, L liveness
	proves string
	lines  int      // of the proof in TLAPS, without comments
	files  []string // by their names without extension
	// Steps are the claims of `prove` that are refinements or about steps; the others are safety. A
	// name stands for the one with _safety at its end, too.
	steps []string
}

// tlapsRows reads the census.
func tlapsRows(census string) (out []tlapsRow, err error) {
	for line := range strings.Lines(census) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		r := tlapsRow{proves: words[0]}
		if len(words) < 3 {
			return nil, fmt.Errorf("a row of the census without a file: %s", line)
		}
		if r.lines, err = strconv.Atoi(words[1]); err != nil {
			return nil, fmt.Errorf("the lines of a proof: %w", err)
		}
		r.files = words[2:]
		if i := slices.Index(r.files, "steps"); i >= 0 {
			r.files, r.steps = r.files[:i], r.files[i+1:]
		}
		out = append(out, r)
	}
	return out, nil
}

// isStep reports whether a claim is a refinement, or about steps.
func (r *tlapsRow) isStep(claim string) bool {
	return slices.Contains(r.steps, strings.TrimSuffix(claim, "_safety"))
}

// rowOf is the row of a file; nil if there is none.
func rowOf(rows []tlapsRow, file string) *tlapsRow {
	for i := range rows {
		if slices.Contains(rows[i].files, file) {
			return &rows[i]
		}
	}
	return nil
}

// hasSteps and isLive report whether the proof is of a refinement or of steps, and of what happens
// at some time.
func (r *tlapsRow) hasSteps() bool { return strings.ContainsAny(r.proves, "RA") }
func (r *tlapsRow) isLive() bool   { return strings.Contains(r.proves, "L") }

// outcome is what a program says of the claims of a file.
type outcome struct{ safety, steps, live tally }

// tally counts claims, and the ones that hold.
type tally struct{ claims, hold int }

func (t *tally) note(holds bool) {
	t.claims++
	if holds {
		t.hold++
	}
}

func (t *tally) add(other tally) {
	t.claims += other.claims
	t.hold += other.hold
}

func (t *tally) all() bool { return t.claims > 0 && t.hold == t.claims }

// sorted counts the claims of a file by what they are about. A claim holds if it is proved for all
// values of the constants.
func (r *tlapsRow) sorted(results []verdict) (o outcome) {
	var names []string
	holds, live := map[string]bool{}, map[string]bool{}
	for _, x := range results {
		if !slices.Contains(names, x.Property) {
			names = append(names, x.Property)
		}
		holds[x.Property] = holds[x.Property] || x.Verdict == "holds" && x.Scope == "all"
		live[x.Property] = x.Kind == "liveness" || x.Kind == "temporal"
	}
	for _, n := range names {
		switch {
		case live[n]:
			o.live.note(holds[n])
		case r.isStep(n):
			o.steps.note(holds[n])
		default:
			o.safety.note(holds[n])
		}
	}
	return o
}

// tlapsGoals are how many rows are proved: what is not about steps with the invariant of the
// module, and with what is found; what is about steps, by one of both; what happens at some time.
type tlapsGoals struct{ rows, given, found, steps, withSteps, live, withLive int }

// over adds up what a command says of the files of a row; false if a file has no report.
func (r *tlapsRow) over(by map[string]outcome) (sum outcome, ok bool) {
	for _, f := range r.files {
		o, ran := by[f]
		if !ran {
			return sum, false
		}
		sum.safety.add(o.safety)
		sum.steps.add(o.steps)
		sum.live.add(o.live)
	}
	return sum, true
}

// goals counts the rows of which all claims are proved in all files, by the commands' outcomes. A
// row that claims nothing but a refinement is proved where this is.
func goals(rows []tlapsRow, by map[string]map[string]outcome) (g tlapsGoals) {
	safe := func(o outcome, ok bool) bool {
		return ok && (o.safety.all() || o.safety.claims == 0 && o.steps.all())
	}
	steps := func(o outcome, ok bool) bool { return ok && o.steps.all() }
	live := func(o outcome, ok bool) bool { return ok && o.live.all() }
	count := func(n *int, yes bool) {
		if yes {
			*n++
		}
	}
	g.rows = len(rows)
	for _, r := range rows {
		count(&g.given, safe(r.over(by["prove"])))
		count(&g.found, safe(r.over(by["infer"])))
		count(&g.withSteps, r.hasSteps())
		count(&g.steps, r.hasSteps() && (steps(r.over(by["prove"])) || steps(r.over(by["infer"]))))
		count(&g.withLive, r.isLive())
		count(&g.live, r.isLive() && live(r.over(by["live"])))
	}
	return g
}

func (g tlapsGoals) String() string {
	return fmt.Sprintf("of %d rows: %d with the module's invariant, %d with nothing; of the %d "+
		"with refinements or steps %d, of the %d with liveness %d", g.rows, g.given, g.found,
		g.withSteps, g.steps, g.withLive, g.live)
}

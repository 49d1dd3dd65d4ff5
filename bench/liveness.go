package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/system"
)

// hintKinds are the kinds of guidance of Table 4, followed by erelong's own kinds. Choices, counts
// and integers are all variables there.
var hintKinds = []string{"variable", "bound", "contradiction", "delta", "tier", "case", "pending"}

// stageNames are the stages of Table 5 that both tools have. The paper's static analysis is part of
// the deltas here.
var stageNames = []string{"bounds", "contradictions", "deltas", "synthesis", "validation",
	"good-end", "no-deadlock"}

// protocol is a protocol of the paper on liveness, with its figures: the hints of Table 4 in the
// order of its kinds, and the times of Table 5 in the order of the stages.
type protocol struct {
	name, file    string
	hints, stages []string
}

// Times are in seconds, or with h in hours; m marks an invariant that was found by hand in this
// time.
var protocols = []protocol{
	{"ticket lock", "ticket_lock", []string{"1", "2", "0", "0", "-"},
		[]string{"48.3", "127.5", "0.57", "0.21", "0.56", "0.43", "117.4"}},
	{"hybrid reliable broadcast", "hybrid_broadcast_correctness", []string{"2", "0", "0", "0", "-"},
		[]string{"0.64", "1.07", "0.65", "0.19", "0.64", "0.59", "86.2"}},
	{"alternating bit", "alternating_bit", []string{"3", "2", "0", "0", "2"},
		[]string{"560.8", "1.46", "5.11", "0.39", "1.68", "0.78", "0.83"}},
	{"TLB shootdown", "tlb_shootdown", []string{"1", "0", "3", "0", "4"},
		[]string{"10.3", "6h m", "24.0", "1.75", "17.3", "0", "872.7"}},
	{"Paxos", "paxos", []string{"4", "0", "3", "0", "-"},
		[]string{"0.91", "4929", "0.67", "0.20", "0.71", "0", "533.3"}},
	{"multi-Paxos", "multi_paxos", []string{"5", "0", "0", "0", "-"},
		[]string{"1.02", "544.1", "0.68", "0.21", "0.71", "0", "287.8"}},
	{"stoppable Paxos", "stoppable_paxos", []string{"5", "0", "0", "0", "-"},
		[]string{"1.29", "3113", "0.79", "0.23", "0.82", "0", "1979.8"}},
	{"sliding window", "sliding_window", []string{"1", "2", "2", "0", "4"},
		[]string{"2.5h m", "1.5h m", "12.6", "1.54", "4.55", "0.57", "0.59"}},
}

func (p *protocol) path() string { return "examples/liveness/" + p.file + ".ere" }

// live are the rows of the protocols.
func live() (out []row) {
	for i := range protocols {
		p := &protocols[i]
		out = append(out,
			row{Name: p.name, Args: []string{"live", p.path(), "--cache=off"}, Verdict: "holds",
				Live: p})
	}
	return out
}

// What a row of unaided takes away.
const (
	hintsOnly = "hints"
	allHelp   = "hints and invariants"
)

// unaided are the protocols, and a few more, without hints, and without invariants as well.
func unaided() (out []row) {
	all := slices.Clone(protocols)
	for _, n := range []string{"hybrid_broadcast", "token_ring_modulo", "bakery", "commit_live",
		"readers_writers", "chang_roberts", "railway", "retransmission", "philosophers",
		"stoppable_paxos_simplified"} {
		all = append(all, protocol{name: strings.ReplaceAll(n, "_", " "), file: n})
	}
	for i := range all {
		p := &all[i]
		for _, without := range []string{hintsOnly, allHelp} {
			out = append(out, row{Name: p.name + ", " + without, Without: without, Of: p,
				Args: []string{"live", p.path(), "--cache=off", "--timeout", "10m"}})
		}
	}
	return out
}

// unaidedHeader and unaidedRow print a table of proofs without help, with the hints of Table 4 and
// the times of Table 5 in all, and what is missing where there is no proof.
func unaidedHeader() {
	unaidedCells("", "verdict", "cpu s", "lemmas", "LVR hints", "LVR s", "what is missing")
}

func unaidedRow(m Measured, p *protocol) {
	lemmas, hints, seconds := "-", "-", "-"
	if m.Verdict == "holds" {
		lemmas = fmt.Sprint(m.Lemmas)
	}
	if p.hints != nil {
		hints, seconds = total(p.hints), total(p.stages)
	}
	missing := m.Missing
	if r := []rune(missing); len(r) > mostMissing {
		missing = string(r[:mostMissing]) + "..."
	}
	unaidedCells(m.Row, m.Verdict, fmt.Sprintf("%.2f", m.CPUSeconds), lemmas, hints, seconds,
		missing)
}

// mostMissing is how much of a reason a table shows, in characters.
const mostMissing = 120

func unaidedCells(cells ...any) {
	fmt.Println(strings.TrimRight(fmt.Sprintf("%-52s %-9s %9s %7s %10s %16s  %s", cells...), " "))
}

// total adds the numbers of a row; hours stand beside the seconds.
func total(cells []string) string {
	sum, hours := 0.0, 0.0
	for _, c := range cells {
		number, isHours := strings.CutSuffix(strings.TrimSuffix(c, " m"), "h")
		n, err := strconv.ParseFloat(number, 64)
		switch {
		case err != nil: // the paper has no such figure
		case isHours:
			hours += n
		default:
			sum += n
		}
	}
	out := strconv.FormatFloat(math.Round(10*sum)/10, 'f', -1, 64)
	if hours > 0 {
		out += fmt.Sprintf(" + %g h", hours)
	}
	return out
}

// guidance counts the hints in the file of a protocol, by kind, and the lines of its invariants.
func (p *protocol) guidance() (hints map[string]int, invariants int, err error) {
	sys, _, err := ere.Load(p.path())
	if err != nil {
		return nil, 0, err
	}
	hints = map[string]int{}
	for _, k := range hintKinds {
		hints[k] = 0
	}
	for _, r := range sys.Rankings {
		hints["variable"] += len(r.Choices) + len(r.Measures)
		hints["bound"] += len(r.Bounds)
		hints["contradiction"] += len(r.Never)
		hints["case"] += len(r.Cases)
		if r.Pending != nil {
			hints["pending"]++
		}
	}
	for _, q := range sys.Properties {
		if q.Kind == system.Invariant {
			invariants += 1 + strings.Count(q.Span.Text(), "\n")
		}
	}
	return hints, invariants, nil
}

// liveHeader and liveRows print a table like Tables 4 and 5 of the paper, with its figures below
// erelong's.
func liveHeader() {
	cells := []string{"", "verdict", "seconds", "cpu s"}
	for _, k := range hintKinds {
		cells = append(cells, cut(k))
	}
	cells = append(cells, "inv.lines")
	for _, s := range stageNames {
		cells = append(cells, cut(s))
	}
	liveRow(cells)
}

func liveRows(m Measured, p *protocol) {
	ours := []string{m.Row, m.Verdict, fmt.Sprintf("%.2f", m.WallSeconds),
		fmt.Sprintf("%.2f", m.CPUSeconds)}
	for _, k := range hintKinds {
		ours = append(ours, fmt.Sprint(m.Hints[k]))
	}
	ours = append(ours, fmt.Sprint(m.InvariantLines))
	for _, s := range stageNames {
		ours = append(ours, fmt.Sprintf("%.2f", m.Stages[s]))
	}
	liveRow(ours)
	theirs := append([]string{"  the paper", "", "", ""}, p.hints...)
	for len(theirs) < 4+len(hintKinds)+1 {
		theirs = append(theirs, "")
	}
	liveRow(append(theirs, p.stages...))
}

// cut makes a heading fit its column.
func cut(s string) string { return s[:min(len(s), 9)] }

func liveRow(cells []string) {
	var b strings.Builder
	for i, c := range cells {
		w := 9
		if i < 2 {
			w = []int{-26, -9}[i]
		}
		fmt.Fprintf(&b, "%*s ", w, c)
	}
	fmt.Println(strings.TrimRight(b.String(), " "))
}

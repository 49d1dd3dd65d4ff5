package derive

import "erelong.dev/erelong/internal/result"

// timing is a model of time (section 2 of the paper): which processes take a step in a round,
// whether messages have ages by which they must arrive, and why two processes are enough. A new
// model is one more type, and a line in timings.
type timing interface {
	// parameters gives the numbers of parameters, and their meaning. They are delta, phi and gst of
	// the algorithm, in this order.
	parameters() (least, most int, what string)
	// aged reports whether a message of an age must arrive. Then all copies of a message are kept,
	// distinguished by age.
	aged() bool
	// schedule writes the constraint on the active processes, in the sub-round that chooses them.
	schedule(w *processes)
	// cutoff says why a property holds for all numbers of processes if it holds for two.
	cutoff(a *algorithm) result.Reduction
}

// timings are the models, by their names in the language.
var timings = map[string]timing{
	"synchrony":         synchrony{},
	"asynchrony":        asynchrony{},
	"partial_synchrony": partialSynchrony{},
}

// untimed is the common part of the models without bounds.
type untimed struct{}

func (untimed) parameters() (least, most int, what string) { return 0, 0, "no parameters" }
func (untimed) aged() bool                                 { return false }
func (untimed) cutoff(*algorithm) result.Reduction {
	return result.Reduction{Name: "cutoff", Theorem: "Theorems 4.1 and 4.2", Detail: fromTwo}
}

// fromTwo is the claim of a cutoff of two.
const fromTwo = "it holds for N processes if it holds for two"

// synchrony: all processes that have not crashed take a step in each round.
type synchrony struct{ untimed }

func (synchrony) schedule(w *processes) {
	w.line("  assume %s(%s) | crashed(%s);", w.active(), w.p(), w.p())
}

// asynchrony: at most one process takes a step in a round.
type asynchrony struct{ untimed }

func (asynchrony) schedule(w *processes) {
	active, p, q := w.active(), w.p(), w.q()
	w.line("  assume %s(%s) & %s(%s) -> %s = %s;", active, p, active, q, p, q)
}

// partialSynchrony: from some round on, each process takes a step in any Phi rounds, and each
// message arrives at the first receive that is Delta rounds after its sending.
type partialSynchrony struct{}

func (partialSynchrony) parameters() (least, most int, what string) {
	return 2, 3,
		"the bound on message delays, the bound on relative speeds, and perhaps the time from " +
			"which they hold"
}

func (partialSynchrony) aged() bool { return true }

func (partialSynchrony) schedule(w *processes) {
	a, active, p := w.alg, w.active(), w.p()
	timer := exprOf("%s(%s)", w.timer(), p)
	w.line("  assume %s;",
		either(w.unhurried(a.limits),
			exprOf("%s(%s) | crashed(%s) | %s < %s - 1", active, p, p, timer, a.phi)))
	idle := exprOf("%s + 1", timer)
	if a.gst != "" {
		idle = exprOf("if %s then 0 else %s", w.unhurried(a.limits), idle)
	}
	w.line("  %s(%s) := if %s(%s) | crashed(%s) then 0 else %s;", w.timer(), p, active, p, p, idle)
}

func (partialSynchrony) cutoff(a *algorithm) result.Reduction {
	if a.gst != "" {
		return stabilising(fromTwo)
	}
	return result.Reduction{Name: "cutoff", Theorem: "Theorems 6.1 and 6.2", Detail: fromTwo}
}

// stabilising says why the cutoff theorems, which are about bounds that hold from the start, carry
// over.
func stabilising(more string) result.Reduction {
	return result.Reduction{Name: "cutoff",
		Theorem: "Theorems 6.1 and 6.2 for bounds from a given round on",
		Detail: "each bound is about one process, or one sender and one receiver, " +
			"in given rounds; so a " +
			" projection keeps it, and crashed processes satisfy it (Lemmas 6.3 and 6.4); " +
			more}
}

// limits are the constants of partial synchrony; gst is empty when it is 0.
type limits struct{ delta, phi, gst name }

// bounds states that the parameters of partial synchrony are numbers of rounds.
func (t *template) bounds(a limits) {
	t.line("axiom %s >= 0 & %s >= 1", a.delta, a.phi)
	if a.gst != "" {
		t.line("axiom %s >= 0", a.gst)
	}
}

// clock declares the number of rounds that are over, up to the time from which all delays are
// bounded. The bound on speeds holds in a round if Gst rounds were over when it began.
func (t *template) clock(a limits) {
	if a.gst != "" {
		t.line("mutable constant %s: 0..%s + %s", t.name("clock"), a.gst, a.delta)
		t.line("init %s = 0", t.name("clock"))
	}
}

// endRound counts a round.
func (t *template) endRound(a limits) {
	if a.gst != "" {
		clock := t.name("clock")
		t.line("  %s := if %s then %s + 1 else %s;", clock, t.delayed(a), clock, clock)
	}
}

// unhurried is the condition that speeds are not bounded yet; false when they always are.
func (t *template) unhurried(a limits) expr {
	if a.gst == "" {
		return no
	}
	return exprOf("%s < %s", t.name("clock"), a.gst)
}

// Package unroll speaks of runs in logic: of the states of a run, as copies of the symbols, and of the steps between them.
//
// In: a system. Out: theories over numbered copies of its symbols, whose models are the runs of the given form, and the
// commands that say so to a solver; a Picture says how to read such a model as a run. Copies are shared between states as
// long as nothing changes, so that a run of one step needs no frame axioms.
package unroll

// Rendering says how the updates of an action are given to a solver. Both mean the same.
type Rendering int

const (
	// Auto chooses what suits the solver, and tries the other when the answer is unknown.
	Auto Rendering = iota
	// Macro makes the new value of a symbol a function definition.
	Macro
	// Relational makes it a fresh function with an axiom.
	Relational
)

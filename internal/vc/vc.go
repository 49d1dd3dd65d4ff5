// Package vc states runs in logic: the states of a run as copies of the symbols, and the steps
// between them.
//
// In: a system. Out: theories over numbered copies of its symbols, whose models are the runs of a
// given form, and the commands that state them to a solver. A Path describes how to read such a
// model as a run. States share the copy of an unchanged symbol, so a run of one step needs no frame
// axioms.
package vc

// Rendering is how a solver gets the updates of an action. Both renderings mean the same.
type Rendering int

const (
	// Auto chooses the rendering that suits the solver, and tries the other when the answer is
	// unknown.
	Auto Rendering = iota
	// Macro makes the new value of a symbol a function definition.
	Macro
	// Relational makes the new value a fresh function with an axiom.
	Relational
)

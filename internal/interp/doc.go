// Package interp is the reference semantics of a system on a finite instance, and the oracle of
// every engine.
//
// In: a system.System, and a system.Instance that gives sizes to its sorts and values to its
// parameters. Out: the values of terms, the initial states, the steps of each action, and traces in
// the user's names. In the other direction, it decides whether a trace is a run. It walks the terms
// as they are and is written to be read: other engines are fast, this one is obvious.
//
// Integers have 64 bits here; a result that does not fit is an error with its position. A symbol
// may be applied only within the declared ranges of its arguments. Connectives and quantifiers are
// evaluated from left to right and stop as soon as the result is known, so a guard protects the
// terms to its right.
//
// A small solver lists all completions of a partial state where values are not determined (initial
// states, havoc, formulas that could not be solved for new values): see solve.go. It uses a
// three-valued evaluation in the sense of Kleene (Introduction to Metamathematics, §64), so the
// cost of "any subset with P" is about the number of its solutions.
package interp

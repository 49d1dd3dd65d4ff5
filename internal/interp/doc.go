// Package interp is the reference semantics of a system on a finite instance, and the oracle of every engine.
//
// In: a system.System, and a system.Instance that gives sizes to its sorts and values to its parameters. Out: the values
// of terms, the initial states, the steps of each action, and traces in the user's names; and the other way round, whether
// a trace is a run. It walks the terms as they stand and is meant to be read: other engines are fast, this one is obvious.
//
// Integers are 64 bits wide here, and a result that does not fit is an error that names the place. A symbol may be applied
// only within the declared ranges of its arguments. Connectives and quantifiers are evaluated from left to right and stop
// as soon as the result is known, so a guard protects what stands to its right.
//
// Where values are not determined (initial states, havoc, formulas that could not be solved for new values) a small solver
// lists all completions of a partial state: see solve.go. It works on a three-valued evaluation in the sense of Kleene
// (Introduction to Metamathematics, §64), so the cost of "any subset with P" is about the number of its solutions.
package interp

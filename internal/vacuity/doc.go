// Package vacuity says when a claim holds for an empty reason.
//
// In: a system. Out: what ought to be true in some reachable state if the claims are to say anything (signs.go), and
// where the assumptions of a file leave no initial state at all, a smallest set of them that contradicts itself
// (contradiction.go). Engines look for the signs; package verify asks all of them and words the notes.
//
// After Beer, Ben-David, Eisner, Rodeh: Efficient detection of vacuity, CAV 1997. A set is made small by deletion.
package vacuity

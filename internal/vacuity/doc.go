// Package vacuity determines when a claim holds for an empty reason.
//
// In: a system. Out: formulas that should be true in some reachable state for the claims to have
// content (signs.go). If the assumptions of a file exclude every initial state, a smallest
// contradictory set of them (contradiction.go). Engines look for the signs; package verify asks all
// engines and words the notes.
//
// The signs follow Beer, Ben-David, Eisner, Rodeh: Efficient detection of vacuity, CAV 1997. Sets
// are minimised by deletion.
package vacuity

package verdict

import "time"

// Ranking is what a proof of liveness found: ranking functions in tiers. In every step while the property is pending, that of the
// step's tier decreases, and those of the tiers before do not grow.
type Ranking struct {
	Pending string   // the condition under which they do so
	Choices []string // values that the functions speak of, as the user gave them: each stays as long as its condition holds
	Finite  []string // sorts of which something is counted: they must be finite
	Tiers   []Tier
	// Steps bounds the number of steps from the trigger to what is good, in terms of the state with the trigger: M_a stands for
	// how many steps it takes until the fair action a is taken, or cannot be. Empty when there is no such bound.
	Steps string
	Proof *RankProof
}

// Tier is one ranking function and the steps in which it decreases.
type Tier struct {
	Function string
	Steps    []string
}

// RankProof is a Ranking in a form from which its proof obligations can be derived again. Variables and conditions are given by their
// texts.
type RankProof struct {
	Pending    string     `json:"pending"`
	Moves      string     `json:"moves"` // the claim that some action can be taken
	Tiers      []RankTier `json:"tiers"`
	Impossible []RankPart `json:"impossible"` // parts that have no steps while the property is pending
}

// RankTier is a ranking function, the sum of its terms, and the parts in which it decreases.
type RankTier struct {
	Terms []RankTerm `json:"terms"`
	Parts []RankPart `json:"parts"`
}

// RankTerm is a multiple of a variable. The factor is in decimal.
type RankTerm struct {
	Factor   string `json:"factor"`
	Variable string `json:"variable"`
}

// RankPart is the steps of an action in which conditions are true, or are false, as they were told apart one after the other.
type RankPart struct {
	Action string       `json:"action"`
	Splits []RankSplit  `json:"splits"`
	Counts []RankGrowth `json:"counts"` // how much numbers of values grow at most
}

// RankSplit says whether a condition is true.
type RankSplit struct {
	Condition string `json:"condition"`
	True      bool   `json:"true"`
}

// RankGrowth says that a variable grows by no more than By: -1, 0 or 1.
type RankGrowth struct {
	Variable string `json:"variable"`
	By       int    `json:"by"`
}

// Search is what was looked at to prove liveness, whether or not a proof was found.
type Search struct {
	// Variables are the integers that are not negative while the property is pending: those of the ranking functions, or all that
	// were tried when there are none.
	Variables   []RankVariable
	Steps       []RankStep // the cases that were told apart
	Constraints int        // linear inequalities that the factors of the ranking functions satisfy
	Stages      []Stage
}

// RankVariable is an integer of which ranking functions are made. Limit is an upper bound that no step changes, empty for none.
type RankVariable struct{ Name, Limit string }

// RankStep is the steps of an action in one case. Grows bounds, for each variable, by how much it grows: -1, 0 or 1, or Unbounded.
type RankStep struct {
	Step       string
	Impossible bool // it is proved that there are none; then Grows is empty
	Grows      []int
}

// Unbounded says that nothing is known of how much a variable grows.
const Unbounded = 1 << 20

// Stage is a part of the work and how long it took.
type Stage struct {
	Name    string
	Elapsed time.Duration
}

// The stages of a proof of liveness, in the words of the paper (Yao et al., Table 5).
const (
	StageGoodEnd        = "good-end"
	StageNoDeadlock     = "no-deadlock"
	StageBounds         = "bounds"
	StageContradictions = "contradictions"
	StageDeltas         = "deltas"
	StageSynthesis      = "synthesis"
	StageValidation     = "validation"
)

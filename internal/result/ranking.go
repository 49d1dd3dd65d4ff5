package result

import "time"

// Ranking is the result of a liveness proof: ranking functions in tiers. In every step while the
// property is pending, the function of the step's tier decreases, and the functions of the tiers
// before do not grow.
type Ranking struct {
	Pending string // the condition under which this holds
	Choices []Choice
	Finite  []string // sorts whose values are counted, or ordered: they must be finite
	// Unfair are actions that are not fair, where the proof assumes that a run takes a step as long
	// as one is enabled. It is empty where a fair action is always enabled.
	Unfair []string
	Tiers  []Tier
	// Steps bounds the number of steps from the trigger to the good state, in terms of the state
	// with the trigger. M_a stands for the number of steps until the fair action a is taken, or
	// cannot be taken. It is empty when there is no bound.
	Steps string
	// Fewer are the bounds of the actions that have fewer steps, in the same terms.
	Fewer    []ActionBound
	Observed []Observed // in instances, where that was asked for
	Proof    *RankProof
}

// ActionBound bounds the number of steps of some actions from the trigger to the good state.
type ActionBound struct {
	Actions []string
	Steps   string
}

// Observed is what the runs of an instance show of the bounds: the runs in which each fair action
// that a bound waits for is taken, or cannot be taken, within Waits steps from the trigger on.
type Observed struct {
	Instance string
	Waits    int     // the value of each M_a; 0 where the bounds have none
	States   int     // of the instance
	Count            // of all steps
	Fewer    []Count // for each of Ranking.Fewer
	Why      string  // that nothing was observed, empty if something was
}

// Count is the number of steps of a longest run, and the bound in its first state.
type Count struct{ Steps, Bound int64 }

// Choice is a value in the functions, as the user gave it: it stays as long as its condition holds.
type Choice struct{ Name, Condition string }

func (c Choice) String() string { return c.Name + " with " + c.Condition }

// Tier is one ranking function and the steps in which it decreases.
type Tier struct {
	Function string
	Steps    []string
	// Prophecy says that the function counts steps until fair actions are taken, so it has no value
	// in a state alone.
	Prophecy bool
}

// RankProof is a Ranking in a form from which its proof obligations can be derived again. Variables
// and conditions are given as texts.
type RankProof struct {
	Pending  string         `json:"pending"`
	Enabled  string         `json:"moves"` // the claim that some action can be taken
	Possible []RankPossible `json:"possible,omitempty"`
	Tiers    []RankTier     `json:"tiers"`
	// Finite names the sorts that the proof takes for finite, and the file does not declare so.
	Finite []string `json:"finite,omitempty"`
	// Hints is the rank of the property that the search found, in the words of the language; empty
	// if it has none beside the file's.
	Hints string `json:"hints,omitempty"`
	// parts without steps while the property is pending
	Impossible []RankTransition `json:"impossible"`
	Bound      *RankBound       `json:"bound,omitempty"` // nil for none
}

// RankBound is the bound on the number of steps, Steps of Ranking, and the limits that it rests on:
// of variables of the tiers below the first, other than counts and the steps until an action.
type RankBound struct {
	Steps  string      `json:"steps"`
	Limits []RankLimit `json:"limits,omitempty"`
}

// RankLimit is an upper bound of a variable that no step changes.
type RankLimit struct {
	Variable string `json:"variable"`
	Limit    string `json:"limit"`
}

// RankPossible says that an action can be taken where a condition is true that is simpler than its
// guard.
type RankPossible struct {
	Action string `json:"action"`
	When   string `json:"when"`
}

// RankTier is a ranking function, the sum of its terms, and the parts in which it decreases.
type RankTier struct {
	Terms       []RankTerm       `json:"terms"`
	Transitions []RankTransition `json:"parts"`
}

// RankTerm is a multiple of a variable. The factor is in decimal.
type RankTerm struct {
	Factor   string `json:"factor"`
	Variable string `json:"variable"`
}

// RankTransition is the set of steps of an action in which conditions are true or false, as they
// were split one after the other.
type RankTransition struct {
	Action string       `json:"action"`
	Splits []RankSplit  `json:"splits"`
	Counts []RankGrowth `json:"counts"` // bounds on the growth of counts
}

// RankSplit is a condition with its truth value.
type RankSplit struct {
	Condition string `json:"condition"`
	True      bool   `json:"true"`
}

// RankGrowth bounds the growth of a variable by By: -1, 0 or 1.
type RankGrowth struct {
	Variable string `json:"variable"`
	By       int    `json:"by"`
}

// Search is the record of a search for a liveness proof, successful or not.
type Search struct {
	// Variables are the integers that are not negative while the property is pending: the variables
	// of the ranking functions, or, without a proof, all that were tried.
	Variables   []RankVariable
	Steps       []RankStep // the cases that were distinguished
	Constraints int        // linear inequalities that the factors of the ranking functions satisfy
	Stages      []Stage
}

// RankVariable is an integer for ranking functions. Limit is an upper bound that no step changes,
// empty for none.
type RankVariable struct{ Name, Limit string }

// RankStep is the steps of an action in one case. Grows bounds the growth of each variable: -1, 0
// or 1, or Unbounded.
type RankStep struct {
	Step       string
	Impossible bool // proved to have no steps; then Grows is empty
	Grows      []int
}

// Unbounded means that the growth of a variable has no known bound.
const Unbounded = 1 << 20

// Stage is a part of the work and its time.
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

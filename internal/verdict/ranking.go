package verdict

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
}

// Tier is one ranking function and the steps in which it decreases.
type Tier struct {
	Function string
	Steps    []string
}

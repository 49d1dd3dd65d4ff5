package verdict

// Story tells a run of a system that was derived from an algorithm in the words of the algorithm. It says less than the states,
// from which it follows.
type Story struct {
	System    string   // the name of the derived system
	Variables []string // that the file declares: their changes are part of the story
	Parts     []StoryPart
}

// StoryPart is a round, or a part of one where a loop begins or the run ends within it. It leads from one state of the trace to
// another; the part that closes a loop leads back.
type StoryPart struct {
	Round   int // counted from 1
	From    int // a state of the trace
	To      int
	Events  []string // in their order
	Transit []string // the messages in transit at its end
}

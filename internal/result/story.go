package result

// Story tells a run of a system that was derived from an algorithm, in terms of the algorithm. It
// follows from the states and has less detail.
type Story struct {
	System    string   // the name of the derived system
	Processes []string // in the order of a chart
	Variables []string // variables of the file, whose changes are part of the story
	Segments  []StorySegment
}

// StorySegment is a round, or a part of a round where a loop begins or the run ends within it. It
// leads from one state of the trace to another; the part that closes a loop leads back.
type StorySegment struct {
	Round   int // counted from 1
	From    int // a state of the trace
	To      int
	Events  []StoryEvent // in their order
	Transit []string     // the messages in transit at its end

	// The same as data, for pictures.
	Crashes  []string  // processes
	Sent     []Message // in their order
	Received []Message
	Open     []Message // in transit at its end
}

// StoryEvent is what a process does.
type StoryEvent struct {
	Text    string
	Message bool // a picture of the messages shows it: one is sent or received, or none is sent
}

// Message is a message of an algorithm.
type Message struct {
	Name, From, To string
	Age            int  // rounds since it was sent, negative if that is not known
	Older          bool // it may be older
}

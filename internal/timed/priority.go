package timed

// Priority is the priority of a step. A step is possible only where no step of a higher priority
// is; time may pass in any case (UPPAAL's help, Priorities and Semantics).
type Priority struct{ channel, process int }

// Above compares by the channel, and among equals by the process of the highest priority.
func (p Priority) Above(q Priority) bool {
	return p.channel > q.channel || p.channel == q.channel && p.process > q.process
}

// Priority is that of a step of the current state. Steps without a channel have the default one.
func (s *Stepper) Priority(parts []Participant) Priority {
	p := Priority{process: s.net.Processes[parts[0].Process].Priority}
	for _, part := range parts[1:] {
		p.process = max(p.process, s.net.Processes[part.Process].Priority)
	}
	if e := parts[0].Edge; e.Sync != Internal {
		s.Bind(parts)
		p.channel = s.net.Channels[e.Channel.Eval(&s.Memory)].Priority
	}
	return p
}

// Prioritised reports whether steps can have different priorities.
func (n *Network) Prioritised() bool {
	for _, c := range n.Channels {
		if c.Priority != 0 {
			return true
		}
	}
	for _, p := range n.Processes {
		if p.Priority != n.Processes[0].Priority {
			return true
		}
	}
	return false
}

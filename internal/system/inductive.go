package system

// Inductive is the system whose initial states are all states that satisfy the invariants and the
// trusted properties. When no step of it leads to a violation, the invariants together are
// inductive. They hold in all reachable states of the system if they also hold in its own initial
// states.
func Inductive(sys *System) *System {
	c := *sys
	c.Inits = nil
	for _, p := range sys.Properties {
		if p.IsInvariant() {
			c.Inits = append(c.Inits, &Formula{Name: p.Name, Term: p.Term, Span: p.Span})
		}
	}
	return &c
}

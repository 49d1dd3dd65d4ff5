package system

// Inductive is the system whose initial states are all those that satisfy the properties of reachable states (and the trusted
// ones). When no step of it leads to a violation, the properties together are inductive. The properties must hold in the initial
// states of the system itself, too, for them to hold in all reachable ones.
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

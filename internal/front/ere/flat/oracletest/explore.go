package oracletest

// Report is what an exploration finds.
type Report struct {
	States, Depth int
	// The states of a shortest run to a state that violates a property, in which it has no value,
	// and in which a step is an error.
	Violated, Undefined map[string]int
	Failed              int
	Overflow            bool // some step leaves a range
	Passing             bool // some statement does
	TooMany             bool // there are more states than were asked for
}

// Explore finds all states, up to a number. A state in which a step is an error has no successors.
func (m *Machine) Explore(most int) *Report {
	r := &Report{Violated: map[string]int{}, Undefined: map[string]int{}}
	seen := map[string]bool{}
	level := m.Initial()
	for len(level) > 0 {
		r.Depth++
		var next []State
		count := 0
		for _, s := range level {
			if k := s.Key(); seen[k] {
				continue
			} else {
				seen[k] = true
			}
			if count++; len(seen) > most {
				r.TooMany = true
				return r
			}
			m.judge(s, r)
			steps, ok := m.Steps(s)
			r.Overflow, r.Passing = m.overflow, m.passing
			if !ok {
				note(&r.Failed, r.Depth)
				continue
			}
			for _, step := range steps {
				next = append(next, step.To)
			}
		}
		if level = next; count == 0 {
			r.Depth--
		}
	}
	r.States = len(seen)
	return r
}

func note(depth *int, now int) {
	if *depth == 0 {
		*depth = now
	}
}

// judge evaluates the properties in a state.
func (m *Machine) judge(s State, r *Report) {
	e := &evaluator{m, s, s}
	for _, p := range m.properties {
		to := r.Violated
		v, ok := attempt(func() bool { return e.closed(p.Expr, nil) })
		if !ok {
			to = r.Undefined
		}
		if !ok || !v {
			d := to[p.Name.Text]
			note(&d, r.Depth)
			to[p.Name.Text] = d
		}
	}
}

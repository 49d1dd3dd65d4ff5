package explore

import "erelong.dev/erelong/internal/engine/explore/store"

// Step is a transition, where Space.Label asks for all of them.
type Step struct {
	From, Label uint32
	to          uint64 // the number of the successor, or a candidate of the round: see candidateOf
}

// isCandidate is set where a successor is said as a candidate of a round. The task is in the bits
// below, and the index of the candidate in the lower half.
const isCandidate = 1 << 63

// candidateOf is the next candidate of a task.
func candidateOf(t *Task) uint64 {
	return isCandidate | uint64(t.place)<<32 | uint64(t.Len())
}

// number is the number of a state that was said as a candidate of the tasks of a round, or by its
// number.
func number(round []*Task, to uint64) uint32 {
	if to&isCandidate == 0 {
		return uint32(to)
	}
	return round[to&^isCandidate>>32].Number(int(uint32(to)))
}

// Target is the number of the successor of a step, when the round is inserted.
func (t *Task) Target(step int) uint32 { return number(t.round, t.Steps[step].to) }

// step adds a transition with a label. Its successor becomes a candidate unless it is remembered.
func (x *Expander) step(t *Task, state []uint64, from, label uint32) {
	hash, to, known := store.Hash(state), candidateOf(t), false
	if x.recent != nil {
		to, known = x.recent.target(state, hash, to)
	}
	if !known {
		t.before = append(t.before, uint32(t.Found))
		t.Candidates.Add(state, hash, from)
	}
	t.Steps = append(t.Steps, Step{from, label, to})
	t.Found++
}

// target says where a state was met before, if it is remembered, and remembers it as what it is
// else.
func (r *recent) target(state []uint64, hash, as uint64) (to uint64, known bool) {
	at := recentSlot(hash)
	if r.has(state, hash) {
		return r.targets[at], true
	}
	r.targets[at] = as
	if len(r.open) < recentSlots {
		r.open = append(r.open, uint32(at))
	}
	return as, false
}

// settle gives the states that workers remember their numbers, after a round.
func (s *Search) settle(round []*Task) {
	for _, w := range s.Workers {
		if w.recent != nil {
			w.recent.settle(round)
		}
	}
}

// settle is Search.settle for one worker. A round may be small, so only the slots that it filled
// are looked at, as long as these are fewer than all.
func (r *recent) settle(round []*Task) {
	set := func(at int) { r.targets[at] = uint64(number(round, r.targets[at])) }
	if len(r.open) == recentSlots {
		for at := range r.targets {
			set(at)
		}
	} else {
		for _, at := range r.open {
			set(int(at))
		}
	}
	r.open = r.open[:0]
}

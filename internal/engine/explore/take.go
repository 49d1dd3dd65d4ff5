package explore

import (
	"slices"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine/explore/store"
)

// take adds the transitions of one state, in the order of the actions. Equal actions with equal
// successors are one transition. The successor of a transition becomes a candidate unless it is
// known already.
func (x *Expander) take(t *Task, states []uint64, actions []uint16, parent uint32) {
	x.kept.reset(len(actions), x.words)
	first := uint32(t.Found)
	for len(actions) > 0 {
		n := 1
		for n < len(actions) && actions[n] == actions[0] {
			n++
		}
		t.Enabled[actions[0]] = true
		some := states[:n*x.words]
		x.taken.start(some, n, x.words)
		if x.words == 1 {
			x.takeWords(t, some, parent, first)
		} else {
			x.takeStates(t, some, parent, first)
		}
		states, actions = states[n*x.words:], actions[n:]
	}
	x.keep(t)
}

// keep makes the successors that are kept candidates.
func (x *Expander) keep(t *Task) {
	k := &x.kept
	t.AddAll(k.states[:k.count*x.words], k.hashes[:k.count], k.parents[:k.count])
	t.before = append(t.before, k.before[:k.count]...)
	if x.Trail {
		t.Ordinals = append(t.Ordinals, k.ordinals[:k.count]...)
	}
}

// takeBatch does for a batch what take does for each of its states. It does nothing and returns
// false if something in the batch is out of the ordinary. Nothing foretells how many steps a state
// and an action have, or which states are known, so no branch depends on it.
func (x *Expander) takeBatch(t *Task, b *compile.Batch) bool {
	if x.words != 1 || x.Label != nil || len(b.Failed)+len(b.LeftOut) > 0 ||
		slices.ContainsFunc(b.Violated, isSet) {
		return false
	}
	sources, longest, ordered := survey(b, t.To-t.From)
	if longest > few || !ordered {
		return false
	}
	k := &x.kept
	k.reset(len(b.States), 1)
	count, found, first := 0, uint32(t.Found), uint32(t.Found)
	before := ^uint64(0) // the source and the action of the transition before
	met := uint64(0)     // of the same source and action, as in takeWords
	for i, state := range b.States {
		source, action := b.Source[i], b.Action[i]
		of := uint64(source)<<16 | uint64(action)
		if of != before {
			met = 0
		}
		if of>>16 != before>>16 {
			first = found
		}
		before = of
		t.Enabled[action] = true
		hash := store.Hash1(state)
		bit := uint64(1) << (hash % 64)
		if met&bit != 0 && repeats(b, i) {
			continue
		}
		met |= bit
		k.states[count], k.hashes[count], k.parents[count] = state, hash, uint32(t.From)+source
		k.before[count], k.ordinals[count] = found, found-first
		found++
		kept := 1
		if x.recent != nil {
			kept = x.recent.newWord(state, hash)
		}
		count += kept
	}
	k.count, t.Found = count, int(found)
	t.Generated += b.Generated
	x.keep(t)
	if sources < t.To-t.From {
		rest := b.Source
		for i := range t.To - t.From {
			n := 0
			for n < len(rest) && int(rest[n]) == i {
				n++
			}
			if rest = rest[n:]; n == 0 {
				t.Deadlocks = append(t.Deadlocks, t.From+i)
			}
		}
	}
	return true
}

func isSet(bits uint64) bool { return bits != 0 }

// repeats reports whether a transition of a batch is the same as one before it.
func repeats(b *compile.Batch, i int) bool {
	for k := i - 1; k >= 0 && b.Source[k] == b.Source[i] && b.Action[k] == b.Action[i]; k-- {
		if b.States[k] == b.States[i] {
			return true
		}
	}
	return false
}

// survey counts the states of a batch that have successors, and the successors of the state and the
// action that have most. It also reports whether the sources are in order and below a number.
func survey(b *compile.Batch, below int) (sources, longest int, ordered bool) {
	before, length := ^uint64(0), 0
	last := uint32(0)
	for i, source := range b.Source {
		if source < last || int(source) >= below {
			return 0, 0, false
		}
		last = source
		of := uint64(source)<<16 | uint64(b.Action[i])
		if of>>16 != before>>16 {
			sources++
		}
		length++
		if of != before {
			length = 1
		}
		longest = max(longest, length)
		before = of
	}
	return sources, longest, true
}

// takeStates takes the successors of one action.
func (x *Expander) takeStates(t *Task, states []uint64, parent, first uint32) {
	for i := 0; len(states) > 0; i, states = i+1, states[x.words:] {
		state := states[:x.words]
		hash := store.Hash(state)
		if x.taken.has(i, hash) {
			continue
		}
		if x.recent == nil || !x.recent.has(state, hash) {
			k := &x.kept
			copy(k.states[k.count*x.words:], state)
			k.hashes[k.count], k.parents[k.count] = hash, parent
			k.before[k.count], k.ordinals[k.count] = uint32(t.Found), uint32(t.Found)-first
			k.count++
		}
		t.Found++
	}
}

// takeWords is takeStates for states of one word. Nothing foretells whether a state is remembered,
// so no branch depends on it.
func (x *Expander) takeWords(t *Task, states []uint64, parent, first uint32) {
	k := &x.kept
	count, found := k.count, t.Found
	met := uint64(0) // bits of the hashes so far: a state with another bit is not among them
	for i, state := range states {
		hash := store.Hash1(state)
		bit := uint64(1) << (hash % 64)
		if (met&bit != 0 || x.taken.long()) && x.taken.has(i, hash) {
			continue
		}
		met |= bit
		k.states[count], k.hashes[count], k.parents[count] = state, hash, parent
		k.before[count], k.ordinals[count] = uint32(found), uint32(found)-first
		found++
		kept := 1
		if x.recent != nil {
			kept = x.recent.newWord(state, hash)
		}
		count += kept
	}
	k.count, t.Found = count, found
}

// keptStates are the successors of a state that are not known.
type keptStates struct {
	states   []uint64
	hashes   []uint64
	parents  []uint32
	before   []uint32 // the transitions of the task before the one to it
	ordinals []uint32 // the transitions of its parent before the one to it
	count    int
}

// reset makes room for n states.
func (k *keptStates) reset(n, words int) {
	k.count = 0
	if n > len(k.hashes) {
		k.states, k.hashes = make([]uint64, 2*n*words), make([]uint64, 2*n)
		k.parents, k.before, k.ordinals = make([]uint32, 2*n), make([]uint32, 2*n),
			make([]uint32, 2*n)
	}
}

// foundBefore is the number of transitions before the one of a candidate.
func (t *Task) foundBefore(candidate int) int { return int(t.before[candidate]) }

// takenSet finds the states of a list that come before in it.
type takenSet struct {
	states []uint64
	words  int
	table  []entry // by hash, used for long lists
	mask   uint64  // 0 where the list is short
	stamp  uint32
}

type entry struct {
	stamp uint32
	index uint32
}

const few = 16

// start begins with a list of n states.
func (s *takenSet) start(states []uint64, n, words int) {
	s.states, s.words, s.mask = states, words, 0
	if n <= few {
		return
	}
	size := 64
	for size < 2*n {
		size *= 2
	}
	if len(s.table) < size {
		s.table = make([]entry, size)
		s.stamp = 0
	}
	if s.stamp++; s.stamp == 0 {
		clear(s.table)
		s.stamp = 1
	}
	s.mask = uint64(size - 1)
}

// long reports whether has must be asked for each index, since it remembers them.
func (s *takenSet) long() bool { return s.mask != 0 }

func (s *takenSet) state(k int) []uint64 { return s.states[k*s.words : (k+1)*s.words] }

// has reports whether the state with an index comes before. It is asked for each index in turn.
func (s *takenSet) has(k int, hash uint64) bool {
	if s.mask == 0 {
		if s.words == 1 {
			return slices.Contains(s.states[:k], s.states[k])
		}
		for i := range k {
			if slices.Equal(s.state(i), s.state(k)) {
				return true
			}
		}
		return false
	}
	at := hash & s.mask
	for ; s.table[at].stamp == s.stamp; at = (at + 1) & s.mask {
		if slices.Equal(s.state(int(s.table[at].index)), s.state(k)) {
			return true
		}
	}
	s.table[at] = entry{s.stamp, uint32(k)}
	return false
}

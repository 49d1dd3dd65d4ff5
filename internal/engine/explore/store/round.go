package store

import (
	"iter"
)

// A breadth-first search expands the states of a level in rounds: tasks of some states each are
// expanded in parallel, then Insert looks their successors up.

const (
	// CachedRound is about how many words of successors a round should have for each thread: they
	// stay in its cache.
	CachedRound = 1 << 15
	// TaskSize is the number of states of a task.
	TaskSize = 512
	// worthwhile is the number of states from which on it pays to wake other threads.
	worthwhile = 2048
)

// Pace is an estimate of the successors of a state, from which follows how many states a round
// expands.
type Pace float64

// States is the number of states whose successors have about the given number of words, where each
// has a width in words.
func (p Pace) States(words, width int) int {
	return int(float64(words) / (float64(p) + 1) / float64(width))
}

// Saw learns from a round. It is quick to expect more successors, and slow to expect fewer.
func (p *Pace) Saw(states, successors int) {
	now := Pace(successors) / Pace(states)
	*p = max(now, (3**p+now)/4)
}

// Threads is how many of all threads to use for work on some states.
func Threads(all, states int) int {
	if states < worthwhile {
		return 1
	}
	return all
}

// Tasks divides states into tasks of at most the given size, at least one for each thread.
func Tasks(from, end, size, threads int) iter.Seq2[int, int] {
	size = max(1, min(size, (end-from+threads-1)/threads))
	return func(yield func(from, to int) bool) {
		for ; from < end && yield(from, min(from+size, end)); from += size {
		}
	}
}

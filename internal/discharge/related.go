package discharge

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/vc"
)

// relatedTo leaves out large updates that do not matter for the goal. It also leaves out a named
// hypothesis if none of its mutable symbols occurs in the goal, in a remaining update or in a
// hypothesis without a name. Hypotheses without mutable symbols, which are axioms, stay. Of the
// laws of sums and sizes, it keeps the ones about one fold of which the goal speaks.
func relatedTo(t *vc.Theory, goal *logic.Term) *vc.Theory {
	t = withLessToRead(t, goal)
	near := vc.Mutable(goal)
	add := func(t *logic.Term) {
		for sym := range vc.Mutable(t) {
			near[sym] = true
		}
	}
	for _, u := range t.Updates {
		near[u.Symbol] = true
		add(u.Value)
	}
	for _, h := range t.Hypotheses {
		if h.Name == "" {
			add(h.Term)
		}
	}
	return t.Only(func(h vc.Hypothesis) bool {
		if h.Law != nil {
			return h.Law.Serves(goal)
		}
		symbols := vc.Mutable(h.Term)
		shares := len(symbols) == 0
		for sym := range symbols {
			shares = shares || near[sym]
		}
		return shares
	})
}

// withSingleLaws leaves out the laws that compare two folds, the rare ones, and, where the goal
// speaks of no fold, the ones about two states.
func withSingleLaws(t *vc.Theory, goal *logic.Term) *vc.Theory {
	about := false
	for _, h := range t.Hypotheses {
		about = about || h.Law != nil && h.Law.Serves(goal)
	}
	return t.Only(func(h vc.Hypothesis) bool {
		return h.Law == nil || h.Law.Plain ||
			!h.Law.Rare && h.Law.One() && (about || len(h.Law.Of) == 1)
	})
}

// withOrder leaves out the laws of two folds or states but for the ones that say which is greater.
func withOrder(t *vc.Theory) *vc.Theory {
	return t.Only(func(h vc.Hypothesis) bool {
		return h.Law == nil || h.Law.Plain || h.Law.Order || !h.Law.Rare && len(h.Law.Of) == 1
	})
}

// coneOf leaves out the updates outside the goal's cone of influence: the goal does not read them,
// directly or through other updates and hypotheses about what it reads. Unconstrained new values
// only allow more steps, so a proof with fewer updates is a proof.
func coneOf(t *vc.Theory, goal *logic.Term) *vc.Theory {
	given := map[symbolCopy]*logic.Term{}
	for _, u := range t.Updates {
		given[symbolCopy{u.Symbol, u.Version}] = u.Value
	}
	read := map[symbolCopy]bool{}
	var add func(term *logic.Term)
	add = func(term *logic.Term) {
		for c := range copiesIn(term) {
			if !read[c] {
				read[c] = true
				if value := given[c]; value != nil {
					add(value)
				}
			}
		}
	}
	add(goal)
	left := t.Hypotheses // not known to be about what is read
	for again := true; again; {
		before := len(read)
		var still []vc.Hypothesis
		for _, h := range left {
			about := copiesIn(h.Term)
			switch {
			case !anyOf(about, given): // it needs no update
			case anyOf(about, read):
				add(h.Term)
			default:
				still = append(still, h)
			}
		}
		left, again = still, len(read) > before
	}
	less := *t
	less.Updates = nil
	for _, u := range t.Updates {
		if read[symbolCopy{u.Symbol, u.Version}] {
			less.Updates = append(less.Updates, u)
		}
	}
	return &less
}

// largeUpdates is the number of nodes from which on updates are left out.
const largeUpdates = 1000

// withoutLarge leaves out large updates.
func withoutLarge(t *vc.Theory) *vc.Theory {
	less := *t
	less.Updates = slices.DeleteFunc(slices.Clone(t.Updates), func(u vc.Update) bool {
		return logic.Size(u.Value) >= largeUpdates
	})
	return &less
}

// withLessToRead leaves out the updates outside the goal's cone of influence, if that makes a
// theory far smaller; otherwise it gives the theory itself.
func withLessToRead(t *vc.Theory, goal *logic.Term) *vc.Theory {
	nodes := func(t *vc.Theory) (n int) {
		for _, u := range t.Updates {
			n += logic.Size(u.Value)
		}
		return n
	}
	all := nodes(t)
	if all < largeUpdates {
		return t
	}
	if less := coneOf(t, goal); len(less.Updates) < len(t.Updates) &&
		nodes(less)+largeUpdates <= all {
		return less
	}
	return t
}

func anyOf[V any](some map[symbolCopy]bool, among map[symbolCopy]V) bool {
	for c := range some {
		if _, ok := among[c]; ok {
			return true
		}
	}
	return false
}

// copiesIn gives the versions of mutable symbols in a term.
func copiesIn(t *logic.Term) map[symbolCopy]bool {
	out := map[symbolCopy]bool{}
	for app := range logic.Applications(t) {
		if app.Symbol.Mutable {
			out[symbolCopy{app.Symbol, app.Step}] = true
		}
	}
	return out
}

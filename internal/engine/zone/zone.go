// Package zone checks networks of timed automata with zones.
//
// In: a network (package timed) and a query of it. Out: whether the query is satisfied, statistics,
// and, where there is one, a run with exact delays that package timed has replayed.
//
// Reachability keeps exact zones, and leaves out a zone that a kept one simulates (Herbreteau,
// Srivathsan, Walukiewicz: Better abstractions for timed automata; bounds by location as in
// Behrmann et al.: Static guard analysis in timed automata verification). Clocks that are not
// compared any more do not matter to it, and are not kept (Daws, Yovine: Reducing the number of
// clock variables of timed automata). Equal zones are stored once (David, Behrmann, Larsen, Yi:
// Unification and sharing in timed automata verification). A simulation may hide deadlocks. So
// where they matter, the values of the clocks without a step are computed, and a zone with such a
// value is not left out (deadlocks.go). Zones are split by differences of clocks before they are
// compared (Bengtsson, Yi: Timed automata: semantics, algorithms and tools, section 4.5).
//
// Liveness looks for cycles on which time diverges among finitely many extrapolated zones
// (Tripakis: Checking timed Büchi automata emptiness on simulation graphs). The cycles are found
// first; the clocks that they reset, bound and ask for zero then decide whether time diverges on
// them (Herbreteau, Srivathsan, Walukiewicz: Efficient emptiness check for timed Büchi automata). A
// zone that simulates another one stands for it, with its infinite runs. If no cycle is found,
// there is none; a found cycle is followed with its own zones. Only if that fails, the states on
// cycles are examined again, with fewer zones that stand for others (compare Laarman, Olesen,
// Dalsgaard, Larsen, van de Pol: Multi-core emptiness checking of timed Büchi automata using
// inclusion abstraction; Herbreteau, Srivathsan, Tran, Walukiewicz: Why liveness for timed automata
// is hard, and what we can do about it).
//
// If the goal has clocks, a zone holds the points that are reached without meeting it on the way;
// one more clock then ticks, and a cycle needs a tick. With priorities, and where clocks decide who
// receives a broadcast, zones are subtracted from each other, and the relation is region
// equivalence, too. Among states that differ by a permutation of the elements of scalar sets, one
// is explored.
package zone

import (
	"context"
	"errors"
	"fmt"

	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/timed"
)

// Options of a check.
type Options struct {
	DepthFirst bool
	// For E<> and A[]: find a run with as few steps as possible; zones are then expanded in the
	// order of their depth.
	Shortest   bool
	MaxStates  int64 // stop when this number of zones is kept, 0 for no limit
	Asymmetric bool  // explore all states that differ by elements of scalar sets
	// 0 for one a processor; a depth-first search, and the queries that are not Threaded, have one.
	// Results do not depend on it.
	Threads int
	eager   bool  // expand nodes ahead even where few nodes wait
	steps   int64 // stop when this number of successors is computed, 0 for no limit
	// Called now and then with the zones that have been visited, and that wait.
	Progress func(visited, waiting int64)
}

// progressEvery is how many zones are visited from one progress to the next.
const progressEvery = 1 << 10

// tell reports progress.
func (o *Options) tell(visited int64, waiting int) {
	if o.Progress != nil && visited%progressEvery == 0 {
		o.Progress(visited, int64(waiting))
	}
}

// Threaded says whether several threads can decide a query together.
func Threaded(q *timed.Query) bool {
	switch q.Kind {
	case timed.Always, timed.Inevitably, timed.LeadsTo:
		return false
	}
	return true
}

// Answer says whether a query is satisfied.
type Answer int

const (
	Unknown Answer = iota
	Satisfied
	NotSatisfied
)

// Result is the outcome of a query.
type Result struct {
	Answer  Answer
	Reason  string      // for Unknown, or a remark on the answer
	Code    result.Code // of the reason of Unknown
	Visited int64       // zones whose successors were computed
	Stored  int64       // zones at the end; fewer than visited, since one may cover others
	Steps   int64       // computed successors
	Depth   int64
	Value   string // for Supremum and Infimum
	// a witness of Possibly and Always, a counterexample of the others; nil if there is none
	Run  *timed.Run
	Loop int // the state of Run to which it returns, -1 if it does not
}

// errLimit says that a limit of the options was reached.
var errLimit = errors.New("the limit of states was reached")

// Check decides a query.
func Check(ctx context.Context, net *timed.Network, q *timed.Query, o Options) (*Result, error) {
	if q.Refused != "" {
		return &Result{Reason: q.Refused, Code: result.Unsupported, Loop: -1}, nil
	}
	if net.Stops() {
		if why := refuse(q); why != "" {
			return &Result{Reason: why, Code: result.Unsupported, Loop: -1}, nil
		}
	}
	var r *Result
	var err error
	switch q.Kind {
	case timed.Possibly:
		r, err = nearest(ctx, net, q, q.Formula, o)
	case timed.Invariantly:
		r, err = nearest(ctx, net, q, timed.Not(q.Formula), o)
		r.negate()
	case timed.Supremum, timed.Infimum:
		r, err = extremes(ctx, net, q, o)
	default:
		r, err = live(ctx, net, q, o)
	}
	var fault *timed.Fault
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, errLimit), errors.Is(err, ErrTooLarge), errors.Is(err, ErrDiagonal),
		errors.As(err, &fault):
		r.Answer, r.Reason, r.Run, r.Code = Unknown, err.Error(), nil, result.Unsupported
		if errors.Is(err, errLimit) {
			r.Code = result.Bounded
		}
		return r, nil
	case err != nil:
		return nil, fmt.Errorf("checking %s: %w", q.Text, err)
	case r.Answer == Unknown && r.Code == "":
		r.Code = result.Unsupported
	}
	return r, nil
}

func (r *Result) negate() {
	switch r.Answer {
	case Satisfied:
		r.Answer = NotSatisfied
	case NotSatisfied:
		r.Answer = Satisfied
	}
}

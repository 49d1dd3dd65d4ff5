package system

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// RoomPrefix begins the names of the claims of Room. The ones about the ends of a window have fixed
// names.
const (
	RoomPrefix = "room:"
	RoomBelow  = RoomPrefix + "below"
	RoomAbove  = RoomPrefix + "above"
)

// Room is the number of places of a sequence without a bound. A step that needs more places than
// there are has no successor.
type Room struct {
	Places *logic.Symbol // an immutable constant
	// Fits is a symbol around the conditions of steps that there are enough places. It is there
	// while a file is read only.
	Fits *logic.Symbol
	// Suffices says that no step needs more places than there are.
	Suffices *logic.Term
}

func (sys *System) isFit(sym *logic.Symbol) bool {
	return slices.ContainsFunc(sys.Rooms, func(r *Room) bool { return r.Fits == sym })
}

// ClaimRoom states for each number of places when steps do not need more.
func ClaimRoom(ctx context.Context, sys *System) error {
	return claimRoom(ctx, sys, sys.Rooms)
}

func claimRoom(ctx context.Context, sys *System, rooms []*Room) error {
	for _, r := range rooms {
		var parts []*logic.Term
		for _, a := range sys.Actions {
			part, err := applied(ctx, sys, r.Fits, a)
			if err != nil {
				return err
			}
			parts = append(parts, part)
		}
		r.Suffices = logic.Rename(distinct(newSettler(sys.Axioms).goal(logic.And(parts...))))
	}
	return nil
}

// Growing lists the constants that are numbers of places of sequences without a bound, unless an
// instance fixes them.
func (s *System) Growing(in *Instance) (out []*logic.Symbol) {
	for _, sym := range s.Symbols {
		if sym.Grows && (in == nil || in.Values[sym] == nil) {
			out = append(out, sym)
		}
	}
	return out
}

// Placed is an instance in which the sequences without a bound have a number of places.
func (s *System) Placed(in *Instance, places int64) *Instance {
	out := *in
	out.Values = maps.Clone(in.Values)
	if out.Values == nil {
		out.Values = map[*logic.Symbol]*logic.Term{}
	}
	for _, c := range s.Growing(in) {
		out.Values[c] = logic.IntLit(places)
	}
	return &out
}

// Bounded reports whether all sequences, sets and maps of an instance have bounds.
func Bounded(s *System, in *Instance) bool { return len(s.Growing(in)) == 0 && len(Sparse(s)) == 0 }

// Unbounded says that a sequence has no bound, and what to do about it; "" if every one has. In is
// nil for a question about all instances.
func (s *System) Unbounded(in *Instance) string {
	all := s.Growing(in)
	if len(all) == 0 {
		return ""
	}
	text := "a sequence has no bound, so some runs need more places than there are: write " +
		"seq[T, n] for at most n elements"
	if in != nil {
		text += fmt.Sprintf(", or fix %s = 4 in the instance", all[0])
	}
	return text
}

// Room makes the claims that no step needs more places than there are: one for each number of
// places that the instance does not fix. Such a step has no successor, so what is explored is
// everything only where these claims hold.
func (s *System) Room(in *Instance) (out []*Property) {
	growing := s.Growing(in)
	for _, r := range s.Rooms {
		if slices.Contains(growing, r.Places) && !r.Suffices.IsTrue() {
			out = append(out, &Property{Name: RoomPrefix + r.Places.Name, Kind: Range,
				Term: r.Suffices, Span: r.Places.Span})
		}
	}
	return out
}

// LongestStart is the greatest size of a sequence without a bound in an initial state. It is known
// where a conjunct of the initial conditions gives the size at all points: `log(N) = []`. The
// symbol is the first size of which none does, nil if there is none.
func (s *System) LongestStart(in *Instance) (longest int64, open *logic.Symbol) {
	growing := s.Growing(in)
	for _, sym := range s.Symbols {
		r := sym.Result
		if !sym.Mutable || r == nil || r.Kind != logic.KindRange || r.Hi.Op != logic.OpApp ||
			!slices.Contains(growing, r.Hi.Symbol) {
			continue
		}
		size := int64(-1)
		for _, f := range s.Inits {
			if n, ok := startSize(f.Term, sym, nil); ok {
				size = n
			}
		}
		if size < 0 {
			return longest, sym
		}
		longest = max(longest, size)
	}
	return longest, nil
}

// startSize finds a conjunct that says `sym = n` for all arguments of a symbol. The quantifiers
// around it are over the variables of bound.
func startSize(t *logic.Term, sym *logic.Symbol, bound []*logic.Var) (int64, bool) {
	switch t.Op {
	case logic.OpAnd, logic.OpForall:
		bound = append(bound[:len(bound):len(bound)], t.Vars...)
		for _, a := range t.Args {
			if n, ok := startSize(a, sym, bound); ok {
				return n, true
			}
		}
	case logic.OpEq:
		for i, a := range t.Args {
			if other := t.Args[1-i]; isPoint(a, sym, bound) && other.Op == logic.OpInt &&
				other.Int.IsInt64() {
				return other.Int.Int64(), true
			}
		}
	}
	return 0, false
}

// isPoint reports whether a term is a symbol that is applied to different variables. In a conjunct
// they are bound by universal quantifiers. A quantifier over a range, which may be empty, has to be
// over an argument.
func isPoint(t *logic.Term, sym *logic.Symbol, bound []*logic.Var) bool {
	if t.Op != logic.OpApp || t.Symbol != sym {
		return false
	}
	seen := map[*logic.Var]bool{}
	for _, a := range t.Args {
		if a.Op != logic.OpVar || seen[a.Var] {
			return false
		}
		seen[a.Var] = true
	}
	return !slices.ContainsFunc(bound, func(v *logic.Var) bool {
		return v.Sort.Kind == logic.KindRange && !seen[v]
	})
}

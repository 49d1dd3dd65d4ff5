package system

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// RoomPrefix begins the names of the claims of Room.
const RoomPrefix = "room:"

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

// Room makes the claims that no sequence without a bound takes all of its places: one for each
// number of places that the instance does not fix. Steps that need more places than there are have
// no successor, so what is explored is everything only where these claims hold.
func (s *System) Room(in *Instance) (out []*Property) {
	for _, places := range s.Growing(in) {
		var parts []*logic.Term
		for _, sym := range s.Symbols {
			r := sym.Result
			if !sym.Mutable || r == nil || r.Kind != logic.KindRange || r.Hi.Op != logic.OpApp ||
				r.Hi.Symbol != places {
				continue
			}
			vars := arguments(sym)
			parts = append(parts, logic.Forall(vars, logic.Lt(
				logic.App(sym, logic.Pre, logic.Refs(vars)...), r.Hi)))
		}
		if len(parts) > 0 {
			out = append(out, &Property{Name: RoomPrefix + places.Name, Kind: Range,
				Term: logic.And(parts...), Span: places.Span})
		}
	}
	return slices.Clip(out)
}

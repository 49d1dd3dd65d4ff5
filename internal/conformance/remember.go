package conformance

import (
	"encoding/json"
	"hash/maphash"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/conformance/runlog"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/slab"
)

// maxRemembered bounds the number of steps and of observations that are kept.
const maxRemembered = 1 << 12

// remembered has what is made again and again, since most events of a log are like earlier ones:
// the steps that events are by their names and arguments, and observations.
type remembered struct {
	seed  maphash.Seed
	ways  map[uint64]way
	named map[pointKey]named
	seen  map[seenKey]observation
	// where events and their observations are allocated
	events       slab.Of[event]
	observations slab.Of[observation]
}

// way is an event without its place and its observations, and the ways in which it is a step.
type way struct {
	name         string
	args         runlog.Object
	alternatives []alternative
}

func newRemembered() *remembered {
	return &remembered{seed: maphash.MakeSeed(), ways: map[uint64]way{},
		named: map[pointKey]named{}, seen: map[seenKey]observation{}}
}

// hash is the key of an event; false if it has arguments that are lists or objects.
func (r *remembered) hash(e *runlog.Event) (uint64, bool) {
	h := maphash.String(r.seed, e.Name)
	for _, f := range e.Args {
		var v uint64
		switch x := f.Value.(type) {
		case string:
			v = maphash.String(r.seed, x)
		case json.Number:
			v = maphash.String(r.seed, string(x)) + 1
		case bool:
			v = uint64(truth(x))
		default:
			return 0, false
		}
		h = h*31 + maphash.String(r.seed, f.Name)*31 + v
	}
	return h, true
}

// steps is direct for an event that may be like an earlier one.
func (r *remembered) steps(
	e *runlog.Event, direct func(*runlog.Event) ([]alternative, error),
) ([]alternative, error) {
	h, simple := r.hash(e)
	if known, ok := r.ways[h]; ok && simple && known.is(e) {
		return known.alternatives, nil
	}
	made, err := direct(e)
	if err != nil || !simple {
		return made, err
	}
	if len(r.ways) >= maxRemembered {
		clear(r.ways)
	}
	r.ways[h] = way{strings.Clone(e.Name), slices.Clone(e.Args), made}
	return made, nil
}

// is reports whether an event has the same name and the same simple arguments.
func (w way) is(e *runlog.Event) bool {
	if w.name != e.Name || len(w.args) != len(e.Args) {
		return false
	}
	for i, f := range e.Args {
		if w.args[i] != f {
			return false
		}
	}
	return true
}

// named is a term, and how messages write it.
type named struct {
	term *logic.Term
	text string
}

// pointKey is a symbol with its arguments, if they are few.
type pointKey struct {
	symbol *logic.Symbol
	args   [3]int64
}

// seenKey is a symbol at arguments with a value.
type seenKey struct {
	pointKey
	value int64
}

// seenAt observes the value of a symbol at arguments.
func (r *remembered) seenAt(s *logic.Symbol, args []int64, v int64) observation {
	key := seenKey{pointKey{symbol: s}, v}
	kept := copy(key.args[:], args) == len(args)
	if o, ok := r.seen[key]; ok && kept {
		return o
	}
	t, name := r.point(s, args)
	o := observation{text: name, term: t, value: v, notation: s.Result,
		formula: logic.Eq(t, logic.Literal(s.Result, v))}
	if kept {
		if len(r.seen) >= maxRemembered {
			clear(r.seen)
		}
		r.seen[key] = o
	}
	return o
}

// point is a symbol at arguments.
func (r *remembered) point(s *logic.Symbol, args []int64) (*logic.Term, string) {
	key := pointKey{symbol: s}
	kept := copy(key.args[:], args) == len(args)
	if p, ok := r.named[key]; ok && kept {
		return p.term, p.text
	}
	terms := make([]*logic.Term, len(args))
	for i, x := range args {
		terms[i] = logic.Literal(s.Args[i], x)
	}
	t := logic.App(s, logic.Pre, terms...)
	text := logic.Printer{Style: logic.Stateless}.Term(t)
	if kept && len(r.named) < maxTerms {
		r.named[key] = named{t, text}
	}
	return t, text
}

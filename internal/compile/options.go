package compile

import (
	"github.com/tetratelabs/wazero"

	"erelong/internal/interp"
)

// Options of Compile. The zero value works.
type Options struct {
	// Initial states, when the caller has them all; else they are enumerated.
	Initial []interp.State
	// Intervals that slots must at least be able to hold: after a *WidthError the caller asks for a wider one.
	Intervals map[int]Interval
	// Bindings says that the batches are to tell the values of the parameters.
	Bindings bool
	// Cache keeps machine code between compilations of the same module; nil for none.
	Cache wazero.CompilationCache

	limits *limits // nil for the defaults
}

// limits decide what is written out instead of becoming a loop, and how states are laid out. They make no difference to
// the results, so tests use extreme ones.
type limits struct {
	quantifier     int // nodes of expressions that a quantifier may become
	unknown        int // the same for one about unknown values, whose parts are better tested early
	code           int // nodes of terms that code may become, written out for each value of a variable
	unknownCode    int // the same for code that makes values unknown
	points, update int // points, and nodes of expressions, that an update may become
	group          int // bytes up to which actions are put into one function
	wordBits       int // of a packed word that are used, unless a slot needs more
	cachedReads    int // from which a slot is kept in a local variable
}

var defaultLimits = limits{quantifier: 400, unknown: 1 << 14, code: 1500, unknownCode: 20000, points: 64, update: 4000,
	group: 1 << 14, wordBits: 64, cachedReads: 3}

// Interval is the set of the integers from Lo to Hi.
type Interval struct{ Lo, Hi int64 }

func (i Interval) has(v int64) bool          { return i.Lo <= v && v <= i.Hi }
func (i Interval) holds(other Interval) bool { return i.Lo <= other.Lo && other.Hi <= i.Hi }

func (i Interval) union(other Interval) Interval {
	return Interval{min(i.Lo, other.Lo), max(i.Hi, other.Hi)}
}

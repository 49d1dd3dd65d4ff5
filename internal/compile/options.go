package compile

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system"
)

// Options of Compile. The zero value works.
type Options struct {
	// Initial holds all initial states, if the caller has them; otherwise they are enumerated.
	Initial []interp.State
	// Intervals gives values that slots must at least hold: after a *WidthError the caller asks for
	// a wider interval.
	Intervals map[int]Interval
	// Bindings asks batches to give the values of the parameters.
	Bindings bool
	// Cache keeps machine code between compilations of the same module; nil for none.
	Cache wazero.CompilationCache

	limits *limits // nil for the defaults
}

// limits decide which constructs are expanded instead of becoming a loop, and how states are laid
// out. They do not change the results, so tests use extreme ones.
type limits struct {
	quantifier     int // nodes of expressions of an expanded quantifier
	unknown        int // the same over unknown values, whose parts should be tested early
	code           int // nodes of terms of code, expanded for each value of a variable
	unknownCode    int // the same for code that makes values unknown
	points, update int // points, and nodes of expressions, of an expanded update
	shifted        int // points of one that only moves bits, word by word
	group          int // bytes of a function that combines actions
	wordBits       int // bits used of a packed word, unless a slot needs more
	cachedReads    int // how many reads of a slot put it into a local variable
	members        int // points of a relation of which only the true ones are tried
}

var defaultLimits = limits{quantifier: 400, unknown: 1 << 14, code: 1500, unknownCode: 20000,
	points: 64, shifted: 64 * maxWords, update: 4000,
	group: 1 << 14, wordBits: 64, cachedReads: 3, members: 32}

// Interval is the set of the integers from Lo to Hi.
type Interval struct{ Lo, Hi int64 }

func (i Interval) has(v int64) bool          { return i.Lo <= v && v <= i.Hi }
func (i Interval) holds(other Interval) bool { return i.Lo <= other.Lo && other.Hi <= i.Hi }

func (i Interval) union(other Interval) Interval {
	return Interval{min(i.Lo, other.Lo), max(i.Hi, other.Hi)}
}

// Widen makes the intervals of slots hold the value of a *WidthError, so that the caller can begin
// again; any other error is given back. The form of the states of a computed system gets wider by
// itself.
func Widen(slots map[int]Interval, err error) (again bool, _ error) {
	if errors.Is(err, system.ErrForm) {
		return true, nil
	}
	var width *WidthError
	if !errors.As(err, &width) {
		return false, err
	}
	last, known := slots[width.Slot]
	wider := last.widened(width.Value)
	if known && wider == last {
		return false, fmt.Errorf("internal error: %w, although it was given 64 bits", err)
	}
	slots[width.Slot] = wider
	return true, nil
}

// Limits of a variable without a range that grows, as far as is seen without end: where it takes
// many values, GrownStates are explored. They bound what a person waits for.
const (
	many        = 1 << 16
	GrownStates = 1 << 18
)

// Grown says which variable of a *WidthError grows, and in which actions, where its interval has
// many values already; it is empty for any other error.
func Grown(m *interp.Model, slots map[int]Interval, err error) string {
	var width *WidthError
	if !errors.As(err, &width) || slots[width.Slot].Hi-slots[width.Slot].Lo < many {
		return ""
	}
	sym := m.SlotSymbols()[width.Slot]
	var by []string
	for _, a := range m.System.Actions {
		if slices.Contains(a.Modifies, sym) {
			by = append(by, a.Name)
		}
	}
	return fmt.Sprintf("; %s took more than %d values and grows with %s: give it a range, or "+
		"explore further with --max-states", sym.Name, many, strings.Join(by, ", "))
}

// widened makes an interval hold a value that did not fit, and sixteen times as many values. A
// search begins again each time, so with a large factor hardly any work is lost.
func (i Interval) widened(v int64) Interval {
	i.Lo, i.Hi = min(i.Lo, 0), max(i.Hi, 0)
	span := i.Hi - i.Lo
	if span < 0 || span > math.MaxInt64/64 || v > math.MaxInt64/64 || v < math.MinInt64/64 {
		return Interval{math.MinInt64, math.MaxInt64}
	}
	switch {
	case v > i.Hi:
		i.Hi = i.Lo + 16*(v-i.Lo) + 15
	case v < i.Lo:
		i.Lo = i.Hi - 16*(i.Hi-v) - 15
	}
	return i
}

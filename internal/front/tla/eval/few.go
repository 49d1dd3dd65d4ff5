package eval

import (
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/value"
)

// A choice takes all elements of a set that has at most mostChosen. Of a larger one it takes at
// most fewChosen, since one choice often follows another.
const (
	mostChosen = 1 << 16
	fewChosen  = 64
)

// few are some elements of a set that is too large to list, or infinite.
func few(m *Machine, s *value.Value) *value.Value {
	out, whole := value.Few(s, mostChosen, fewChosen)
	if !whole {
		m.Program.narrowed.LoadOrStore(*m.where, true)
	}
	return out
}

// Narrowed says where a choice took some elements only, empty for nowhere.
func (p *Program) Narrowed() string {
	some, places := false, []string(nil)
	p.narrowed.Range(func(at, _ any) bool {
		some = true
		if at := at.(diag.Span); at.Source != nil {
			places = append(places, at.String())
		}
		return true
	})
	if !some {
		return ""
	}
	slices.Sort(places)
	const shown = 3
	if more := len(places) - shown; more > 1 {
		places = append(places[:shown], fmt.Sprintf("%d more places", more))
	}
	text := fmt.Sprintf("some elements are chosen, where a set has more than %d", mostChosen)
	if len(places) == 0 {
		return text
	}
	return text + ": " + strings.Join(places, ", ")
}

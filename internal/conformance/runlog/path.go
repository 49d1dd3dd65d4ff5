package runlog

import (
	"strconv"
	"strings"
)

// Path names a value within a record: the names of fields, and the indices of lists.
type Path []string

// ParsePath reads a.b.0.
func ParsePath(text string) Path { return strings.Split(text, ".") }

func (p Path) String() string { return strings.Join(p, ".") }

// In finds the value of a path.
func (p Path) In(record Object) (any, bool) {
	if len(p) == 0 {
		return nil, false
	}
	v, ok := record.Get(p[0])
	if !ok {
		return nil, false
	}
	for _, name := range p[1:] {
		switch at := v.(type) {
		case Object:
			next, ok := at.Get(name)
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(at) {
				return nil, false
			}
			v = at[i]
		default:
			return nil, false
		}
	}
	return v, true
}

package ranking

import (
	"slices"

	"erelong.dev/erelong/internal/system"
)

// normal is the system that a search reads, with its formulas in normal form, and the properties of
// it that correspond to given ones; a property that is none of the system stands for itself. What
// the author has written is shown: names, hints and runs stay as they are in the file.
func normal(sys *system.System, props ...*system.Property) (
	*system.System, []*system.Property,
) {
	n := system.Normal(sys)
	out := slices.Clone(props)
	for i, p := range props {
		if j := slices.Index(sys.Properties, p); j >= 0 {
			out[i] = n.Properties[j]
		}
	}
	return n, out
}

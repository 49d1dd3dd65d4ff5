package translate

import (
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/tla/core"
)

// placeOf is where a node stands: a place in the user's files. Of what a module of the library
// says, it is the place that uses it, which is the outer one, or what is handed to it.
func placeOf(n core.Node, outer diag.Span) diag.Span {
	if inFile(n.Span()) {
		return n.Span()
	}
	if inFile(outer) {
		return outer
	}
	found := diag.Span{}
	core.Parts(n, func(p core.Node) {
		if !inFile(found) {
			found = placeOf(p, diag.Span{})
		}
	})
	if inFile(found) {
		return found
	}
	return n.Span()
}

func inFile(s diag.Span) bool {
	return !s.IsZero() && !strings.HasPrefix(s.Source.Name, "library/")
}

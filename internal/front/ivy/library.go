package ivy

import "erelong.dev/erelong/internal/diag"

// include reads a file of Ivy's library. Its modules are written anew here, as far as they are read.
func (l *loader) include(d *includeDecl, s *scope) {
	if l.included[d.name.text] {
		return
	}
	l.included[d.name.text] = true
	l.errorf(diag.IvyConstruct, d.span, "the library '%s' is not supported in Ivy files", d.name.text)
}

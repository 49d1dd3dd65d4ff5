package ivy

import (
	"embed"
	"path/filepath"
	"strings"

	"erelong.dev/erelong/internal/diag"
)

// library holds Ivy's library as far as it is read, written anew: modules that keep what Ivy's
// modules of these names promise.
//
//go:embed library/*.ivy
var library embed.FS

// include reads a file of the library, or a file beside this one.
func (l *loader) include(d *includeDecl, s *scope) {
	n := d.name.text
	if l.included[n] {
		return
	}
	l.included[n] = true
	label := n + ".ivy"
	text, err := library.ReadFile("library/" + label)
	own := err == nil
	if !own {
		label = filepath.Join(filepath.Dir(d.span.Source.Name), label)
		if text, err = l.beside(label); err != nil {
			l.refuse(d.span, "the library '%s', which is not beside the file either,", n)
			return
		}
		label = filepath.ToSlash(label)
	}
	src := diag.NewSource(label, string(text))
	if !own {
		l.files = append(l.files, src)
	}
	if own {
		l.library[src], l.isolates = n, true
	}
	if before := len(l.errs.All); len(src.Text) > 0 {
		if v := versionOf(src, l.errs); len(l.errs.All) == before {
			l.collect(read(src, v, l.errs), s)
		}
	}
}

// lacks says that a name may be one of a part of Ivy's library that is not read.
func lacks(d *diag.Diagnostic, libraries ...string) {
	if names := strings.Trim(strings.Join(libraries, "', '"), "', "); names != "" {
		d.Suggest("Of Ivy's library '%s' a part is read: the page on Ivy lists it.", names)
	}
}

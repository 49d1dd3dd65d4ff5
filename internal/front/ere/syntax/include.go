package syntax

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
)

// IncludeDecl is `include "file"`, which stands for the declarations of another file.
type IncludeDecl struct {
	Span diag.Span
	File Name // as written, without quotes
}

func (d *IncludeDecl) Pos() diag.Span { return d.Span }

// Load is Parse with the declarations of other files in the place of their includes. A file is
// included once. What is about that file alone stays behind: its instances, expectations and traces
// (see Alone). Beside reads a file by its path.
func Load(src *diag.Source, beside func(path string) ([]byte, error), errs *diag.List) *File {
	l := &loader{beside: beside, errs: errs, read: map[string]bool{spoken(src.Name): true}}
	f := l.load(src)
	f.Included = l.files
	f.addStrings(errs)
	return f
}

// Alone reports whether a declaration is about its own file, and is not included: an instance gives
// all sizes and values of its file, and an expectation and a trace are about its runs.
func Alone(d Decl) bool {
	switch d.(type) {
	case *InstanceDecl, *ExpectDecl, *TraceDecl:
		return true
	}
	return false
}

// Place names a formula that has no name by its place in a file, or in one that the file includes.
func (d *FormulaDecl) Place(file *diag.Source) string {
	src := d.Span.Source
	if src == nil || src == file {
		return fmt.Sprintf("%s:%d", d.Word, d.Span.Line())
	}
	base := path.Base(spoken(src.Name))
	return fmt.Sprintf("%s:%s:%d", d.Word, strings.TrimSuffix(base, path.Ext(base)), d.Span.Line())
}

// loader reads a file with what it includes.
type loader struct {
	beside func(path string) ([]byte, error)
	errs   *diag.List
	files  []*diag.Source
	read   map[string]bool // by the path
	within []*IncludeDecl  // around the current file, the outermost first
}

// spoken is a path as messages say it.
func spoken(name string) string { return path.Clean(filepath.ToSlash(name)) }

func (l *loader) load(src *diag.Source) *File {
	f := parse(src, l.errs)
	var decls []Decl
	for _, d := range f.Decls {
		include, ok := d.(*IncludeDecl)
		if !ok {
			decls = append(decls, d)
			continue
		}
		other := l.include(include)
		if other == nil {
			continue
		}
		f.Structured = f.Structured || other.Structured
		f.sized = append(f.sized, other.sized...)
		f.Parts = append(append(f.Parts, other), other.Parts...)
		decls = append(decls, slices.DeleteFunc(other.Decls, Alone)...)
	}
	f.Decls = decls
	f.measure()
	return f
}

// include reads the file of an include; nil if it was read before, or there is an error.
func (l *loader) include(d *IncludeDecl) *File {
	written := d.File.Text
	name := path.Join(path.Dir(spoken(d.Span.Source.Name)), written)
	switch around := l.around(name, d); {
	case around != nil:
		d := l.errs.Errorf(diag.Include, d.File.Span, "'%s' includes itself", written).
			Suggest("Put what both files need into a third one, and include that.")
		for _, by := range around {
			d.Because(by.File.Span, "it includes this")
		}
		return nil
	case l.read[name]:
		return nil
	case path.IsAbs(written) || filepath.IsAbs(written):
		l.errs.Errorf(diag.Include, d.File.Span, "'%s' is no path from the folder of this file",
			written).Suggest("Write the path from here, as in include \"%s\".", path.Base(written))
		return nil
	case !slices.Contains([]string{".ere", ".pyv"}, path.Ext(written)):
		l.errs.Errorf(diag.Include, d.File.Span, "'%s' is no file of this language, whose names "+
			"end in .ere or .pyv", written).
			Suggest("erelong convert --to ere FILE writes the files of other languages in it.")
		return nil
	}
	l.read[name] = true
	text, err := l.beside(filepath.FromSlash(name))
	if err != nil {
		l.errs.Errorf(diag.Include, d.File.Span, "'%s' cannot be read: %s", written, reason(err)).
			Suggest("The path is from the folder of this file, so this is %s.", name)
		return nil
	}
	src := diag.NewSource(name, string(text))
	l.files = append(l.files, src)
	l.within = append(l.within, d)
	defer func() { l.within = l.within[:len(l.within)-1] }()
	return l.load(src)
}

// around gives the includes from a file to itself, nil if it is not being read.
func (l *loader) around(name string, last *IncludeDecl) []*IncludeDecl {
	chain := append(slices.Clone(l.within), last)
	for i, d := range chain {
		if spoken(d.Span.Source.Name) == name {
			return chain[i:]
		}
	}
	return nil
}

// reason is why a file cannot be read, without its path.
func reason(err error) string {
	var path *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such file"
	case errors.As(err, &path):
		return path.Err.Error()
	}
	return err.Error()
}

// measure notes that the size of a sort is asked for, or the greater of two numbers: the file has
// structured data then.
func (f *File) measure() {
	declared := map[string]bool{}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *SortDecl:
			f.Structured = f.Structured || slices.Contains(f.sized, d.Name.Text)
		case *SymbolDecl:
			declared[d.Name.Text] = true
		case *DefinitionDecl:
			declared[d.Name.Text] = true
		}
	}
	for _, name := range []string{"min", "max"} {
		f.Structured = f.Structured || slices.Contains(f.sized, name) && !declared[name]
	}
}

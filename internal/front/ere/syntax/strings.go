package syntax

import "erelong.dev/erelong/internal/diag"

// Strings is the type of the strings of a file.
const Strings = "string"

// IsOfStrings reports whether a declaration is the one of the strings, which stands in no text.
func IsOfStrings(d Decl) bool {
	enum, ok := d.(*EnumDecl)
	return ok && enum.Name.Text == Strings && enum.Members[0].Text[0] == '"'
}

// addStrings declares the type of strings, where the file has strings: an enum of which they are
// the members, in the order of the text. A member is named as it is written, quotes included, so it
// cannot be taken for another name.
func (f *File) addStrings(errs *diag.List) {
	d := &EnumDecl{Name: Name{Text: Strings}}
	met := map[string]bool{}
	for _, part := range append([]*File{f}, f.Parts...) {
		for _, span := range part.strings() {
			if text := span.Text(); !met[text] {
				met[text] = true
				d.Members = append(d.Members, Name{text, span})
			}
		}
	}
	if len(d.Members) == 0 {
		return
	}
	d.Span = d.Members[0].Span
	d.Name.Span = d.Span
	if own := f.declared(Strings); own.Text != "" {
		errs.Errorf(diag.Duplicate, own.Span,
			"'%s' is the type of what stands in double quotes, which the file has", Strings).
			Because(d.Span, "the first string").Suggest("Choose another name.")
		return
	}
	f.Decls = append([]Decl{d}, f.Decls...)
}

// strings gives the places of the strings of a file, without the names of files.
func (f *File) strings() (out []diag.Span) {
	include := false
	for _, t := range f.Tokens {
		span := diag.Span{Source: f.Source, Start: t.Start, End: t.End}
		if t.Kind == Text && !include {
			out = append(out, span)
		}
		include = t.Kind == Ident && span.Text() == "include" || include && t.Kind == Comment
	}
	return out
}

// declared is the name with which a file declares a type, "" if it does not.
func (f *File) declared(name string) Name {
	for _, d := range f.Decls {
		var declared Name
		switch d := d.(type) {
		case *SortDecl:
			declared = d.Name
		case *EnumDecl:
			declared = d.Name
		case *TypeDecl:
			declared = d.Name
		}
		if declared.Text == name {
			return declared
		}
	}
	return Name{}
}

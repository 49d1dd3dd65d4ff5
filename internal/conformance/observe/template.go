package observe

import "erelong.dev/erelong/internal/conformance/runlog"

// Template is a text with values of a record.
type Template struct {
	Segments []Segment
	Text     string
	Column   int
}

// Segment is a piece of text, or a reference.
type Segment struct {
	Text  string
	Field *Reference
}

// Reference is a value of a record.
type Reference struct {
	Path runlog.Path
	Len  bool // the length of the list there
}

func (p Reference) String() string {
	if p.Len {
		return "{len " + p.Path.String() + "}"
	}
	return "{" + p.Path.String() + "}"
}

// Fields lists the references of a template.
func (t Template) Fields() (out []Reference) {
	for _, p := range t.Segments {
		if p.Field != nil {
			out = append(out, *p.Field)
		}
	}
	return out
}

// Only gives the reference that is the whole template, or false.
func (t Template) Only() (Reference, bool) {
	if len(t.Segments) == 1 && t.Segments[0].Field != nil {
		return *t.Segments[0].Field, true
	}
	return Reference{}, false
}

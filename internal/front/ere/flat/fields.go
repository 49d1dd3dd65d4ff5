package flat

import (
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// fieldPlace is a place of the text that names a field. Unified types have the same fields,
// so their places are joined: all places of one field have one root.
type fieldPlace struct {
	link     *fieldPlace
	span     diag.Span
	declares bool
	part     *typ // the type of the field, where the place determines it
}

func (p *fieldPlace) root() *fieldPlace {
	for p.link != nil {
		p = p.link
	}
	return p
}

// join makes two fields one. A field of a tuple or an option, which no text declares, is nil.
func (p *fieldPlace) join(other *fieldPlace) {
	if p == nil || other == nil {
		return
	}
	if p, other = p.root(), other.root(); p != other {
		other.link = p
	}
}

// declares notes the declaration of a field.
func (f *known) declares(n syntax.Name, part *typ) *fieldPlace {
	p := f.names(n, part)
	p.declares = true
	return p
}

// names notes a place that names a field.
func (f *known) names(n syntax.Name, part *typ) *fieldPlace {
	p := &fieldPlace{span: n.Span, part: part}
	f.named = append(f.named, p)
	return p
}

// place is a place that names a field of a record, nil if there is none.
func (t *typ) place(name string) *fieldPlace {
	if i := slices.Index(t.fields, name); i >= 0 && i < len(t.meant) {
		return t.meant[i]
	}
	return nil
}

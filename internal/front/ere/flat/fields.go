package flat

import (
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// fieldPlaces are the places of the text that name one field. Types that are unified have the same
// fields, so their places are joined.
type fieldPlaces struct {
	link     *fieldPlaces
	declared []diag.Span // in types
	used     []diag.Span // in expressions
}

func (p *fieldPlaces) root() *fieldPlaces {
	for p.link != nil {
		p = p.link
	}
	return p
}

// join makes two fields one. A field of a tuple or an option, which no text declares, is nil.
func (p *fieldPlaces) join(other *fieldPlaces) {
	if p == nil || other == nil {
		return
	}
	p, other = p.root(), other.root()
	if p == other {
		return
	}
	p.declared = append(p.declared, other.declared...)
	p.used = append(p.used, other.used...)
	other.link = p
}

func (f *known) declares(n syntax.Name) *fieldPlaces {
	f.named = append(f.named, &fieldPlaces{declared: []diag.Span{n.Span}})
	return f.named[len(f.named)-1]
}

func (f *known) names(n syntax.Name) *fieldPlaces {
	f.named = append(f.named, &fieldPlaces{used: []diag.Span{n.Span}})
	return f.named[len(f.named)-1]
}

// places are the places of a field of a record, nil if there are none.
func (t *typ) places(name string) *fieldPlaces {
	if i := slices.Index(t.fields, name); i >= 0 && i < len(t.meant) {
		return t.meant[i]
	}
	return nil
}

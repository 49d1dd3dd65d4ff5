package runlog

import (
	"slices"
	"strings"
)

// places are where the fields of earlier lines were: programs write few kinds of events.
type places struct {
	kinds [8]kind
	last  int   // of the kinds that was noted last
	now   *kind // of the current record; nil if it is noted for none
}

// kind is a record by the names of its fields, which are few and each there once.
type kind struct {
	names []string
	known bool   // all of them are of the shape
	at    [9]int // of the paths of a shape, in their order; see find
}

func (k *kind) is(record Object) bool {
	return slices.EqualFunc(k.names, record, func(name string, f Field) bool {
		return name == f.Name
	})
}

// take notes the names of a record; false if one occurs twice.
func (p *places) take(record Object) bool {
	for i := range p.kinds {
		if p.now = &p.kinds[i]; p.now.is(record) {
			return true
		}
	}
	for i, f := range record {
		if _, twice := record[:i].find(f.Name); twice {
			return false
		}
	}
	p.last = (p.last + 1) % len(p.kinds)
	p.now = &p.kinds[p.last]
	*p.now = kind{}
	for _, f := range record {
		p.now.names = append(p.now.names, strings.Clone(f.Name))
	}
	return true
}

// the paths of a shape
const (
	atEvent = iota
	atNode
	atSend
	atReceive
	atInc
	atSeq
	atTime
	atArgs
	atObs
)

// Where a path of a shape is in a kind of records: nowhere, or at a field from firstAt on.
const (
	unknownAt = iota
	nowhereAt
	firstAt
)

// find is Path.In for one of the paths of a shape.
func (l line) find(which int, p Path, record Object) (any, bool) {
	if len(p) != 1 || l.fields.now == nil {
		return p.In(record)
	}
	at := &l.fields.now.at[which]
	if *at == unknownAt {
		*at = nowhereAt
		if i, ok := record.find(p[0]); ok {
			*at = firstAt + i
		}
	}
	if *at == nowhereAt {
		return nil, false
	}
	return record[*at-firstAt].Value, true
}

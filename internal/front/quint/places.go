package quint

import (
	"encoding/json"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"

	"erelong.dev/erelong/internal/diag"
)

// places says where the nodes of a file stand in the text that was compiled.
type places struct {
	source *diag.Source // the text, or the compiled file where the text is not there
	text   bool         // source is the text
	at     map[number]diag.Span
}

// sourceMap is what `quint parse --source-map` writes. A place has a file, and where it begins and
// ends there.
type sourceMap struct {
	Files  map[string]string             `json:"sourceIndex"`
	Places map[number][3]json.RawMessage `json:"map"`
}

// point is a character of a text, counted from 0.
type point struct {
	Line int `json:"line"`
	Col  int `json:"col"`
}

// newPlaces finds places in the text of a specification, which is nil where it is not there. The
// map may be empty.
func newPlaces(text, compiled *diag.Source, places_ string, files Files) *places {
	p := &places{source: compiled, at: map[number]diag.Span{}}
	if text == nil {
		return p
	}
	p.source, p.text = text, true
	m := sourceMap{}
	if places_ == "" || json.Unmarshal([]byte(places_), &m) != nil {
		return p
	}
	sources := map[string]*diag.Source{}
	for i, file := range m.Files {
		if path.Base(file) == path.Base(text.Name) {
			sources[i] = text
		} else if t, err := files(file); err == nil {
			sources[i] = diag.NewSource(file, string(t))
		}
	}
	for id, at := range m.Places {
		var from, to point
		src := sources[string(at[0])]
		if src == nil || json.Unmarshal(at[1], &from) != nil || json.Unmarshal(at[2], &to) != nil {
			continue
		}
		p.at[id] = diag.Span{Source: src, Start: offset(src, from), End: offset(src, to) + 1}
	}
	return p
}

// offset is the place of a character in a text.
func offset(src *diag.Source, at point) int {
	i := 0
	for range at.Line {
		next := strings.IndexByte(src.Text[i:], '\n')
		if next < 0 {
			break
		}
		i += next + 1
	}
	for range at.Col {
		_, size := utf8.DecodeRuneInString(src.Text[i:])
		i += size
	}
	return i
}

// exact reports whether the place of a node is known.
func (p *places) exact(id number) bool {
	_, ok := p.at[id]
	return ok
}

// of is the place of a node, or else of the definition that it is in.
func (p *places) of(id number, within *declaration) diag.Span {
	if at, ok := p.at[id]; ok {
		return at
	}
	if within != nil {
		if at, ok := p.at[within.ID]; ok {
			return at
		}
		if at, ok := p.definition(within.Name); ok {
			p.at[within.ID] = at
			return at
		}
	}
	if !p.text { // the compiled file, of which nobody reads a line
		return diag.Span{}
	}
	return diag.Span{Source: p.source}
}

// definition looks for the definition of a name in the text.
func (p *places) definition(name string) (diag.Span, bool) {
	if !p.text {
		return diag.Span{}, false
	}
	last := name[strings.LastIndex(name, ":")+1:]
	re := regexp.MustCompile(`(?m)\b(?:val|def|action|temporal|run|const|var|assume|nondet)\s+(` +
		regexp.QuoteMeta(last) + `)\b`)
	at := re.FindStringSubmatchIndex(p.source.Text)
	if at == nil {
		return diag.Span{}, false
	}
	return diag.Span{Source: p.source, Start: at[2], End: at[3]}, true
}

package lsp

import (
	"os"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/tla"
	"erelong.dev/erelong/internal/front/tla/names"
)

// modular answers requests about a text in TLA+, or a configuration.
type modular struct {
	*snapshot
	names *names.Table
}

// modularOf makes it; nil for a text of another language.
func modularOf(s *snapshot) *modular {
	if !tla.Extension(s.name) {
		return nil
	}
	t := tla.Names(s.name, s.text.string, os.ReadFile)
	if t == nil {
		return nil
	}
	return &modular{s, t}
}

func (m *modular) at(p position) *names.Occurrence { return m.names.At(m.text.offset(p)) }

// place is a place in this file or in another one; nil for one in a module of the library.
func (m *modular) place(s diag.Span) []location {
	if s.IsZero() || tla.InLibrary(s.Source) {
		return nil
	}
	return []location{m.snapshot.place(s)}
}

func (m *modular) definition(p position) []location {
	o := m.at(p)
	if o == nil {
		return nil
	}
	return m.place(o.Of.Name.Span)
}

func (m *modular) references(p position, declaration bool) []location {
	out := []location{}
	o := m.at(p)
	if o == nil {
		return out
	}
	for _, u := range o.Of.Uses {
		if declaration || u != o.Of.Name.Span {
			out = append(out, location{m.uri, m.text.spanRange(u)})
		}
	}
	return out
}

func (m *modular) highlights(p position) []highlight {
	out := []highlight{}
	for _, l := range m.references(p, true) {
		out = append(out, highlight{l.Range, highlightRead})
	}
	return out
}

// hover is the declaration of a name, with the comment above it.
func (m *modular) hover(p position) any {
	o := m.at(p)
	if o == nil {
		return nil
	}
	d := o.Of
	text := string(d.Kind) + " " + d.Name.Text
	if d.Whole != d.Name.Span && d.Kind != names.Module {
		text = clipped(d.Whole.Text(), 30)
	}
	text = "```tla\n" + text + "\n```"
	if note := commentAbove(d.Whole); note != "" && !d.Local() {
		text += "\n\n" + note
	}
	at := m.text.spanRange(o.Span)
	return &hover{Contents: markdown(text), Range: &at}
}

// commentAbove is the comment in the lines right above a place.
func commentAbove(s diag.Span) string {
	lines := strings.Split(s.Source.Text[:s.Start], "\n")
	lines = lines[:len(lines)-1]
	var out []string
	for i := len(lines) - 1; i >= 0; i-- {
		line := strings.TrimSpace(lines[i])
		if !strings.HasPrefix(line, `\*`) &&
			!(strings.HasPrefix(line, "(*") && strings.HasSuffix(line, "*)")) {
			break
		}
		line = strings.Trim(strings.TrimPrefix(line, `\`), "(*) ")
		if line != "" {
			out = append([]string{line}, out...)
		}
	}
	return strings.Join(out, "\n")
}

// symbolsOfTLA are the kinds of the protocol.
var symbolsOfTLA = map[names.Kind]int{
	names.Module: symbolNamespace, names.Constant: symbolConstant,
	names.Variable: symbolVariable, names.Definition: symbolFunction,
	names.Function: symbolFunction, names.Instance: symbolObject,
	names.Assumption: symbolProperty, names.Theorem: symbolProperty,
}

func (m *modular) symbols() []documentSymbol {
	out := []documentSymbol{}
	for _, d := range m.names.Declarations {
		if !d.Local() {
			out = append(out, documentSymbol{Name: d.Name.Text, Kind: symbolsOfTLA[d.Kind],
				Detail: string(d.Kind), Range: m.text.spanRange(d.Whole),
				SelectionRange: m.text.spanRange(d.Name.Span)})
		}
	}
	return out
}

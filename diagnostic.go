package erelong

import (
	"strings"

	"erelong.dev/erelong/internal/diag"
)

// Diagnostic is a message about a position in a specification.
type Diagnostic struct {
	File         string
	Line, Column int    // counted from 1, columns in characters; 0 for a message without a position
	Code         string // such as E0301; `erelong explain E0301` explains it
	Warning      bool   // not an error
	Message      string
	Fix          string // what to write instead; empty when unknown

	text string // the one-line form
}

// String is the one-line form: file:line:column: error CODE: message.
func (d *Diagnostic) String() string { return d.text }

// Error is an error in the text of a specification.
type Error struct {
	Diagnostics []Diagnostic // at least one of them is not a warning
}

// Error gives one line for each diagnostic.
func (e *Error) Error() string {
	lines := make([]string, len(e.Diagnostics))
	for i := range e.Diagnostics {
		lines[i] = e.Diagnostics[i].String()
	}
	return strings.Join(lines, "\n")
}

func diagnostics(list *diag.List) (out []Diagnostic) {
	if list == nil {
		return nil
	}
	for _, d := range list.All {
		p := Diagnostic{Code: string(d.Code), Warning: d.Severity == diag.Warning,
			Message: d.Message, Fix: d.Fix, text: d.Error()}
		if !d.Span.IsZero() {
			p.File = d.Span.Source.Name
			p.Line, p.Column = d.Span.Source.Position(d.Span.Start)
		}
		out = append(out, p)
	}
	return out
}

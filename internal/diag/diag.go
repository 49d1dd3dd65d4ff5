// Package diag holds source positions and error messages.
//
// In: source texts, and byte ranges of errors in them. Out: diagnostics, each with a stable code
// (see codes.go), a narrow primary span, further "because" spans, and where possible the fix; and
// their rendering for a terminal. Every package that reads a file of the user reports through it,
// so all messages look the same.
package diag

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Source is one text, with its name in messages.
type Source struct {
	Name  string
	Text  string
	lines []int // byte offset at which each line starts
}

// NewSource indexes the lines of text.
func NewSource(name, text string) *Source {
	s := &Source{Name: name, Text: text, lines: []int{0}}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	return s
}

// Position gives the line and the column, both counted from 1, of a byte offset. Columns count
// characters.
func (s *Source) Position(offset int) (line, column int) {
	offset = min(max(offset, 0), len(s.Text))
	line = s.LineOf(offset)
	return line, utf8.RuneCountInString(s.Text[s.lines[line-1]:offset]) + 1
}

// LineOf gives the line of a byte offset, counted from 1, without decoding its text.
func (s *Source) LineOf(offset int) int {
	return sort.SearchInts(s.lines, min(max(offset, 0), len(s.Text))+1)
}

// Line gives the text of a line, counted from 1, without its end.
func (s *Source) Line(line int) string {
	if line < 1 || line > len(s.lines) {
		return ""
	}
	end := len(s.Text)
	if line < len(s.lines) {
		end = s.lines[line] - 1
	}
	return strings.TrimSuffix(s.Text[s.lines[line-1]:end], "\r")
}

// Span is the half-open byte range [Start, End) of a source. The zero Span is "no position".
type Span struct {
	Source     *Source
	Start, End int
}

// IsZero reports whether the span has no position.
func (s Span) IsZero() bool { return s.Source == nil }

// Text gives the characters of the span.
func (s Span) Text() string {
	if s.Source == nil || s.Start < 0 || s.End > len(s.Source.Text) || s.Start > s.End {
		return ""
	}
	return s.Source.Text[s.Start:s.End]
}

// Line gives the number of the line on which the span starts, 0 without a position.
func (s Span) Line() int {
	if s.Source == nil {
		return 0
	}
	return s.Source.LineOf(s.Start)
}

// To gives the smallest span that covers both.
func (s Span) To(t Span) Span {
	switch {
	case s.Source == nil:
		return t
	case t.Source == nil:
		return s
	}
	return Span{s.Source, min(s.Start, t.Start), max(s.End, t.End)}
}

// String gives file:line:column.
func (s Span) String() string {
	if s.Source == nil {
		return "-"
	}
	line, column := s.Source.Position(s.Start)
	return fmt.Sprintf("%s:%d:%d", s.Source.Name, line, column)
}

// Severity is the severity of a diagnostic. Only errors stop a run.
type Severity int

const (
	Error Severity = iota
	Warning
)

// Note is a further position that belongs to a diagnostic: the reason, or the other declaration.
type Note struct {
	Span    Span
	Message string
}

// Diagnostic is one message.
type Diagnostic struct {
	Severity Severity
	Code     Code
	Span     Span
	Message  string
	Notes    []Note
	Fix      string // what to write instead, a whole sentence; empty when unknown
	Edit     *Edit  // that carries the fix out; nil when a person has to choose
}

// Edit replaces a part of the text.
type Edit struct {
	Span Span
	New  string
}

// Because adds a second span, and returns the diagnostic for chaining.
func (d *Diagnostic) Because(span Span, format string, args ...any) *Diagnostic {
	d.Notes = append(d.Notes, Note{span, fmt.Sprintf(format, args...)})
	return d
}

// Suggest sets the fix, and returns the diagnostic for chaining.
func (d *Diagnostic) Suggest(format string, args ...any) *Diagnostic {
	d.Fix = fmt.Sprintf(format, args...)
	return d
}

// DidYouMean sets the fix that the name at the position should be another one, and returns the
// diagnostic for chaining.
func (d *Diagnostic) DidYouMean(near string) *Diagnostic {
	d.Suggest("Did you mean '%s'?", near)
	if name := d.Span.Text(); name != "" && strings.IndexFunc(name, notInName) < 0 {
		d.Replace(d.Span, near)
	}
	return d
}

func notInName(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// Replace sets the edit that carries the fix out, and returns the diagnostic for chaining.
func (d *Diagnostic) Replace(span Span, text string) *Diagnostic {
	d.Edit = &Edit{span, text}
	return d
}

// Insert is Replace of nothing, after a span.
func (d *Diagnostic) Insert(after Span, text string) *Diagnostic {
	if after.IsZero() {
		return d
	}
	return d.Replace(Span{after.Source, after.End, after.End}, text)
}

// Error gives the one-line form: file:line:column: error CODE: message.
func (d *Diagnostic) Error() string {
	word := "error"
	if d.Severity == Warning {
		word = "warning"
	}
	var b strings.Builder
	if !d.Span.IsZero() {
		fmt.Fprintf(&b, "%s: ", d.Span)
	}
	fmt.Fprintf(&b, "%s", word)
	if d.Code != "" {
		fmt.Fprintf(&b, " %s", d.Code)
	}
	fmt.Fprintf(&b, ": %s", d.Message)
	return b.String()
}

// List collects diagnostics. It is an error when it holds at least one of severity Error; see Err.
type List struct {
	All []*Diagnostic
}

// Errorf adds an error and returns it, so that notes can be added.
func (l *List) Errorf(code Code, span Span, format string, args ...any) *Diagnostic {
	d := &Diagnostic{Severity: Error, Code: code, Span: span, Message: fmt.Sprintf(format, args...)}
	l.All = append(l.All, d)
	return d
}

// Textual reports whether a source is UTF-8 text without zero bytes. If not, the list says so.
func (l *List) Textual(src *Source) bool {
	at := strings.IndexByte(src.Text, 0)
	if at < 0 && utf8.ValidString(src.Text) {
		return true
	}
	l.Errorf(NotText, Span{src, max(at, 0), max(at, 0)}, "the file is not UTF-8 text")
	return false
}

// Warnf adds a warning and returns it.
func (l *List) Warnf(code Code, span Span, format string, args ...any) *Diagnostic {
	d := l.Errorf(code, span, format, args...)
	d.Severity = Warning
	return d
}

// Err returns the list as an error if it holds an error, else nil.
func (l *List) Err() error {
	for _, d := range l.All {
		if d.Severity == Error {
			return l
		}
	}
	return nil
}

// Sort puts the diagnostics in the order of their positions, and drops exact repetitions.
func (l *List) Sort() {
	sort.SliceStable(l.All, func(i, j int) bool {
		return l.All[i].Span.Start < l.All[j].Span.Start
	})
	type key struct {
		span    Span
		message string
	}
	seen := map[key]bool{}
	l.All = slices.DeleteFunc(l.All, func(d *Diagnostic) bool {
		again := seen[key{d.Span, d.Message}]
		seen[key{d.Span, d.Message}] = true
		return again
	})
}

// First is the first error of the list that an error is; nil where it is none.
func First(err error) *Diagnostic {
	var list *List
	if !errors.As(err, &list) {
		return nil
	}
	i := slices.IndexFunc(list.All, func(d *Diagnostic) bool { return d.Severity == Error })
	if i < 0 {
		return nil
	}
	return list.All[i]
}

// Error gives one line for each diagnostic.
func (l *List) Error() string {
	lines := make([]string, len(l.All))
	for i, d := range l.All {
		lines[i] = d.Error()
	}
	return strings.Join(lines, "\n")
}

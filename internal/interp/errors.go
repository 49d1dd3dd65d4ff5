package interp

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// ActionError says that an action could not be evaluated in a state.
type ActionError struct {
	Model  *Model
	Action *system.Action // nil where it is not known which one
	Args   []Arg
	Err    error
}

func (e *ActionError) Error() string {
	if e.Action == nil {
		return fmt.Sprintf("the steps from a state: %v", e.Err)
	}
	parts := make([]string, len(e.Args))
	for i, a := range e.Args {
		parts[i] = fmt.Sprintf("%s = %s", a.Var, e.Model.value(a.Var.Sort, a.Value))
	}
	return fmt.Sprintf("action %s(%s): %v", e.Action.Name, strings.Join(parts, ", "), e.Err)
}

func (e *ActionError) Unwrap() error { return e.Err }

// outsideError carries an error of yield through a run.
type outsideError struct{ error }

func (e *outsideError) Unwrap() error { return e.error }

// withRanges says what to write where a symbol has infinitely many points: the lines of the file
// with a range in place of each argument without one, also the lines of other symbols.
func withRanges(s *logic.Symbol, others []*logic.Symbol) string {
	lines := map[int][]diag.Span{}
	for _, o := range others {
		for i, a := range o.Args {
			at, ok := o.Written(i)
			if ok && a == logic.Int && at.Source == s.Span.Source {
				lines[at.Line()] = append(lines[at.Line()], at)
			}
		}
	}
	var out []string
	for _, n := range slices.Sorted(maps.Keys(lines)) {
		text := s.Span.Source.Line(n)
		slices.SortFunc(lines[n], func(a, b diag.Span) int { return b.Start - a.Start })
		for _, at := range slices.Compact(lines[n]) {
			_, column := s.Span.Source.Position(at.Start)
			head := []rune(text)
			text = string(head[:column-1]) + "0..9" + string(head[column-1:])[len(at.Text()):]
		}
		code, _, _ := strings.Cut(text, "#")
		out = append(out, strings.TrimSpace(code))
	}
	if len(out) == 0 {
		return "Declare it with a range, such as 0..9, in place of int"
	}
	return "Write a range, such as 0..9, in place of int, as in " + strings.Join(out, " and ")
}

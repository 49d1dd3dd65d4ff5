package explorer

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"erelong.dev/erelong/internal/diagram"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/report"
	"erelong.dev/erelong/internal/system"
)

// SweepAnswer is what the results of a run say over two numbers of their instances.
type SweepAnswer struct {
	Run      int             `json:"run"`
	File     string          `json:"file"`    // as messages call it
	Command  string          `json:"command"` // of the run
	Note     string          `json:"note"`    // why there is no picture; empty with one
	SVG      string          `json:"svg"`
	Text     string          `json:"text"` // where the property holds
	Property string          `json:"property"`
	Measure  report.Measure  `json:"measure"`
	X        string          `json:"x"`
	Y        string          `json:"y"`
	Slice    string          `json:"slice"`
	Points   [][]*SweepPoint `json:"points"` // of each value of Y, and in them of X; null for none

	Properties []string         `json:"properties"` // what can be chosen
	Measures   []report.Measure `json:"measures"`
	Numbers    []string         `json:"numbers"`
	Slices     []string         `json:"slices"`
}

// SweepPoint is where the states of a point are.
type SweepPoint struct {
	Instance string `json:"instance"`
	Result   int    `json:"result"` // with a run, -1 for none
}

// sweep draws the results of a run over two numbers. What is not chosen, or cannot be, is chosen
// here.
func (s *Service) sweep(_ context.Context, q *request) (any, error) {
	r, err := s.run(q.Run)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	rep := r.report
	r.mu.Unlock()
	if rep == nil {
		return nil, fmt.Errorf("run %d has no results yet", q.Run)
	}
	return sweepOf(rep, q)
}

func sweepOf(rep *report.Report, q *request) (*SweepAnswer, error) {
	a := &SweepAnswer{Run: q.Run, File: rep.File, Command: rep.Command, Measure: report.ByVerdict,
		Properties: []string{}, Numbers: []string{}, Slices: []string{}, Points: [][]*SweepPoint{},
		Measures: report.Measures}
	if slices.Contains(report.Measures, report.Measure(q.Measure)) {
		a.Measure = report.Measure(q.Measure)
	}
	for _, n := range rep.Numbers() {
		a.Numbers = append(a.Numbers, n.Name)
	}
	var all []*report.Sweep
	if slices.Contains(a.Numbers, q.X) && (q.Y == "" || slices.Contains(a.Numbers, q.Y)) {
		all = rep.Sweeps(q.X, q.Y)
	}
	if len(all) == 0 {
		all = rep.Sweeps("", "")
	}
	if len(all) == 0 {
		a.Note = "These results are not about three or more instances that differ in a number."
		return a, nil
	}
	s := a.choose(all, q)
	for _, b := range rep.Borders() {
		if b.Property == s.Property && b.Kind == s.Kind && b.Condition.Loses == 0 {
			a.Text += ". " + b.String() // the picture shows what a shorter condition leaves out
		}
	}
	if len(s.X.Values)*len(s.Y.Values) > diagram.MostCells {
		a.Note = fmt.Sprintf("More than %d points are not drawn.", diagram.MostCells)
		return a, nil
	}
	a.SVG = s.SVG(a.Measure, func(*report.Point) string { return here(0) })
	for _, row := range s.Points {
		points := make([]*SweepPoint, len(row))
		for i := range row {
			if row[i].Instance == "" {
				continue
			}
			points[i] = &SweepPoint{row[i].Instance, row[i].Result}
			if rep.Results[row[i].Result].Trace == nil {
				points[i].Result = -1
			}
		}
		a.Points = append(a.Points, points)
	}
	return a, nil
}

// choose finds the sweep of a request among all, and lists what else there is.
func (a *SweepAnswer) choose(all []*report.Sweep, q *request) *report.Sweep {
	for _, s := range all {
		if !slices.Contains(a.Properties, s.Property) {
			a.Properties = append(a.Properties, s.Property)
		}
	}
	a.Property = q.Text
	if !slices.Contains(a.Properties, a.Property) {
		a.Property = a.Properties[0]
	}
	var chosen *report.Sweep
	for _, s := range all {
		if s.Property != a.Property {
			continue
		}
		a.Slices = append(a.Slices, s.Slice)
		if chosen == nil || s.Slice == q.Slice {
			chosen = s
		}
	}
	a.X, a.Y, a.Slice, a.Text = chosen.X.Name, chosen.Y.Name, chosen.Slice, chosen.Front.Text
	return chosen
}

// saved keeps the results in the text of a request, which WriteJSON has written, as a run that is
// over. They may be about another text than the file has now, so they are kept without their runs
// of the system, and the page does not show them as verdicts of the file.
func (s *Service) saved(ctx context.Context, q *request) (any, error) {
	all, err := report.ReadJSON(strings.NewReader(q.Text))
	switch {
	case err != nil:
		return nil, err
	case len(all) != 1:
		return nil, fmt.Errorf("these are the results of %d runs, and a picture is of one",
			len(all))
	}
	f, err := s.open(ctx, q.File)
	if err != nil {
		return nil, err
	}
	for i := range all[0].Results {
		all[0].Results[i].Trace, all[0].Results[i].Evidence = nil, nil
	}
	id, err := s.keep(f, all[0], true)
	if err != nil {
		return nil, err
	}
	return map[string]int{"run": id}, nil
}

// suggestion is a sweep to begin with: over Delta and Phi, or the first two numbers of the first
// instance, each up to one more than there. It is empty where no two numbers can vary.
func suggestion(sys *system.System) string {
	if len(sys.Instances) == 0 {
		return ""
	}
	in := sys.Instances[0]
	type number struct {
		name  string
		value int
	}
	var numbers []number
	for _, y := range sys.Symbols {
		if v, ok := in.Values[y]; ok && !y.Mutable {
			if n, err := strconv.Atoi(v.String()); err == nil {
				numbers = append(numbers, number{y.Name, n})
			}
		}
	}
	for _, y := range sys.Sorts {
		if n, ok := in.Sizes[y]; ok && y.Kind == logic.KindUninterpreted {
			numbers = append(numbers, number{y.Name, n})
		}
	}
	if len(numbers) < 2 {
		return ""
	}
	named := func(n number) bool { return n.name == "Delta" || n.name == "Phi" }
	slices.SortStableFunc(numbers, func(a, b number) int {
		switch {
		case named(a) == named(b):
			return 0
		case named(a):
			return -1
		}
		return 1
	})
	var parts []string
	for i, n := range numbers {
		if i < 2 {
			parts = append(parts, fmt.Sprintf("%s=%d..%d", n.name, min(1, n.value), n.value+1))
		} else {
			parts = append(parts, fmt.Sprintf("%s=%d", n.name, n.value))
		}
	}
	return strings.Join(parts, ",")
}

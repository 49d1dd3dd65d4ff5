package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"

	"erelong.dev/erelong/internal/diagram"
	"erelong.dev/erelong/internal/result"
)

//go:embed report.html.tmpl
var pageText string

var page = template.Must(template.New("report").Funcs(template.FuncMap{
	"count":   count,
	"reason":  Reason,
	"reasons": Reasons,
	"ranking": func(property string, r *result.Ranking) []string {
		return rankingLines(property, r, false)
	},
	"numbers":  variableLines,
	"growth":   stepLines,
	"stages":   stageLine,
	"duration": duration,
	"name":     htmlName,
	"class":    func(v result.Verdict) string { return strings.ReplaceAll(string(v), " ", "-") },
	"date":     func(t time.Time) string { return t.Format("2006-01-02 15:04:05 MST") },
}).Parse(pageText))

// htmlName writes a text with names, which may be long. A line may break after their parts, and so
// no letter stands alone.
func htmlName(text string) template.HTML {
	parts := strings.NewReplacer("_", "_<wbr>", "/", "/<wbr>", ":", ":<wbr>", "=", "=<wbr>")
	// The escaped text has none of these characters in an escape.
	return template.HTML(parts.Replace(template.HTMLEscapeString(text)))
}

// htmlPage is the data of the template.
type htmlPage struct {
	*Report
	Go      string
	Results []htmlResult
	Assumed []string
	Sweeps  []htmlSweep
	More    int      // sweeps that are left out
	Ended   []string // the finished and the open work of a run that was interrupted
	Summary string
}

type htmlResult struct {
	result.Result
	Spoken      string // the verdict with its assumptions
	Trace       *htmlTrace
	Obligations []htmlObligation
}

// htmlSweep is what instances say of a property, as pictures over their numbers.
type htmlSweep struct {
	Title, Text string
	Verdict     template.HTML
	Others      []htmlHeat
}

type htmlHeat struct {
	Name    string
	Picture template.HTML
}

// mostSweeps bounds the number of sweeps of a page.
const mostSweeps = 40

// sweeps draws what the instances of a report say. A point is a link to its run.
func (p *htmlPage) sweeps() {
	link := func(at *Point) string {
		if r := p.Report.Results[at.Result]; r.Trace == nil && r.Evidence == nil {
			return "#verdicts"
		}
		return fmt.Sprintf("#result-%d", at.Result)
	}
	for _, s := range p.Report.Sweeps("", "") {
		switch {
		case len(p.Sweeps) >= mostSweeps:
			p.More++
			continue
		case len(s.X.Values)*len(s.Y.Values) > diagram.MostCells:
			continue
		}
		h := htmlSweep{Title: s.Title(), Text: s.Front.Text}
		for _, m := range Measures {
			picture := template.HTML(s.SVG(m, link)) // its texts are escaped
			if m == ByVerdict {
				h.Verdict = picture
			} else {
				h.Others = append(h.Others, htmlHeat{string(m), picture})
			}
		}
		p.Sweeps = append(p.Sweeps, h)
	}
}

type htmlObligation struct {
	result.Obligation
	Source string // text of the line
}

type htmlTrace struct {
	Title, Remark, Conclusion string
	Obeyed                    string // the assumptions in force
	Line                      int
	Before, Source, After     string // the line, of which Source is underlined
	Parameters                []result.Binding
	Chart                     template.HTML // a drawing, of a run with more than one state
	Diagram                   template.HTML // of the last step, for a counterexample to induction
	ID                        string        // of its states, before their numbers
	// the section of an earlier result that shows this run; empty for none
	Same               string
	Start              []result.Binding
	Rounds             []htmlRound // of a run that is told in terms of an algorithm
	Derived            string      // the system whose states the steps show then
	Steps              []htmlStep
	Loop               int
	Closing            string
	Back               []Change // from the last state to the first of the loop
	Fairness           []string // why the loop satisfies each condition
	Why                *result.Why
	Finding, Exclusion string
	Candidates         []htmlCandidate
}

type htmlRound struct {
	Title   string
	Events  []result.StoryEvent
	Changes []Change
	Transit []string
	InLoop  bool
}

type htmlCandidate struct{ Formula, Worth string }

type htmlStep struct {
	Index   int
	Call    string
	InLoop  bool
	First   []result.Binding // of state 0
	Changes []Change
}

// WriteHTML writes one page that needs no other file and no network. It uses the options Snippet,
// for the source lines, and Hide. Colours follow the reader's system, and every value is shown in
// full.
func WriteHTML(w io.Writer, r *Report, o Options) error {
	data := htmlPage{Report: r, Go: runtime.Version(), Summary: summary(r.Results),
		Assumed: assumed(r.Results), Ended: unfinished(r.Unfinished)}
	for i, res := range r.Results {
		h := htmlResult{Result: res, Spoken: spoken(&res)}
		if res.Trace != nil {
			if err := checkHidden(res.Trace.Told(), o.Hide); err != nil {
				return err
			}
			h.Trace = htmlTraceOf(res.Trace, fmt.Sprintf("result-%d", i), o)
			if j := slices.IndexFunc(r.Results[:i], func(x result.Result) bool {
				return sameRun(x.Trace, res.Trace)
			}); j >= 0 {
				h.Trace.Same = fmt.Sprintf("result-%d", j)
			}
		}
		if res.Evidence != nil {
			for _, ob := range res.Evidence.Obligations {
				h.Obligations = append(h.Obligations, htmlObligation{ob, o.source(ob.Line)})
			}
		}
		data.Results = append(data.Results, h)
	}
	data.sweeps()
	var b bytes.Buffer
	if err := page.Execute(&b, data); err != nil {
		return fmt.Errorf("writing the report as HTML: %w", err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing the report as HTML: %w", err)
	}
	return nil
}

// source is the text of a line, if it is available.
func (o Options) source(line int) string {
	if line == 0 || o.Snippet == nil {
		return ""
	}
	return strings.TrimSpace(o.Snippet(line))
}

// sameRun reports whether two traces have the same states and steps, whatever they show.
func sameRun(a, b *result.Trace) bool {
	return a != nil && b != nil && a.Instance == b.Instance && a.Loop == b.Loop &&
		reflect.DeepEqual(a.Params, b.Params) &&
		reflect.DeepEqual(a.Steps, b.Steps) && reflect.DeepEqual(a.Back, b.Back)
}

func htmlTraceOf(t *result.Trace, id string, o Options) *htmlTrace {
	t, o = t.Told(), o.about(t.Violates)
	h := &htmlTrace{ID: id, Conclusion: Conclusion(t), Obeyed: obeyed(t), Loop: t.Loop}
	h.Title, h.Remark = Headline(t)
	h.Line, h.Before, h.Source, h.After = o.marked(t)
	h.Why = t.Why
	if d := t.Diagnosis; d != nil {
		h.Finding = Finding(t)
		for _, c := range d.Candidates {
			h.Exclusion = Exclusion(d)
			h.Candidates = append(h.Candidates, htmlCandidate{c.Formula, Worth(c, t.Violates)})
		}
	}
	for _, u := range t.Universe {
		value := result.Value{Kind: result.AtomValue,
			Text: "{" + strings.Join(u.Elements, ", ") + "}"}
		h.Parameters = append(h.Parameters, result.Binding{Name: u.Sort, Value: value})
	}
	h.Parameters = append(h.Parameters, o.visible(t.Params)...)
	if c := diagram.ChartOf(t, ""); c != nil && len(t.Steps) > 1 {
		h.Chart = template.HTML(c.Hide(o.Hide).SVG(diagram.Options{
			Title: "chart of the run", At: -1, Link: func(state int) string {
				return fmt.Sprintf("#%s-state-%d", id, state)
			},
		})) // its texts are escaped
	}
	if t.Kind == result.ToInduction && len(o.Hide) == 0 {
		h.Diagram = template.HTML(diagram.StepSVG(t, len(t.Steps)-1,
			diagram.Options{Title: "picture of the step"}))
	}
	if v := (&traceView{trace: t, Options: o}); v.hasStory() {
		h.rounds(v)
	}
	for i, s := range t.Steps {
		step := htmlStep{Index: i, Call: Call(s), InLoop: t.Loop >= 0 && i >= t.Loop}
		if i == 0 {
			step.First = o.visible(s.State)
		} else {
			step.Changes = Changes(o.visible(t.Steps[i-1].State), o.visible(s.State))
		}
		h.Steps = append(h.Steps, step)
	}
	if t.Loop >= 0 && t.Loop < len(t.Steps) {
		h.Closing = closing(t, 0)
		for _, f := range t.Fairness {
			h.Fairness = append(h.Fairness, condition(f, 0))
		}
		h.Back = Changes(o.visible(t.Steps[len(t.Steps)-1].State), o.visible(t.Steps[t.Loop].State))
	}
	return h
}

// rounds tells the run in terms of the algorithm that its system was derived from.
func (h *htmlTrace) rounds(v *traceView) {
	story := v.trace.Story
	h.Derived = story.System
	h.Start = v.ofFile(v.trace.Steps[0].State)
	for _, p := range story.Segments {
		h.Rounds = append(h.Rounds, htmlRound{
			Title: fmt.Sprintf("round %d%s", p.Round, v.states(p)), Events: p.Events,
			Transit: p.Transit,
			Changes: Changes(v.ofFile(v.trace.Steps[p.From].State),
				v.ofFile(v.trace.Steps[p.To].State)),
			InLoop: v.trace.Loop >= 0 && p.From >= v.trace.Loop,
		})
	}
}

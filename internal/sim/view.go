package sim

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/report"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// View is what a page shows of a state.
type View struct {
	Title   string  `json:"title"`
	Address Address `json:"address"`
	// the number of initial states that are listed, 0 for a recorded run
	Initial int    `json:"initial"`
	More    bool   `json:"more"` // there are more initial states
	Run     []Stop `json:"run"`  // the states of the run
	// the state to which the run returns after its last state, negative for none
	Loop int `json:"loop"`
	// the run begins in a state that need not be reachable
	Arbitrary bool              `json:"arbitrary"`
	Universe  []result.Universe `json:"universe"`
	Constants []*ValueTree      `json:"constants"`
	State     []*ValueTree      `json:"state"` // with what the step to this state changed
	Choices   []Choice          `json:"choices"`
	Deadlock  bool              `json:"deadlock"`
	Truths    []Truth           `json:"truths"`
	Recorded  bool              `json:"recorded"` // the run can be looked at only
	// of a recorded run: the same state as one of the instance, an address that stays valid; nil if
	// there is none
	Lasting *Address `json:"lasting"`
	System  string   `json:"system"` // that the address is of
	// of timed automata: choices are steps and delays, and expressions are not evaluated
	Timed     bool     `json:"timed"`
	Zone      []string `json:"zone"`    // the clock values with which the same steps lead here
	Finding   string   `json:"finding"` // about a counterexample to induction: is it reachable?
	Exclusion string   `json:"exclusion"`
	Hints     []Hint   `json:"hints"` // invariants that exclude it
}

// Hint is an invariant that may help a proof.
type Hint struct {
	Formula string `json:"formula"`
	Worth   string `json:"worth"`
}

// Stop is a state of the run, in short.
type Stop struct {
	Call     string   `json:"call"`
	Changes  []string `json:"changes"`
	Violated []string `json:"violated"` // properties that are false
}

// Choice is a step that can be taken, or the reason why one cannot.
type Choice struct {
	Number  int      `json:"number"` // 0 for a step that cannot be taken
	Action  string   `json:"action"`
	Call    string   `json:"call"`
	Changes []string `json:"changes"`
	Why     string   `json:"why"` // why it cannot be taken
}

// Truth is the value of a property.
type Truth struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Value  string `json:"value"` // true, false, or ? without a value
	Remark string `json:"remark"`
	Line   int    `json:"line"`
}

// ValueTree is a value as a tree. A relation or function has a part for each value of its first
// argument.
type ValueTree struct {
	Name     string       `json:"name"`
	Value    string       `json:"value"`
	Was      string       `json:"was"`     // the value before, if it was another one
	Changed  bool         `json:"changed"` // this value, or one below it
	Children []*ValueTree `json:"parts"`
}

// diagnosis tells whether the first state of a counterexample to induction is reachable, and what
// would exclude it.
func (p *View) diagnosis(t *result.Trace) {
	p.Finding = report.Finding(t)
	for _, c := range t.Diagnosis.Candidates {
		p.Exclusion = report.Exclusion(t.Diagnosis)
		p.Hints = append(p.Hints, Hint{c.Formula, report.Worth(c, t.Violates)})
	}
}

// short gives the changes between two states, each shortened.
func short(before, after []result.Binding) []string {
	out := []string{}
	for _, c := range report.Changes(before, after) {
		out = append(out, shorten(c.String()))
	}
	return out
}

func (w *walk) choices(found *successors) []Choice {
	out := []Choice{}
	before := w.variables(w.state())
	for i, m := range found.steps {
		out = append(out,
			Choice{Number: i + 1, Action: m.action, Call: w.call(m),
				Changes: short(before, w.variables(m.state))})
	}
	for _, c := range found.cut {
		out = append(out,
			Choice{Action: c.action, Call: w.call(c.position),
				Why: "not available: trusted invariant " + c.by})
	}
	for _, f := range found.failed {
		out = append(out, Choice{Action: f.action, Call: f.action, Why: "error: " + f.err.Error()})
	}
	for _, name := range found.many {
		out = append(out,
			Choice{Action: name, Call: name,
				Why: fmt.Sprintf("it has more steps: only %d are listed", w.o.MaxSteps)})
	}
	return out
}

// truths gives the values of the properties of states.
func (w *walk) truths() []Truth {
	out := []Truth{}
	for _, p := range w.sys.Properties {
		if !p.IsInvariant() && p.Kind != system.Trusted {
			continue
		}
		t := Truth{Name: p.Name, Kind: string(p.Kind), Value: "true", Line: p.Span.Line()}
		switch holds, err := w.model.Holds(p.Term, w.state()); {
		case err != nil:
			t.Value, t.Remark = "?", err.Error()
		case !holds:
			t.Value, t.Remark = "false", w.model.FalseConjunct(p.Term, w.state()).String()
		}
		out = append(out, t)
	}
	return out
}

// parts makes trees of values. Both lists have the same names in the same order.
func parts(before, after []result.Binding) []*ValueTree {
	out := []*ValueTree{}
	for i, b := range after {
		out = append(out, part(b.Name, before[i].Value, b.Value))
	}
	return out
}

func part(name string, old, new result.Value) *ValueTree {
	p := &ValueTree{Name: name, Value: shorten(new.String())}
	if !old.Equal(new) {
		p.Changed, p.Was = true, shorten(old.String())
	}
	if new.Kind == result.SetValue || new.Kind == result.MapValue {
		p.Children = rows(new.Kind, old.Rows, new.Rows, 0)
	}
	return p
}

// rows makes trees of the rows of a relation or function, by the argument at a position.
func rows(kind result.ValueKind, old, new []result.Row, position int) (out []*ValueTree) {
	var keys []result.Value
	for _, r := range slices.Concat(new, old) {
		if position < len(r.Key) && !slices.ContainsFunc(keys, r.Key[position].Equal) {
			keys = append(keys, r.Key[position])
		}
	}
	slices.SortFunc(keys, result.Value.Compare)
	for _, k := range keys {
		with := func(list []result.Row) (some []result.Row) {
			for _, r := range list {
				if r.Key[position].Equal(k) {
					some = append(some, r)
				}
			}
			return some
		}
		was, is := with(old), with(new)
		if last := position == len(slices.Concat(is, was)[0].Key)-1; !last {
			p := &ValueTree{Name: k.String(), Children: rows(kind, was, is, position+1)}
			p.Changed = slices.ContainsFunc(p.Children, func(q *ValueTree) bool {
				return q.Changed
			})
			out = append(out, p)
			continue
		}
		out = append(out, part(k.String(), entry(kind, was), entry(kind, is)))
	}
	return out
}

// entry is the value at one point: of a relation, whether the tuple is in it.
func entry(kind result.ValueKind, rows []result.Row) result.Value {
	switch {
	case kind == result.SetValue:
		return result.Bool(len(rows) > 0)
	case len(rows) == 0:
		return result.Value{Kind: result.NoValue}
	}
	return rows[0].Result
}

// ViewOf shows a state of a run that cannot be stepped on, such as one of timed automata.
func ViewOf(t *result.Trace, at int) (*View, error) {
	if at == -1 {
		at = len(t.Steps) - 1
	}
	if at < 0 || at >= len(t.Steps) {
		return nil, fmt.Errorf("the run has no state %d: its last is state %d", at, len(t.Steps)-1)
	}
	p := &View{
		Title: t.Instance, Address: Address{First: len(t.Steps), Steps: []int{}, At: at},
		Loop:      t.Loop,
		Arbitrary: t.Kind == result.ToInduction, Universe: t.Universe,
		Constants: parts(t.Params, t.Params),
		Choices:   []Choice{}, Truths: []Truth{}, Recorded: true,
	}
	for i, step := range t.Steps {
		stop := Stop{Call: report.Call(step), Changes: []string{}, Violated: []string{}}
		if i > 0 {
			stop.Changes = short(t.Steps[i-1].State, step.State)
		}
		if i == len(t.Steps)-1 && t.Violates != "" {
			stop.Violated = append(stop.Violated, t.Violates)
		}
		p.Run = append(p.Run, stop)
	}
	p.State = parts(t.Steps[max(at-1, 0)].State, t.Steps[at].State)
	return p, nil
}

package ranking

import (
	"context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vc"
)

// witness is a step of a small model between states in which the property is pending. It refutes
// every formula that it makes false, without a question to a solver. It proves nothing.
type witness struct {
	model     *interp.Model
	pre, post interp.State
	args      map[*logic.Var]*logic.Term // the values of the action's parameters and choices
	// Constants that are none of the model, with their values.
	constants []*logic.Symbol
	by        []*logic.Term
}

// newWitness reads a trace of one step; nil if something in it is unknown.
func (p *problem) newWitness(a *system.Action, t *result.Trace) *witness {
	sys := *p.sys
	sys.Symbols = slices.Clone(sys.Symbols)
	w := &witness{args: map[*logic.Var]*logic.Term{}}
	params := slices.Clone(t.Params)
	for i, v := range slices.Concat(a.Params, a.Relation.Choices) {
		if i >= len(t.Steps[1].Args) {
			return nil
		}
		// No name of the user's contains a space.
		c := &logic.Symbol{Name: fmt.Sprintf("argument %d", i+1), Kind: logic.Constant,
			Result: v.Sort}
		sys.Symbols = append(sys.Symbols, c)
		params = append(params, result.Binding{Name: c.Name, Value: t.Steps[1].Args[i].Value})
		w.args[v] = logic.App(c, logic.Pre)
	}
	full := *t
	full.Params = params
	in, err := interp.InstanceOf(&sys, &full)
	if err != nil {
		return nil
	}
	if w.model, err = interp.NewModel(&sys, in); err != nil {
		return nil
	}
	if w.pre, err = w.model.StateOf(slices.Concat(params, t.Steps[0].State)...); err != nil {
		return nil
	}
	if w.post, err = w.model.StateOf(slices.Concat(params, t.Steps[1].State)...); err != nil {
		return nil
	}
	return w
}

// refutes reports whether a formula over both states and the action's arguments is false.
func (w *witness) refutes(t *logic.Term) bool {
	if len(w.args) > 0 {
		t = logic.Subst(t, w.args)
	}
	if len(w.constants) > 0 {
		t = replace(t, w.constants, w.by)
	}
	holds, err := w.model.Holds(t, w.pre, w.post)
	return err == nil && !holds
}

// dialogue gives the dialogue about the steps of an action. The conditions of parts are in its
// questions.
func (s *search) dialogue(a *system.Action) *discharge.Dialogue {
	if d := s.dialogues[a]; d != nil {
		return d
	}
	known := 1
	if s.deep {
		known = 2
	}
	t, picture := s.p.stepFrom(a, true, known)
	d := s.quick.Dialogue(&discharge.Group{Theory: t, Path: picture})
	if s.dialogues == nil {
		s.dialogues = map[*system.Action]*discharge.Dialogue{}
	}
	s.dialogues[a] = d
	return d
}

// close ends the dialogues.
func (s *search) close() {
	for _, d := range s.dialogues {
		d.Close()
	}
	clear(s.dialogues)
}

// claim is the goal under the conditions of a part, over the versions of the symbols in the theory
// of its action.
func (s *search) claim(part *part, goal *logic.Term) *logic.Term {
	pre, post := s.p.versions(part.action)
	return vc.In(part.implies(goal), pre, post)
}

// implies is the formula that the conditions of the part imply the goal.
func (s *part) implies(goal *logic.Term) *logic.Term {
	out := []*logic.Term{goal}
	for _, c := range s.conditions {
		out = append(out, logic.Not(c))
	}
	return logic.Or(out...)
}

// counter looks for a step of a part in which a formula is false, and reports whether it found one.
func (s *search) counter(ctx context.Context, part *part, goal *logic.Term) bool {
	if s.fitted {
		return false // all that is known refutes
	}
	t := s.dialogues[part.action].Model(ctx, s.claim(part, goal))
	if t == nil {
		return false
	}
	w := s.p.newWitness(part.action, t)
	if w == nil || !w.refutes(part.implies(goal)) {
		return false
	}
	part.witnesses = append(part.witnesses, w)
	return true
}

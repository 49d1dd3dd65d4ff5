package ranking

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
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

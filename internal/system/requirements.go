package system

import "erelong.dev/erelong/internal/logic"

// Requirements are the conditions with which an action begins, with the values that names stand
// for. They are about the state before it. Code that stands for a formula has none: its conditions
// may be about the state after the step.
func (a *Action) Requirements() (out []*logic.Term) {
	if !a.Imperative {
		return nil
	}
	named := map[*logic.Var]*logic.Term{}
	for _, s := range a.Code {
		switch s := s.(type) {
		case Require:
			out = append(out, logic.Subst(s.Cond, named))
		case Let:
			named[s.Var] = logic.Subst(s.Value, named)
		default:
			return out
		}
	}
	return out
}

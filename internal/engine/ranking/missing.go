package ranking

import (
	"fmt"
	"strings"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// changed names the symbols of the user that a step of a part may change.
func (s *search) changed(part *part) (names []string) {
	for _, sym := range s.p.originals[part.action].Modifies {
		if !sym.Ghost {
			names = append(names, sym.Name)
		}
	}
	return names
}

// missing says what a proof lacks in steps in which nothing is known to decrease.
func (s *search) missing(part *part) string {
	names := s.changed(part)
	if len(names) == 0 {
		return fmt.Sprintf("%s changes nothing, so only a fair action that stays possible "+
			"meanwhile ends its steps: "+
			"choose names the values of one", part.action.Name)
	}
	which := "them"
	if len(names) == 1 {
		which = "it"
	}
	number := fmt.Sprintf("a number made of %s that these steps make smaller (variable, count)",
		which)
	value := "the values of a fair action that stays possible meanwhile (choose)"
	if part.action.Fairness == system.Unfair { // it may be taken for ever, or never
		number, value = value, number
	}
	return fmt.Sprintf("%s changes %s: what is missing is %s, or %s", part.action.Name,
		strings.Join(names, ", "), number, value)
}

// longGuard is the length, in characters, above which a guard is no part of a skeleton.
const longGuard = 200

// skeleton is a rank to paste into the file: a value with which a weakly fair action can be taken,
// a number made of what a part changes, and a number to fill in.
func (s *search) skeleton(part *part) string {
	rank := fmt.Sprintf("rank [%s] {", s.property)
	for _, f := range s.p.fair {
		params := f.action.Params
		if f.action.Fairness != system.Weak || len(params) != 1 || params[0].Sort == logic.Int {
			continue
		}
		v := &logic.Var{Name: s.p.fresh("ready_" + params[0].Name), Sort: params[0].Sort}
		such := instantiate(f.enabled, params, logic.Refs([]*logic.Var{v})).String()
		if len(such) <= longGuard {
			rank += fmt.Sprintf(" choose %s with %s;", logic.Printer{}.Vars([]*logic.Var{v}), such)
			break
		}
	}
	of := "the state"
	if names := s.changed(part); len(names) > 0 {
		of = strings.Join(names, ", ")
	}
	for _, sym := range s.p.originals[part.action].Modifies {
		if line := numberOf(sym); line != "" && !sym.Ghost {
			rank += " " + line
			break
		}
	}
	return fmt.Sprintf("%s: to give a hint, begin with %s variable 0; } and write in place of 0 "+
		"an integer made of %s that is not negative, and that %s makes smaller; "+
		"a line that helps nothing is named; docs/liveness.md has the other hints",
		s.property, rank, of, part.action.Name)
}

// numberOf is a hint that makes a number of a symbol; empty where none does.
func numberOf(sym *logic.Symbol) string {
	vars := make([]*logic.Var, len(sym.Args))
	for i, sort := range sym.Args {
		if sort == logic.Int {
			return ""
		}
		vars[i] = &logic.Var{Name: fmt.Sprintf("X%d", i+1), Sort: sort}
	}
	value := logic.App(sym, logic.Pre, logic.Refs(vars)...)
	such := value
	switch {
	case sym.Result == logic.Bool:
	case sym.Result.Kind == logic.KindEnum:
		such = logic.Eq(value, logic.Member(sym.Result, 0))
	case sym.Result.Base() == logic.Int && len(vars) == 0:
		return fmt.Sprintf("variable %s;", value)
	default:
		return ""
	}
	if len(vars) == 0 {
		return fmt.Sprintf("variable if %s then 1 else 0;", such)
	}
	return fmt.Sprintf("count (%s) with %s;", logic.Printer{}.Vars(vars), such)
}

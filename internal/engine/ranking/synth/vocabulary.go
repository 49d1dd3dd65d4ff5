package synth

import (
	"cmp"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// vocabulary is what a system compares: pairs of what terms begin with, with how they are compared.
// The search takes measures in these words first, since an accident of small instances, such as
// that two numbers of different meaning are equal, looks like a fact.
type vocabulary map[string]bool

func vocabularyOf(p *Problem) vocabulary {
	w := vocabulary{}
	eachIn(p.System, w.read, func(u system.Update) { w.given(u, u.Value) })
	for _, f := range slices.Concat(p.System.Inits, p.System.Axioms) {
		w.read(f.Term)
	}
	w.read(p.Property.Term)
	return w
}

// eachIn hands on what the actions of a system say: their guards and new values, and the updates
// that give these.
func eachIn(sys *system.System, term func(*logic.Term), update func(system.Update)) {
	for _, a := range sys.Actions {
		if a.Relation == nil {
			continue
		}
		for _, t := range a.Relation.Guard {
			term(t)
		}
		for _, u := range a.Relation.Updates {
			term(u.Value)
			update(u)
		}
	}
}

// read adds the comparisons of a term, and the arguments that it gives to symbols.
func (w vocabulary) read(t *logic.Term) {
	logic.Walk(t, func(t *logic.Term) bool {
		for _, key := range said(t) {
			w[key] = true
		}
		return true
	})
}

// given adds that an update gives a symbol a value, and for which arguments.
func (w vocabulary) given(u system.Update, value *logic.Term) {
	if value.Op == logic.OpIte {
		logic.Walk(value.Args[0], func(t *logic.Term) bool {
			if t.Op == logic.OpEq {
				w.place(u, t.Args[0], t.Args[1])
				w.place(u, t.Args[1], t.Args[0])
			}
			return true
		})
		w.given(u, value.Args[1])
		w.given(u, value.Args[2])
		return
	}
	for i, t := range u.Args {
		w[argumentKey(u.Symbol, i, t)] = true
	}
	if b := beginning(value); value.Sort != logic.Bool && b != u.Symbol.Name {
		w[comparisonKey("=", value.Sort, u.Symbol.Name, b)] = true
	}
}

// place adds that an update is of the place that an equation gives to one of its variables.
func (w vocabulary) place(u system.Update, v, t *logic.Term) {
	if i := slices.Index(u.Vars, v.Var); v.Op == logic.OpVar && i >= 0 {
		w[argumentKey(u.Symbol, i, t)] = true
	}
}

// has reports whether all that an atom says is said by the system.
func (w vocabulary) has(atom *logic.Term) bool {
	all := true
	logic.Walk(atom, func(t *logic.Term) bool {
		for _, key := range said(t) {
			all = all && w[key]
		}
		return all
	})
	return all
}

// said is what a term says without what its parts say: what it compares, and what it gives to a
// symbol as arguments.
func said(t *logic.Term) (out []string) {
	switch {
	case t.Op == logic.OpEq || t.Op == logic.OpLt || t.Op == logic.OpLe:
		return []string{comparisonKey("=", t.Args[0].Sort, beginning(t.Args[0]),
			beginning(t.Args[1]))}
	case t.Op != logic.OpApp:
		return nil
	case len(t.Args) == 2 && !t.Symbol.Mutable && t.Sort == logic.Bool:
		return []string{comparisonKey(t.Symbol.Name, t.Args[0].Sort, beginning(t.Args[0]),
			beginning(t.Args[1]))}
	}
	for i, a := range t.Args {
		out = append(out, argumentKey(t.Symbol, i, a))
	}
	return out
}

func argumentKey(f *logic.Symbol, i int, t *logic.Term) string {
	return fmt.Sprint(f.Name, " ", i, " ", beginning(t))
}

// comparisonKey is the same for both orders of what is compared.
func comparisonKey(how string, sort *logic.Sort, a, b string) string {
	if cmp.Compare(a, b) > 0 {
		a, b = b, a
	}
	return fmt.Sprint(how, " ", sort.Base(), " ", a, " ", b)
}

// beginning is the symbol of a term, whatever its arguments are and a number adds to it; all values
// that have no symbol are alike.
func beginning(t *logic.Term) string {
	switch t.Op {
	case logic.OpApp:
		return t.Symbol.Name
	case logic.OpAdd, logic.OpSub:
		for _, a := range t.Args {
			if name := beginning(a); name != "" {
				return name
			}
		}
	}
	return ""
}

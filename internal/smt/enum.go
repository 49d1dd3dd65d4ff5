package smt

import (
	"fmt"
	"slices"
	"strings"
)

// datatype begins the command that declares an enum.
const datatype = "(declare-datatypes "

// byConstants gives the query with enums declared by constants.
func (q Query) byConstants() (Query, error) {
	var err error
	if q.Base, err = byConstants(q.Base); err == nil {
		q.Body, err = byConstants(q.Body)
	}
	return q, err
}

// byConstants replaces the declarations of enums in commands: the members become distinct
// constants, and a formula says that there are no other values. This means the same. z3 tries the
// members of a datatype one by one for each term of the sort. Of constants it only sees which are
// equal, and it uses the formula only where a value is equal to no member. Proofs take from a
// fifth to four fifths of the time (measured). Values in models then have no names.
func byConstants(commands []string) ([]string, error) {
	is := func(c string) bool { return strings.HasPrefix(c, datatype) }
	if !slices.ContainsFunc(commands, is) {
		return commands, nil
	}
	var out []string
	for _, c := range commands {
		if !is(c) {
			out = append(out, c)
			continue
		}
		e, err := NewReader(strings.NewReader(c)).Read()
		if err != nil {
			return nil, fmt.Errorf("reading the declaration of an enum: %w", err)
		}
		sort := quote(e.List[1].List[0].List[0].Atom)
		var members, any []string
		out = append(out, fmt.Sprintf("(declare-sort %s 0)", sort))
		for _, m := range e.List[2].List[0].List {
			name := quote(m.List[0].Atom)
			out = append(out, fmt.Sprintf("(declare-fun %s () %s)", name, sort))
			members, any = append(members, name), append(any, fmt.Sprintf("(= x %s)", name))
		}
		if len(members) > 1 {
			out = append(out, fmt.Sprintf("(assert (distinct %s))", strings.Join(members, " ")))
		}
		out = append(out, fmt.Sprintf("(assert (forall ((x %s)) (or %s)))", sort,
			strings.Join(any, " ")))
	}
	return out, nil
}

package logic

import "encoding/binary"

// Identity numbers terms. Two terms have the same number exactly if they are the same up to their
// source positions. The names of bound variables count. Each term is visited once, however often it
// is shared.
type Identity struct {
	numbers map[*Term]int
	known   map[shape]int
}

// shape is a term whose arguments are replaced by their numbers.
type shape struct {
	op       Op
	sort     *Sort
	symbol   *Symbol
	step     int
	index    int
	variable *Var
	rest     string // the value of a number, or the numbers of the arguments
	vars     string
}

// NewIdentity returns an Identity that has numbered no term.
func NewIdentity() *Identity {
	return &Identity{numbers: map[*Term]int{}, known: map[shape]int{}}
}

// Of is the number of a term.
func (id *Identity) Of(t *Term) int {
	if n, ok := id.numbers[t]; ok {
		return n
	}
	s := shape{op: t.Op, sort: t.Sort, symbol: t.Symbol, step: t.Step, index: t.Index,
		variable: t.Var}
	var rest []byte
	if t.Int != nil {
		rest = t.Int.Append(rest, 62)
	}
	for _, a := range t.Args {
		rest = binary.AppendUvarint(rest, uint64(id.Of(a)))
	}
	s.rest = string(rest)
	var vars []byte
	for _, v := range t.Vars {
		vars = binary.AppendUvarint(vars, uint64(id.variable(v)))
	}
	s.vars = string(vars)
	n, ok := id.known[s]
	if !ok {
		n = len(id.known)
		id.known[s] = n
	}
	id.numbers[t] = n
	return n
}

// variable is the number of a variable.
func (id *Identity) variable(v *Var) int {
	s := shape{op: -1, variable: v}
	n, ok := id.known[s]
	if !ok {
		n = len(id.known)
		id.known[s] = n
	}
	return n
}

package vc

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// Path describes how a model becomes a trace.
type Path struct {
	Kind     result.TraceKind
	Violates string // name of the property
	States   []Versions
	Steps    [][]Alternative // Steps[i] leads from States[i] to States[i+1]
}

// OneState is the path of a counterexample that has one state, the first version of all symbols.
func OneState() Path {
	return Path{Kind: result.ToInduction, States: []Versions{{}}}
}

// Alternative is an action that may have been taken in a step.
type Alternative struct {
	Action string
	Taken  *logic.Var // true when this action is taken; nil when there is no other
	Args   []Argument
}

// Argument is a value of a parameter or choice of an action.
type Argument struct {
	Name string
	Sort *logic.Sort
	Term *logic.Term
}

// Arguments are the parameters and choices of an action.
func Arguments(a *system.Action) []Argument {
	var out []Argument
	for _, v := range slices.Concat(a.Params, a.Relation.Choices) {
		out = append(out, Argument{v.Name, v.Sort, logic.Ref(v)})
	}
	return out
}

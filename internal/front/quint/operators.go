package quint

// plain are the operators of Quint that are one of TLA+, with the same arguments in the same order.
var plain = map[string]string{
	"iadd": "+", "isub": "-", "imul": "*", "ipow": "^", "iuminus": "-.",
	"ilt": "<", "ilte": "<=", "igt": ">", "igte": ">=", "to": "..",
	"eq": "=", "neq": "/=", "not": `\lnot`, "implies": "=>", "iff": `\equiv`,
	"in": `\in`, "union": `\union`, "intersect": `\intersect`, "exclude": `\`,
	"subseteq": `\subseteq`, "powerset": "SUBSET", "flatten": "UNION", "keys": "DOMAIN",
	"size": "Cardinality", "isFinite": "IsFiniteSet", "allLists": "Seq", "fieldNames": "DOMAIN",
	"concat": `\o`, "append": "Append", "head": "Head", "tail": "Tail", "length": "Len",
	"always": "[]", "eventually": "<>", "leadsTo": "~>", "enabled": "ENABLED", "next": "'",
}

// defined are the operators that the module Quint of the library defines, with the same arguments.
var defined = map[string]string{
	"idiv": "Div", "imod": "Mod", "put": "Put", "setToMap": "SetToMap", "range": "Range",
	"allListsUpTo": "ListsUpTo", "slice": "Slice", "getOnlyElement": "Only",
}

// unfailing are the operators of the library that take the place of others in proofs, where nothing
// fails.
var unfailing = map[string]string{"Div": "DivBy", "Mod": "ModBy", "Only": "Some", "Slice": "Cut"}

// arities are the numbers of arguments of the operators that may be arguments themselves.
var arities = map[string]int{"not": 1, "iuminus": 1, "powerset": 1, "flatten": 1, "keys": 1,
	"size": 1, "isFinite": 1, "head": 1, "tail": 1, "length": 1, "indices": 1, "allLists": 1,
	"setToMap": 1, "getOnlyElement": 1}

// builtin reports whether a name is one of an operator of the language.
func builtin(name string) bool {
	_, isPlain := plain[name]
	_, isDefined := defined[name]
	return isPlain || isDefined || special[name] != nil
}

// arity is the number of arguments of an operator of the language that stands as an argument.
func arity(name string) int {
	if n, ok := arities[name]; ok {
		return n
	}
	return 2
}

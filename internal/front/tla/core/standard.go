package core

// standardModule is a module whose operators are built in, with their arities.
type standardModule struct {
	extends []string
	arity   map[string]int
}

// standardModules lists them by name; the operators of "" are the ones of every module.
var standardModules = map[string]standardModule{
	"": {arity: map[string]int{"TRUE": 0, "FALSE": 0, "BOOLEAN": 0, "STRING": 0, `\lnot`: 1,
		`/\`: 2, `\/`: 2, "=>": 2, `\equiv`: 2, "=": 2, "/=": 2, `\in`: 2, `\notin`: 2,
		`\subseteq`: 2, `\union`: 2, `\intersect`: 2, `\`: 2, "SUBSET": 1, "UNION": 1,
		"DOMAIN": 1, "ENABLED": 1, "UNCHANGED": 1, "'": 1, "[]": 1, "<>": 1, "~>": 2, `\cdot`: 2,
		"-+->": 2}},
	"Naturals": {arity: map[string]int{"+": 2, "-": 2, "*": 2, "^": 2, `\div`: 2, "%": 2, "<": 2,
		">": 2, "<=": 2, ">=": 2, "..": 2, "Nat": 0}},
	"Integers": {extends: []string{"Naturals"}, arity: map[string]int{"Int": 0, "-.": 1}},
	"Sequences": {arity: map[string]int{"Seq": 1, "Len": 1, `\o`: 2, "Append": 2, "Head": 1,
		"Tail": 1, "SubSeq": 3, "SelectSeq": 2}},
	"FiniteSets": {arity: map[string]int{"IsFiniteSet": 1, "Cardinality": 1}},
	// What the modules of the library need: folds, the elements of a set in their order, subsets of
	// a size, points of a circle, values in files, some elements of a large set.
	"Erelong": {arity: map[string]int{"FoldLeft": 3, "Folded": 3, "SetToSeq": 1, "Listed": 1,
		"SubsetsOf": 2, "SortedSeq": 2, "RingPoint": 1, "Few": 1,
		"JsonFile": 1, "JsonLines": 1, "Number": 1}},
	"TLC": {arity: map[string]int{":>": 2, "@@": 2, "Print": 2, "PrintT": 1, "Assert": 2,
		"Permutations": 1, "SortSeq": 2, "ToString": 1, "TLCEval": 1, "Any": 0, "TLCGet": 1,
		"TLCSet": 2, "RandomElement": 1, "JavaTime": 0}},
}

// operatorArguments says which argument of a built-in operator is an operator, and its arity.
var operatorArguments = map[string]map[int]int{
	"SelectSeq": {1: 1}, "SortSeq": {1: 2}, "SortedSeq": {1: 2},
	"FoldLeft": {0: 2}, "Folded": {0: 2},
}

// Standard reports whether a name is one of a module whose operators are built in.
func Standard(name string) bool {
	for _, m := range standardModules {
		if _, ok := m.arity[name]; ok {
			return true
		}
	}
	return false
}

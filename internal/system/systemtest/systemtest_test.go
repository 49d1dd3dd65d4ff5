package systemtest

import (
	"math/rand"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// operators counts the operators of a term.
func operators(t *logic.Term, seen map[logic.Op]int) {
	logic.Walk(t, func(t *logic.Term) bool {
		seen[t.Op]++
		return true
	})
}

// TestGenerateCoversTheIR checks that generated systems are repeatable and together contain
// everything that engines must be able to read. Package system tests that they are valid and that
// their renderings agree.
func TestGenerateCoversTheIR(t *testing.T) {
	seen := map[string]int{}
	ops := map[logic.Op]int{}
	for seed := range int64(300) {
		sys, err := Generate(rand.New(rand.NewSource(seed)), Options{})
		if err != nil {
			t.Fatal(err)
		}
		again, err := Generate(rand.New(rand.NewSource(seed)), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if sys.String() != again.String() {
			t.Fatalf("seed %d gives two systems:\n%s\n%s", seed, sys, again)
		}
		seen["derived"] += len(sys.Derived)
		seen["axiom"] += len(sys.Axioms)
		seen["init"] += len(sys.Inits)
		for _, s := range sys.Symbols {
			seen["result "+word(s.Result)]++
			for _, a := range s.Args {
				seen["argument "+word(a)]++
			}
			if !s.Mutable && sys.Instances[0].Values[s] == nil {
				seen["open immutable"]++
			}
		}
		for _, p := range sys.Properties {
			seen[string(p.Kind)]++
			operators(p.Term, ops)
		}
		for _, a := range sys.Actions {
			seen["parameter"] += len(a.Params)
			seen["choice"] += len(a.Relation.Choices)
			seen["input"] += len(a.Relation.Inputs)
			seen["update"] += len(a.Relation.Updates)
			if !a.Imperative && len(a.Relation.Updates) < len(a.Modifies) {
				seen["unsolved"]++
			}
			statements(a.Code, seen)
		}
	}
	// A test on generated systems so meets every operator. The operators before always are not
	// temporal.
	for op := logic.OpInt; op < logic.OpAlways; op++ {
		if ops[op] < 20 {
			t.Errorf("operator %d: only %d times", op, ops[op])
		}
	}
	for _, what := range strings.Split("derived,axiom,init,result bool,result node,result item,result colour,result range,"+
		"argument node,argument colour,argument range,open immutable,safety,invariant,range,parameter,choice,input,update,"+
		"unsolved,require,assign,assign at once,havoc,choose,let,if", ",") {
		if seen[what] < 20 {
			t.Errorf("only %d times: %s", seen[what], what)
		}
	}
}

func word(s *logic.Sort) string {
	if s.Kind == logic.KindRange {
		return "range"
	}
	return s.Name
}

func statements(code []system.Stmt, seen map[string]int) {
	for _, s := range code {
		switch s := s.(type) {
		case system.Require:
			seen["require"]++
		case system.Assign:
			seen["assign"]++
			if len(s.Updates) > 1 {
				seen["assign at once"]++
			}
		case system.Havoc:
			seen["havoc"]++
		case system.Choose:
			seen["choose"]++
		case system.Let:
			seen["let"]++
		case system.If:
			seen["if"]++
			statements(s.Then, seen)
			statements(s.Else, seen)
		}
	}
}

package syntax

import (
	"strings"
	"testing"

	"erelong.dev/erelong/internal/diag"
)

// A proof is read over to its end, and what follows it is read.
func TestProofs(t *testing.T) {
	for _, proof := range []string{
		"OBVIOUS",
		"PROOF OMITTED",
		"BY x, <1>1 DEF +, A",
		"BY ONLY MODULE N, F(LAMBDA a : a) DEFS MODULE M",
		"BY DEF -.",
		"<1> QED",
		"<1>1. x = y\n<1>2 QED BY <1>1",
		"PROOF\n<1>a. x OBVIOUS\n<1>. QED",
		"<1>1. x\n  <2>1. y BY z\n  <2> QED\n<1>2. QED",
		"<1>1. x\n  <7>1. y\n    <9> QED\n  <7> QED\n<1>2. QED",
		"<*> x\n  <+> y\n  <*> QED\n<*> QED",
		"<0> x\n  <*> y OBVIOUS\n<0> QED",
		"<+> x\n<*> QED",
		"<1> y\nPROOF\n  <*>1. x BY <*>1\n  <2> QED\n<1> QED",
		"<3> x\n  <+> y\n  <4> z\n  <*> QED\n<3> QED",
		"<1> DEFINE a == 1 f[i \\in S] == i b + c == b\n<1> d == 2 e == 3\n<1> QED",
		"<1> INSTANCE N WITH x <- y\n<1> USE DEF x\n<1> HIDE x\n<1> HAVE x\n<1> QED",
		"<1> TAKE x, y\n<1> TAKE x \\in S, <<y, z>> \\in T\n<1> WITNESS 1, x \\in S\n<1> QED",
		"<1> PICK x : y OBVIOUS\n<1> PICK x, z \\in S : y\n  <2> QED\n<1> QED",
		"<1> ~x OBVIOUS\n<1> []y => z OBVIOUS\n<1> x' OBVIOUS\n<1> f(x) = 1 OBVIOUS\n<1> QED",
		"<1> CASE x OBVIOUS\n<1> SUFFICES x BY y\n<1> QED",
		"<1> SUFFICES ASSUME NEW x, NEW CONSTANT y \\in S, NEW F(_), NEW VARIABLE v, " +
			"NEW STATE s, ACTION A, TEMPORAL B, CONSTANT c, VARIABLE w, p = q,\n" +
			"  l :: ASSUME x PROVE y\n PROVE z\n<1> QED",
		"<1> l :: []ASSUME x []PROVE y\n<1> QED",
	} {
		text := "---- MODULE M ----\nTHEOREM x\n" + proof + "\nA == 1\nTHEOREM y OBVIOUS\n====\n"
		errs := &diag.List{}
		m := Parse(diag.NewSource("M.tla", text), errs)
		if m == nil || len(m[0].Units) != 3 {
			t.Errorf("%s\n%v", proof, errs)
		}
	}
}

func TestProofErrors(t *testing.T) {
	for proof, message := range map[string]string{
		"PROOF":                                 "expected 'a step of a proof'",
		"<1> x":                                 "expected 'a step of a proof'",
		"<2> x\n<1> QED":                        "this step has not the level",
		"<1> x\n  <+> y\n<1> QED":               "this step has not the level",
		"<1> x\n  <+> y\n  <+> QED":             "expected 'a step of a proof'",
		"<1> x\n<2> QED\n<1> QED":               "",
		"<1> y\nPROOF\n<*> x\n<3> QED\n<1> QED": "this step has not the level",
		"PROOF <1> x\nPROOF <1> QED":            "this step has not the level",
		"<1> HAVE x BY y\n<1> QED":              "a step of this kind takes no proof",
		"<1> TAKE x OBVIOUS\n<1> QED":           "a step of this kind takes no proof",
		"<1> USE x OBVIOUS\n<1> QED":            "a step of this kind takes no proof",
		"<1> a == 1 OBVIOUS\n<1> QED":           "a step of this kind takes no proof",
		"<1> TAKE <<x>>\n<1> QED":               "expected '\\in'",
		"<1> DEFINE x\n<1> QED":                 "expected '=='",
		"<99999999999999999999> x":              "a level of steps that is too large",
		"BY x DEF\n":                            "expected an expression",
		"<1> ASSUME x\n<1> QED":                 "expected 'PROVE'",
		"<1> ASSUME NEW F(_) \\in S PROVE x":    "expected 'PROVE'",
		"<1> QED\n<1> QED":                      "expected a definition, a declaration or '===='",
		"BY <1>.":                               "expected an expression",
	} {
		errs := &diag.List{}
		Parse(diag.NewSource("M.tla", "---- MODULE M ----\nTHEOREM x\n"+proof+"\n====\n"), errs)
		if message == "" && errs.Err() != nil ||
			message != "" && (errs.Err() == nil || !strings.Contains(errs.All[0].Message, message)) {
			t.Errorf("%s\n%v", proof, errs)
		}
	}
}

// After a proof, the name of a step is no formula.
func TestStepOutsideProof(t *testing.T) {
	errs := &diag.List{}
	Parse(diag.NewSource("M.tla", "---- MODULE M ----\nTHEOREM x\n<1>1 QED\nA == <1>1\n===="), errs)
	if len(errs.All) != 1 || errs.All[0].Span.Line() != 4 {
		t.Error(errs)
	}
}

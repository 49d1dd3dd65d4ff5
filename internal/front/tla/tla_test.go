package tla

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/system"
)

// read reads the first file of an archive, with the others beside it.
func read(t *testing.T, archive string) (*ere.Specification, error) {
	t.Helper()
	a := txtar.Parse([]byte(archive))
	first := a.Files[0]
	beside := func(path string) ([]byte, error) {
		for _, f := range a.Files {
			if f.Name == path {
				return f.Data, nil
			}
		}
		return nil, os.ErrNotExist
	}
	spec, _, err := Read(t.Context(), first.Name, string(first.Data), beside)
	return spec, err
}

// explored is what a search finds: distinct states, generated ones, and the invariant that it finds
// violated first.
type explored struct {
	distinct, generated int
	violated            string
}

// explore searches breadth-first, with one computer.
func explore(t *testing.T, sys *system.System, c system.Computer) (out explored, failure error) {
	t.Helper()
	seen := map[string]bool{}
	var queue [][]int64
	holds := func(number int, state, next []int64) bool {
		ok, err := c.Holds(number, state, next)
		if err != nil {
			failure = err
		}
		return ok
	}
	add := func(from, state []int64) error {
		out.generated++
		for _, p := range sys.Properties {
			if p.Kind == system.Safety && out.violated == "" &&
				!holds(sys.DerivedOf(p.Term.Symbol).Predicate.Number, state, nil) {
				out.violated = p.Name
			}
		}
		for _, b := range sys.Computed.Boundary {
			p := sys.DerivedOf(b.Term.Symbol).Predicate
			at, next := state, []int64(nil)
			if p.OfStep {
				if at, next = from, state; from == nil {
					continue
				}
			}
			if !holds(p.Number, at, next) {
				return failure
			}
		}
		if s, ok := c.(system.Standing); ok && failure == nil {
			state, failure = s.Stand(state)
		}
		if key := fmt.Sprint(state); !seen[key] {
			seen[key] = true
			queue = append(queue, slices.Clone(state))
		}
		return failure
	}
	ctx := context.Background()
	if err := c.Initial(ctx, func(s []int64) error { return add(nil, s) }); err != nil {
		return out, err
	}
	for i := 0; i < len(queue); i++ {
		state := queue[i]
		err := c.Steps(ctx, state, func(_ int, _, next []int64) error {
			return add(state, slices.Clone(next))
		})
		if err != nil {
			return out, err
		}
	}
	out.distinct = len(seen)
	return out, failure
}

// models are small models with the counts that TLC gives.
var models = []struct {
	name, archive string
	want          explored
}{
	{"two-phase commit", `
-- M.tla --
---- MODULE M ----
CONSTANT RM
VARIABLES rm, tm, prepared, msgs
vars == <<rm, tm, prepared, msgs>>
Message == [type : {"Prepared"}, from : RM] \cup [type : {"Commit", "Abort"}]
Init == rm = [r \in RM |-> "working"] /\ tm = "init" /\ prepared = {} /\ msgs = {}
Rcv(r) == /\ tm = "init" /\ [type |-> "Prepared", from |-> r] \in msgs
          /\ prepared' = prepared \cup {r} /\ UNCHANGED <<rm, tm, msgs>>
Commit == /\ tm = "init" /\ prepared = RM /\ tm' = "committed"
          /\ msgs' = msgs \cup {[type |-> "Commit"]} /\ UNCHANGED <<rm, prepared>>
Abort == /\ tm = "init" /\ tm' = "aborted"
         /\ msgs' = msgs \cup {[type |-> "Abort"]} /\ UNCHANGED <<rm, prepared>>
Prepare(r) == /\ rm[r] = "working" /\ rm' = [rm EXCEPT ![r] = "prepared"]
              /\ msgs' = msgs \cup {[type |-> "Prepared", from |-> r]}
              /\ UNCHANGED <<tm, prepared>>
Quit(r) == rm[r] = "working" /\ rm' = [rm EXCEPT ![r] = "aborted"] /\ UNCHANGED <<tm, prepared, msgs>>
Told(r, what, to) == /\ [type |-> what] \in msgs /\ rm' = [rm EXCEPT ![r] = to]
                     /\ UNCHANGED <<tm, prepared, msgs>>
Next == \/ Commit \/ Abort
        \/ \E r \in RM : \/ Rcv(r) \/ Prepare(r) \/ Quit(r)
                         \/ Told(r, "Commit", "committed") \/ Told(r, "Abort", "aborted")
Spec == Init /\ [][Next]_vars
TypeOK == /\ rm \in [RM -> {"working", "prepared", "committed", "aborted"}]
          /\ tm \in {"init", "committed", "aborted"} /\ prepared \subseteq RM
          /\ msgs \subseteq Message
Agree == \A a, b \in RM : ~(rm[a] = "aborted" /\ rm[b] = "committed")
====
-- M.cfg --
CONSTANT RM = {r1, r2, r3}
SPECIFICATION Spec
INVARIANTS TypeOK Agree
`, explored{288, 1146, ""}},
	{"symmetric two-phase commit", "SYMMETRY", explored{80, 318, ""}},
	{"constraint", `
-- C.tla --
---- MODULE C ----
EXTENDS Naturals, Sequences
VARIABLE q
Init == q = <<>>
Push == \E x \in {1, 2} : q' = Append(q, x)
Pop == q # <<>> /\ q' = Tail(q)
Next == Push \/ Pop
Short == Len(q) < 3
Small == Len(q) < 3
====
-- C.cfg --
INIT Init
NEXT Next
CONSTRAINT Short
INVARIANT Small
`, explored{7, 21, "Small"}},
	{"a quantifier that can be true in several ways for each element", `
-- Q.tla --
---- MODULE Q ----
EXTENDS Naturals
VARIABLES x, y
Init == x = <<0, 0>> /\ y = 0
Known(i) == \E b \in 0..1, c \in 1..3 : IF b = 0 THEN c = 1 ELSE x[i] < 2
Next == \/ \E i \in 1..2 : x[i] < 2 /\ x' = [x EXCEPT ![i] = @ + 1] /\ y' = y
        \/ (\A i \in 1..2 : Known(i)) /\ y' = 1 /\ x' = x
====
-- Q.cfg --
INIT Init NEXT Next
`, explored{18, 187, ""}},
	{"instances, recursion, CHOOSE", `
-- I.tla --
---- MODULE I ----
EXTENDS Integers, FiniteSets
VARIABLES s, n
RECURSIVE Sum(_)
Sum(S) == IF S = {} THEN 0 ELSE LET x == CHOOSE x \in S : TRUE IN x + Sum(S \ {x})
f[i \in 0..5] == IF i = 0 THEN 1 ELSE i * f[i - 1]
Counter == INSTANCE K WITH limit <- f[3], x <- n
Init == s = {} /\ n = 0
Next == \/ Counter!Up /\ UNCHANGED s
        \/ \E e \in 1..3 : s' = s \cup {e} /\ n' = Sum(s')
TypeOK == n <= Counter!Most /\ Sum(s) <= f[3]
====
-- I.cfg --
INIT Init NEXT Next INVARIANT TypeOK
-- K.tla --
---- MODULE K ----
LOCAL INSTANCE Integers
CONSTANT limit
VARIABLE x
Most == limit
Up == x < Most /\ x' = x + 1
====
`, explored{32, 121, ""}},
	{"disjunctions after all variables have values, and v' \\subseteq S", `
-- D.tla --
---- MODULE D ----
EXTENDS Integers
VARIABLES x, s
Init == x = 0 /\ s \subseteq {1, 2} /\ (x = 0 \/ s = {} \/ x < 2)
A == x' = 1 - x /\ s' = s /\ (x = 0 \/ x < 2) /\ (\A v \in {1, 2} : v > x \/ v > 0)
B == s' \subseteq {1} /\ x' = x /\ (\E v \in {1, 2} : v > x)
C == (x = 0 \/ x < 2) /\ UNCHANGED <<x, s>>
Next == A \/ B \/ C
====
-- D.cfg --
INIT Init NEXT Next
`, explored{8, 40, ""}},
	{"ENABLED of a step of an instance, from outside", `
-- N.tla --
---- MODULE N ----
EXTENDS Integers
VARIABLE x
K == INSTANCE K WITH limit <- 3, x <- x
Init == x = 0
Next == x' \in 0..3
Fits == ENABLED (K!Up /\ x' = 2)
Can == ENABLED (K!Up /\ x' = x + 1) \/ x = 3
====
-- N.cfg --
INIT Init NEXT Next INVARIANTS Can Fits
-- K.tla --
---- MODULE K ----
LOCAL INSTANCE Integers
CONSTANT limit
VARIABLE x
Up == x < limit /\ x' = x + 1
====
`, explored{4, 17, "Fits"}},
	{"an instance with a parameter that is bound by a quantifier", `
-- P.tla --
---- MODULE P ----
EXTENDS Integers
VARIABLE x
I(Succ) == INSTANCE Q
Init == x = 0
Next == x' = 1 - x
Inv == \A Succ \in [{1, 2} -> SUBSET {1, 2}] : I(Succ)!L
====
-- P.cfg --
INIT Init NEXT Next INVARIANT Inv
-- Q.tla --
---- MODULE Q ----
CONSTANT Succ
R(S) == \E q \in {1, 2} : q \in Succ[1] \/ q \notin Succ[1]
L == \A S \in SUBSET {1, 2} : R(S)
====
`, explored{2, 3, ""}},
	{"a membership in a set that has too many elements to be listed", `
-- U.tla --
---- MODULE U ----
EXTENDS Integers
VARIABLES x, s
All(n) == {P \in SUBSET SUBSET (1..n) : UNION P \subseteq 1..n /\ P # {{3 - x}}}
Whole == {P \in SUBSET SUBSET (1..4 + x) : \A Q \in P : Q # {}}
Init == x = 1 /\ s = {}
Next == \E e \in 1..2 : s' = s \cup {{e}} /\ x' = e /\ s \in All(5 + x - x)
Inv == s \in All(4 + x) /\ (s = {} \/ s \in Whole)
====
-- U.cfg --
INIT Init NEXT Next INVARIANT Inv
`, explored{5, 11, ""}},
	{"names that are declared again", `
-- V.tla --
---- MODULE V ----
EXTENDS W
CONSTANT n
VARIABLES x, y, y
Init == x = n /\ y = n
Next == Step /\ y' = x
====
-- V.cfg --
INIT Init NEXT Next CONSTANT n = 1
-- W.tla --
---- MODULE W ----
EXTENDS Integers
CONSTANT n
VARIABLE x
Step == x' = 1 - x
====
`, explored{3, 4, ""}},
	{"a union of sets whose elements cannot be compared", `
-- Y.tla --
---- MODULE Y ----
VARIABLE x
Op == [op : {"get", "put"}, k : {1, 2}]
Init == x = "idle"
Next == x' \in {"idle"} \cup Op
Inv == x \in Op \cup {"idle"}
====
-- Y.cfg --
INIT Init NEXT Next INVARIANT Inv
`, explored{5, 26, ""}},
	{"what labels stand for", `
-- Z.tla --
---- MODULE Z ----
EXTENDS Integers
VARIABLE x
Two == /\ low :: x < 2
       /\ high :: (x < 3 /\ top :: x < 7)
Init == x = 0
Next == Two!low /\ Two!high!top /\ Two!2!1 /\ x' = x + 1
====
-- Z.cfg --
INIT Init NEXT Next CHECK_DEADLOCK FALSE
`, explored{3, 3, ""}},
}

// archiveOf is the archive of a model: another one's with a symmetry, for the word SYMMETRY.
func archiveOf(i int) string {
	if models[i].archive != "SYMMETRY" {
		return models[i].archive
	}
	a := strings.Replace(models[i-1].archive, "CONSTANT RM\n", "CONSTANT RM\nP == TLC!Permutations(RM)\n", 1)
	a = strings.Replace(a, "---- MODULE M ----\n", "---- MODULE M ----\nTLC == INSTANCE TLC\n", 1)
	return strings.Replace(a, "INVARIANTS", "SYMMETRY P\nINVARIANTS", 1)
}

func TestModels(t *testing.T) {
	for i, m := range models {
		spec, err := read(t, archiveOf(i))
		if err != nil {
			t.Errorf("%s: %v", m.name, err)
			continue
		}
		sys := spec.System
		computer := sys.Computed.Computer(t.Context())
		if got, err := explore(t, sys, computer); err != nil || got != m.want {
			t.Errorf("%s: %v %v, not %v", m.name, got, err, m.want)
		}
		if m.archive == "SYMMETRY" {
			continue
		}
		if got, err := explore(t, sys, sys.Computed.Plain()); err != nil || got != m.want {
			t.Errorf("%s without memory: %v %v, not %v", m.name, got, err, m.want)
		}
	}
}

// TestErrors reads or explores wrong models.
func TestErrors(t *testing.T) {
	for body, want := range map[string]string{
		"Init == x = 0\nNext == x' = y":                                                      "unknown operator 'y'",
		"Init == x = 0\nNext == x' = x + 1":                                                  "unknown operator '+'",
		"EXTENDS Nowhere\nInit == x = 0\nNext == x' = x":                                     "there is no module Nowhere",
		"Init == x = 0\nNext == TRUE":                                                        "the action gives x no value",
		"Init == x = 0\nNext == x' = x /\\ y' = x":                                           "unknown operator 'y'",
		"Init == x = <<>>\nNext == x' = x[1]":                                                "is not in its domain",
		"Init == x = {}\nNext == x' = CHOOSE e \\in x : TRUE":                                "no element of the set satisfies",
		"Init == x = 0\nNext == x' = (x = \"a\")":                                            "0 cannot be compared with \"a\"",
		"Init == x = 0\nNext == x' = [y \\in {1} |-> y].z":                                   "has no field z",
		"Init == x \\in STRING\nNext == x' = x":                                              "it is infinite",
		"Init == x = 0\nNext == x' = x''":                                                    "prime",
		"Op(a) == a\nInit == x = 0\nNext == x' = Op(1, 2)":                                   "takes 1 arguments, and is used with 2",
		"F == F\nInit == x = F\nNext == x' = x":                                              "is defined by itself",
		"Init == x = 0\nNext == x' = CHOOSE e : e = 1":                                       "has no set to choose from",
		"Init == x = 0\nNext == x' = {1, \"a\"}":                                             "cannot be elements of one set",
		"EXTENDS TLC\nInit == x = 0\nNext == x' = TLCGet(\"level\")":                         "--max-depth N bounds the runs",
		"EXTENDS TLC\nInit == TLCSet(1, 2) /\\ x = 0\nNext == x' = TLCGet(1)":                "depend on the order",
		"EXTENDS TLCExt\nInit == AssertError(\"a\", 1) /\\ x = 0\nNext == x' = x":            "is not supported",
		"EXTENDS TLCExt\nInit == x = 0\nNext == x' = TLCGetOrDefault(1, 0)":                  "depend on the order",
		"EXTENDS TLCExt\nInit == x = 0\nNext == x' = TLCGetAndSet(1, LAMBDA a, b : a, 1, 0)": "depend on the order",
		"Init == x = 0\nNext == (CASE x = 1 -> x' = x)":                                      "no case applies",
		"CONSTANT C\nInit == x = C\nNext == x' = x":                                          "gives no value to C",
		"Init == x = 0\nNext == \\E e : x' = e":                                              "has no set",
		"A == 1\nInit == x = A\nNext == x' = x\nA == 2":                                      "A is defined already",
		"EXTENDS Sequences\nLen(s) == 1\nInit == x = Len(0)\nNext == x' = x":                 "Len is defined already, in module Sequences",
		"EXTENDS Integers\n-. a == a\nInit == x = -1\nNext == x' = x":                        "-. is defined already, in module Integers",
		"x == 1\nInit == x = 1\nNext == x' = x":                                              "x is defined already",
		"Init == x = LET a == 1 a == 2 IN a\nNext == x' = x":                                 "a is defined already",
		"A(a, a) == a\nInit == x = A(1, 2)\nNext == x' = x":                                  "a is defined already",
		"RECURSIVE G(_)\nG(a) == G(a)\nInit == x = G(1)\nNext == x' = x":                     "does it come to an end",
	} {
		ext, rest, _ := strings.Cut(body, "\n")
		if !strings.HasPrefix(ext, "EXTENDS") {
			ext, rest = "", body
		}
		spec, err := read(t, "-- E.tla --\n---- MODULE E ----\n"+ext+"\nVARIABLE x\n"+rest+
			"\n====\n-- E.cfg --\nINIT Init NEXT Next CHECK_DEADLOCK FALSE\n")
		if err == nil {
			_, err = explore(t, spec.System, spec.System.Computed.Computer(t.Context()))
			var e *system.ComputedError
			if err != nil && (!errors.As(err, &e) || e.Span.Source == nil) {
				t.Errorf("%s: the error has no place: %v", body, err)
			}
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %s", body, err, want)
		}
	}
}

// TestAssumptionsRemembered evaluates where there is no state yet what would not come to an end if
// each call were computed again.
func TestAssumptionsRemembered(t *testing.T) {
	_, err := read(t, `-- F.tla --
---- MODULE F ----
EXTENDS Naturals
RECURSIVE Fib(_)
Fib(n) == IF n < 2 THEN n ELSE Fib(n - 1) + Fib(n - 2)
ASSUME Fib(80) = 23416728348467685
VARIABLE x
Init == x \in {n \in 80..81 : Fib(n) > 23416728348467685}
Next == x' = x
====
-- F.cfg --
INIT Init NEXT Next
`)
	if err != nil {
		t.Error(err)
	}
}

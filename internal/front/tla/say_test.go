package tla

import (
	"os"
	"testing"
)

// TestSay has formulas of a translation, and what they are in the module.
func TestSay(t *testing.T) {
	module := `---- MODULE K ----
EXTENDS Integers, TLC, Sequences
CONSTANTS Client, Res, None
ASSUME None \notin Client
VARIABLES alloc, own, at, waiting, msgs, log, line
vars == <<alloc, own, at, waiting, msgs, log, line>>
Init == /\ alloc = [c \in {} |-> None] /\ own = [r \in Res |-> 0]
        /\ at = [c \in Client |-> alloc] /\ waiting = <<>> /\ msgs = {}
        /\ log = [n \in 0..3 |-> [n |-> 0]] /\ line = <<>>
Take(c, r) == /\ alloc' = (c :> r) @@ alloc /\ own' = [own EXCEPT ![r] = 1]
              /\ at' = [at EXCEPT ![c] = alloc] /\ waiting' = Append(waiting, c)
              /\ msgs' = msgs \cup {[type |-> "a", of |-> c], [type |-> "b", n |-> 1]}
              /\ log' = [log EXCEPT ![0] = [n |-> 1]] /\ line' = Append(line, log[0])
Next == \E c \in Client, r \in Res : Take(c, r) /\ None \notin Res
Spec == Init /\ [][Next]_vars
True == TRUE
THEOREM Spec => []True
====
`
	none := func(string) ([]byte, error) { return nil, os.ErrNotExist }
	for _, c := range [][2]string{
		{"!in_alloc(None)", `None \notin DOMAIN alloc`},
		{"forall C:client. alloc(C) = None", `\A c \in DOMAIN alloc : alloc[c] = None`},
		{"forall C:client. !in_alloc(C) | alloc(C) = None",
			`\A c \in DOMAIN alloc : alloc[c] = None`},
		{"forall C:client, R:res. in_alloc(C) & R = alloc(C) -> own(R) = 1",
			`\A c \in DOMAIN alloc : alloc[c] \in DOMAIN own => own[alloc[c]] = 1`},
		{"forall C:client, D:client. in_at(C, D) -> in_alloc(D)",
			`\A c \in DOMAIN at : \A d \in DOMAIN at[c] : d \in DOMAIN alloc`},
		{"forall M in msgs. M is a -> Client(M.of)",
			`\A m \in msgs : m.type = "a" => m.of \in Client`},
		{"forall M in msgs. Client(M.of)", `\A m \in msgs : m.type = "a" => m.of \in Client`},
		{"Client(first(waiting))", `waiting /= <<>> => Head(waiting) \in Client`},
		{"waiting != [] -> log(if first(waiting) = None then 1 else 0).n = 0",
			`waiting /= <<>> /\ (IF Head(waiting) = None THEN 1 ELSE 0) \in DOMAIN log => ` +
				`log[IF Head(waiting) = None THEN 1 ELSE 0].n = 0`},
		{"log(if waiting = [] then 0 else if first(waiting) = None then 1 else 0).n = 0",
			`(IF waiting = <<>> THEN 0 ELSE IF Head(waiting) = None THEN 1 ELSE 0) \in DOMAIN log => ` +
				`log[IF waiting = <<>> THEN 0 ELSE IF Head(waiting) = None THEN 1 ELSE 0].n = 0`},
		{"exists C:client. alloc(C) = None", ""},
		{"waiting = [] | !Client(first(waiting))",
			`waiting = <<>> \/ Head(waiting) \notin Client`},
		{"forall M in msgs. !(M is a) | !Client(M.of)",
			`\A m \in msgs : m.type /= "a" \/ m.of \notin Client`},
		{"first(line).n = 0", `line /= <<>> => Head(line).n = 0`},
		{"forall N: 0..3. log(N).n = 0", `\A n \in 0..3 : log[n].n = 0`},
		{"forall N: 0..1. log(N).n = 0", `\A n \in 0..1 : n \in DOMAIN log => log[n].n = 0`},
		{"forall n: 0..3. log(log(n).n).n = 0",
			`\A n \in 0..3 : log[n].n \in DOMAIN log => log[log[n].n].n = 0`},
		{"forall C:client, D:client, E:client. C = (if in_alloc(D) then some(E) else none).value & " +
			"D = alloc(E) -> in_alloc(C)",
			`\A d, e \in DOMAIN alloc : d = alloc[e] => e \in DOMAIN alloc`},
		{"!(exists C:client. alloc(C) = None)", `~(\E c \in DOMAIN alloc : alloc[c] = None)`},
	} {
		got, err := Say("K.tla", module, none, []string{"lemma"}, []string{c[0]})
		if err != nil {
			t.Fatal(err)
		}
		if got[0].Text != c[1] {
			t.Errorf("%s\n%s, not\n%s%s", c[0], got[0].Text, c[1], got[0].Why)
		}
	}
}

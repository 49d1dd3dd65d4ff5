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
VARIABLES alloc, own, at, waiting, msgs
vars == <<alloc, own, at, waiting, msgs>>
Init == /\ alloc = [c \in {} |-> None] /\ own = [r \in Res |-> 0]
        /\ at = [c \in Client |-> alloc] /\ waiting = <<>> /\ msgs = {}
Take(c, r) == /\ alloc' = (c :> r) @@ alloc /\ own' = [own EXCEPT ![r] = 1]
              /\ at' = [at EXCEPT ![c] = alloc] /\ waiting' = Append(waiting, c)
              /\ msgs' = msgs \cup {[type |-> "a", of |-> c], [type |-> "b", n |-> 1]}
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
		{"exists C:client. alloc(C) = None", ""},
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

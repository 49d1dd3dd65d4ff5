---- MODULE Commit ----
\* What an atomic commitment does: the participants agree, and none commits unless all are prepared.
\* From:    written for erelong, after the problem statement in Gray and Lamport, Consensus on
\*          Transaction Commit (ACM TODS 31(1), 2006), section 2.
\* Shows:   a specification of what, which TwoPhase.tla is checked to implement.
\* Expect:  Agree holds, 34 states, for all constants Agree holds
CONSTANT RM
VARIABLE rm

Init == rm = [r \in RM |-> "working"]
Prepare(r) == rm[r] = "working" /\ rm' = [rm EXCEPT ![r] = "prepared"]
MayCommit == \A r \in RM : rm[r] \in {"prepared", "committed"}
MayAbort == \A r \in RM : rm[r] # "committed"
Decide(r) ==
  \/ rm[r] = "prepared" /\ MayCommit /\ rm' = [rm EXCEPT ![r] = "committed"]
  \/ rm[r] \in {"working", "prepared"} /\ MayAbort /\ rm' = [rm EXCEPT ![r] = "aborted"]
Next == \E r \in RM : Prepare(r) \/ Decide(r)
Spec == Init /\ [][Next]_rm

Agree == \A a, b \in RM : ~(rm[a] = "aborted" /\ rm[b] = "committed")
====

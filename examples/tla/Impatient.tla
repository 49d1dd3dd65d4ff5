---- MODULE Impatient ----
\* Two-phase commit in which a prepared participant that waits too long aborts by itself.
\* From:    written for erelong; a mutant of TwoPhase.tla.
\* Shows:   a counterexample with records: the coordinator commits, and a participant has given up.
\* Expect:  TypeOK holds, Agree violated, Implements violated, for all constants TypeOK holds
EXTENDS TwoPhase

GiveUp(r) ==
  /\ rm[r] = "prepared"
  /\ rm' = [rm EXCEPT ![r] = "aborted"]
  /\ UNCHANGED <<tm, prepared, msgs>>

ImpatientSpec == Init /\ [][Next \/ \E r \in RM : GiveUp(r)]_vars
====

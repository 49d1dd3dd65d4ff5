---- MODULE TwoPhase ----
\* Two-phase commit with messages as records. A message, once sent, stays.
\* From:    written for erelong, after Gray and Lamport, Consensus on Transaction Commit (ACM TODS
\*          31(1), 2006), section 4.
\* Shows:   records, sets of messages, fairness, and a refinement: each step is one of Commit.tla or
\*          changes nothing there, and each participant decides.
\* Expect:  TypeOK holds, Agree holds, Decided holds, Implements holds, 288 states, for all constants TypeOK holds, Agree holds, Implements holds
CONSTANT RM
VARIABLES rm, tm, prepared, msgs

vars == <<rm, tm, prepared, msgs>>
Message == [type : {"Prepared"}, from : RM] \cup [type : {"Commit", "Abort"}]

Init ==
  /\ rm = [r \in RM |-> "working"]
  /\ tm = "init"
  /\ prepared = {}
  /\ msgs = {}

Prepare(r) ==
  /\ rm[r] = "working"
  /\ rm' = [rm EXCEPT ![r] = "prepared"]
  /\ msgs' = msgs \cup {[type |-> "Prepared", from |-> r]}
  /\ UNCHANGED <<tm, prepared>>

Quit(r) ==
  /\ rm[r] = "working"
  /\ rm' = [rm EXCEPT ![r] = "aborted"]
  /\ UNCHANGED <<tm, prepared, msgs>>

Hear(r) ==
  /\ tm = "init"
  /\ [type |-> "Prepared", from |-> r] \in msgs
  /\ prepared' = prepared \cup {r}
  /\ UNCHANGED <<rm, tm, msgs>>

Commit ==
  /\ tm = "init"
  /\ prepared = RM
  /\ tm' = "committed"
  /\ msgs' = msgs \cup {[type |-> "Commit"]}
  /\ UNCHANGED <<rm, prepared>>

Abort ==
  /\ tm = "init"
  /\ tm' = "aborted"
  /\ msgs' = msgs \cup {[type |-> "Abort"]}
  /\ UNCHANGED <<rm, prepared>>

Obey(r, message, state) ==
  /\ [type |-> message] \in msgs
  /\ rm' = [rm EXCEPT ![r] = state]
  /\ UNCHANGED <<tm, prepared, msgs>>

Follow(r) == Obey(r, "Commit", "committed") \/ Obey(r, "Abort", "aborted")
Next == Commit \/ Abort \/ \E r \in RM : Prepare(r) \/ Quit(r) \/ Hear(r) \/ Follow(r)
Spec == Init /\ [][Next]_vars /\ WF_vars(Commit \/ Abort) /\ \A r \in RM : WF_vars(Follow(r))

TypeOK ==
  /\ rm \in [RM -> {"working", "prepared", "committed", "aborted"}]
  /\ tm \in {"init", "committed", "aborted"}
  /\ prepared \subseteq RM
  /\ msgs \subseteq Message
Agree == \A a, b \in RM : ~(rm[a] = "aborted" /\ rm[b] = "committed")
Decided == \A r \in RM : <>(rm[r] \in {"committed", "aborted"})

C == INSTANCE Commit
Implements == C!Spec
====

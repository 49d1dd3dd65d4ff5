---- MODULE VectorClocks ----
\* Logs with a vector clock in each line.
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE SequencesExt

LOCAL At(c, n) == IF n \in DOMAIN c THEN c[n] ELSE 0
LOCAL Before(c, d) ==
  LET nodes == DOMAIN c \cup DOMAIN d
  IN (\A n \in nodes : At(c, n) <= At(d, n)) /\ (\E n \in nodes : At(c, n) < At(d, n))

\* No line happened before an earlier one, or has the clock of one.
IsCausalOrder(log, clock(_)) ==
  \A i \in 1..Len(log) : \A j \in 1..(i - 1) :
    LET c == clock(log[j])
        d == clock(log[i])
    IN ~Before(d, c) /\ \E n \in DOMAIN c \cup DOMAIN d : At(c, n) # At(d, n)

\* The next line is the first one of the rest before which none of the rest happened.
RECURSIVE Ordered(_, _, _)
LOCAL Ordered(clock(_), done, rest) ==
  IF rest = <<>> THEN done
  ELSE LET i == CHOOSE i \in DOMAIN rest :
                  /\ \A j \in DOMAIN rest : ~Before(clock(rest[j]), clock(rest[i]))
                  /\ \A k \in 1..(i - 1) :
                       \E j \in DOMAIN rest : Before(clock(rest[j]), clock(rest[k]))
       IN Ordered(clock, Append(done, rest[i]), RemoveAt(rest, i))
CausalOrder(log, clock(_), node(_), domain(_)) == Ordered(clock, <<>>, log)
====

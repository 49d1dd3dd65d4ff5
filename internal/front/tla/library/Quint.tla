---- MODULE Quint ----
\* What operators of Quint mean that TLA+ does not have.
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE FiniteSets
LOCAL INSTANCE TLC
LOCAL INSTANCE Erelong

LOCAL Abs(a) == IF a < 0 THEN -a ELSE a
\* Quint rounds towards zero.
Div(a, b) ==
  IF b = 0 THEN Assert(FALSE, "division by zero")
  ELSE IF (a < 0) = (b < 0) THEN Abs(a) \div Abs(b) ELSE -(Abs(a) \div Abs(b))
Mod(a, b) ==
  IF b = 0 THEN Assert(FALSE, "division by zero")
  ELSE IF a < 0 THEN -(Abs(a) % Abs(b)) ELSE Abs(a) % Abs(b)
Put(m, k, v) == [x \in DOMAIN m \union {k} |-> IF x = k THEN v ELSE m[x]]
SetToMap(S) == [x \in {p[1] : p \in S} |-> (CHOOSE p \in S : p[1] = x)[2]]
Range(a, b) == [i \in 1..(IF b > a THEN b - a ELSE 0) |-> a + i - 1]
Fold(S, init, Op(_, _)) == FoldLeft(Op, init, SetToSeq(S))
FoldLeftOf(l, init, Op(_, _)) == FoldLeft(Op, init, l)
FoldRightOf(l, init, Op(_, _)) ==
  FoldLeft(LAMBDA acc, i : Op(l[Len(l) + 1 - i], acc), init, [i \in 1..Len(l) |-> i])
ListsUpTo(S, n) == UNION {[1..k -> S] : k \in 0..n}
Only(S) ==
  IF Cardinality(S) = 1 THEN CHOOSE x \in S : TRUE
  ELSE Assert(FALSE, "the set has not one element")
Slice(l, from, to) ==
  IF from >= 0 /\ from <= to /\ to <= Len(l) THEN SubSeq(l, from + 1, to)
  ELSE Assert(FALSE, "the slice is not within the list")
\* The same for proofs, in which nothing fails.
DivBy(a, b) == IF a < 0 THEN -((-a) \div b) ELSE a \div b
ModBy(a, b) == IF a < 0 THEN -((-a) % b) ELSE a % b
Some(S) == CHOOSE x \in S : TRUE
Cut(l, from, to) == SubSeq(l, from + 1, to)
====

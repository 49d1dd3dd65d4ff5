---- MODULE SequencesExt ----
\* Operators on sequences.
EXTENDS Sequences, Naturals, FiniteSets, FiniteSetsExt, Folds, Functions, Bags, TLC
LOCAL INSTANCE Integers
LOCAL INSTANCE Erelong

LOCAL Least(S) == CHOOSE x \in S : \A y \in S : x =< y
LOCAL Greatest(S) == CHOOSE x \in S : \A y \in S : x >= y

ToSet(s) == {s[i] : i \in DOMAIN s}
ToBag(s) == [x \in ToSet(s) |-> Cardinality({i \in DOMAIN s : s[i] = x})]
SetToSeq(S) == Listed(S)
SetToSeqs(S) == {s \in [1..Cardinality(S) -> S] : ToSet(s) = S}
SetToSortSeq(S, Less(_, _)) == SortedSeq(Listed(S), Less)
SetToAllKPermutations(S) ==
  UNION {{s \in [1..k -> S] : Cardinality(ToSet(s)) = k} : k \in 0..Cardinality(S)}
TupleOf(S, n) == [1..n -> S]
SeqOf(S, n) == UNION {[1..k -> S] : k \in 0..n}
BoundedSeq(S, n) == SeqOf(S, n)
Contains(s, e) == \E i \in DOMAIN s : s[i] = e
IsSorted(s, Less(_, _)) == \A i, j \in 1..Len(s) : i < j => Less(s[i], s[j])
Reverse(s) == [i \in 1..Len(s) |-> s[Len(s) + 1 - i]]
Remove(s, e) == SelectSeq(s, LAMBDA x : x # e)
ReplaceAll(s, old, new) == [i \in 1..Len(s) |-> IF s[i] = old THEN new ELSE s[i]]
SelectInSubSeq(s, from, to, Test(_)) ==
  LET found == {i \in from..to : Test(s[i])} IN IF found = {} THEN 0 ELSE Least(found)
SelectInSeq(s, Test(_)) == SelectInSubSeq(s, 1, Len(s), Test)
SelectLastInSubSeq(s, from, to, Test(_)) ==
  LET found == {i \in from..to : Test(s[i])} IN IF found = {} THEN 0 ELSE Greatest(found)
SelectLastInSeq(s, Test(_)) == SelectLastInSubSeq(s, 1, Len(s), Test)
InsertAt(s, i, e) == SubSeq(s, 1, i - 1) \o <<e>> \o SubSeq(s, i, Len(s))
ReplaceAt(s, i, e) == [s EXCEPT ![i] = e]
RemoveAt(s, i) == SubSeq(s, 1, i - 1) \o SubSeq(s, i + 1, Len(s))
RemoveFirst(s, e) ==
  IF Contains(s, e) THEN RemoveAt(s, Least({i \in DOMAIN s : s[i] = e})) ELSE s
RemoveFirstMatch(s, Test(_)) ==
  IF \E i \in DOMAIN s : Test(s[i]) THEN RemoveAt(s, Least({i \in DOMAIN s : Test(s[i])})) ELSE s
Cons(e, s) == <<e>> \o s
Snoc(e, s) == Append(s, e)
Front(s) == SubSeq(s, 1, Len(s) - 1)
Last(s) == s[Len(s)]
IsPrefix(s, t) == Len(s) =< Len(t) /\ \A i \in 1..Len(s) : s[i] = t[i]
IsStrictPrefix(s, t) == IsPrefix(s, t) /\ s # t
IsSuffix(s, t) == Len(s) =< Len(t) /\ \A i \in 1..Len(s) : s[i] = t[Len(t) - Len(s) + i]
IsStrictSuffix(s, t) == IsSuffix(s, t) /\ s # t
Prefixes(s) == {SubSeq(s, 1, n) : n \in 0..Len(s)}
CommonPrefixes(S) == LET all == UNION {Prefixes(s) : s \in S} IN
  {p \in all : \A s \in S : IsPrefix(p, s)}
LongestCommonPrefix(S) ==
  CHOOSE p \in CommonPrefixes(S) : \A q \in CommonPrefixes(S) : Len(q) =< Len(p)
Suffixes(s) == {SubSeq(s, n, Len(s)) : n \in 1..(Len(s) + 1)}
SeqMod(a, b) == IF a % b = 0 THEN b ELSE a % b
FoldSeq(Op(_, _), base, s) == Folded(LAMBDA acc, x : Op(x, acc), base, s)
FoldLeft(Op(_, _), base, s) == Folded(Op, base, s)
FoldRight(Op(_, _), s, base) == Folded(LAMBDA acc, x : Op(x, acc), base, Reverse(s))
FoldLeftDomain(Op(_, _), base, s) == Folded(Op, base, [i \in 1..Len(s) |-> i])
FoldRightDomain(Op(_, _), s, base) ==
  Folded(LAMBDA acc, i : Op(i, acc), base, [i \in 1..Len(s) |-> Len(s) + 1 - i])
FlattenSeq(s) == Folded(LAMBDA acc, x : acc \o x, << >>, s)
Zip(s, t) == [i \in 1..(IF Len(s) < Len(t) THEN Len(s) ELSE Len(t)) |-> <<s[i], t[i]>>]
Interleave(s, t) ==
  CASE Len(s) = Len(t) /\ Len(s) > 0 ->
         [i \in 1..(2 * Len(s)) |-> IF i % 2 = 1 THEN <<s[(i + 1) \div 2]>> ELSE <<t[i \div 2]>>]
    [] Len(s) = Len(t) /\ Len(s) = 0 -> <<<<>>, <<>>>>
SubSeqs(s) == {SubSeq(s, i, j) : i \in 1..(Len(s) + 1), j \in 0..Len(s)}
AllSubSeqs(s) == {LET chosen == SortedSeq(Listed(D), LAMBDA a, b : a < b)
  IN [i \in 1..Len(chosen) |-> s[chosen[i]]] : D \in SUBSET DOMAIN s}
IndexFirstSubSeq(s, t) ==
  LET found == {i \in 1..(Len(t) - Len(s) + 1) : SubSeq(t, i, i + Len(s) - 1) = s}
  IN IF found = {} THEN 0 ELSE Least(found)
ReplaceSubSeqAt(i, r, s, t) == SubSeq(t, 1, i - 1) \o r \o SubSeq(t, i + Len(s), Len(t))
ReplaceFirstSubSeq(r, s, t) ==
  LET i == IndexFirstSubSeq(s, t) IN IF i = 0 THEN t ELSE ReplaceSubSeqAt(i, r, s, t)
RECURSIVE Replaced(_, _, _)
LOCAL Replaced(r, s, t) ==
  LET i == IndexFirstSubSeq(s, t)
  IN IF i = 0 THEN t
     ELSE SubSeq(t, 1, i - 1) \o r \o Replaced(r, s, SubSeq(t, i + Len(s), Len(t)))
\* The empty sequence is replaced before each element.
ReplaceAllSubSeqs(r, s, t) ==
  CASE s = t -> r
    [] s # t /\ Len(s) = 0 -> FoldLeft(LAMBDA acc, i : acc \o r \o SubSeq(t, i, i),
                                      SubSeq(t, 1, 0), [i \in 1..Len(t) |-> i])
    [] OTHER -> Replaced(r, s, t)
====

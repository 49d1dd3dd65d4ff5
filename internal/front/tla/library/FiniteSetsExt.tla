---- MODULE FiniteSetsExt ----
\* Operators on finite sets.
EXTENDS Integers, FiniteSets, Folds, Functions
LOCAL INSTANCE Sequences
LOCAL INSTANCE Erelong

FoldSet(Op(_, _), base, S) == FoldLeft(LAMBDA acc, x : Op(x, acc), base, SetToSeq(S))
SumSet(S) == FoldLeft(LAMBDA a, b : a + b, 0, SetToSeq(S))
ProductSet(S) == FoldLeft(LAMBDA a, b : a * b, 1, SetToSeq(S))
ReduceSet(Op(_, _), S, base) == FoldSet(Op, base, S)
MapThenSumSet(F(_), S) == FoldLeft(LAMBDA acc, x : acc + F(x), 0, SetToSeq(S))
FlattenSet(S) == UNION S
SymDiff(S, T) == (S \ T) \union (T \ S)
Quantify(S, Test(_)) == Cardinality({x \in S : Test(x)})
kSubset(k, S) == SubsetsOf(k, S)
Max(S) == CHOOSE x \in S : \A y \in S : x >= y
Min(S) == CHOOSE x \in S : \A y \in S : x =< y
Choices(Sets) ==
  {{f[S] : S \in Sets} : f \in {g \in [Sets -> UNION Sets] : \A S \in Sets : g[S] \in S}}
ChooseUnique(S, Test(_)) == CHOOSE x \in S : Test(x) /\ \A y \in S : Test(y) => y = x
====

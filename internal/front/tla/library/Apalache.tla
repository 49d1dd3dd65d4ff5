---- MODULE Apalache ----
\* Operators of Apalache, as TLC has them.
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE FiniteSets
LOCAL INSTANCE Erelong

x := e == x = e
Gen(n) == {}
Skolem(e) == e
Expand(S) == S
ConstCardinality(e) == e
MkSeq(n, F(_)) == [i \in 1..n |-> F(i)]
SetAsFun(S) == [x \in {p[1] : p \in S} |-> (CHOOSE p \in S : p[1] = x)[2]]
FunAsSeq(f, length, capacity) == [i \in 1..length |-> f[i]]
ApaFoldSet(Op(_, _), base, S) == FoldLeft(Op, base, SetToSeq(S))
ApaFoldSeqLeft(Op(_, _), base, s) == FoldLeft(Op, base, s)
Repeat(F(_, _), n, x) == FoldLeft(LAMBDA a, i : F(a, i), x, [i \in 1..n |-> i])
Guess(S) == CHOOSE x \in S : TRUE
====

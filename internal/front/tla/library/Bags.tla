---- MODULE Bags ----
\* Bags: functions from their elements to how often these are in them.
EXTENDS TLC, Naturals
LOCAL INSTANCE FiniteSets
LOCAL INSTANCE Erelong

IsABag(B) == \A x \in DOMAIN B : B[x] \in Nat /\ B[x] > 0
BagToSet(B) == DOMAIN B
SetToBag(S) == [x \in S |-> 1]
BagIn(x, B) == x \in DOMAIN B
EmptyBag == SetToBag({})
CopiesIn(x, B) == IF x \in DOMAIN B THEN B[x] ELSE 0
LOCAL Bag(B) == IF IsABag(B) THEN B ELSE Assert(FALSE, "the function is not a bag")
LOCAL Sum(B1, B2) == [x \in DOMAIN B1 \union DOMAIN B2 |-> CopiesIn(x, B1) + CopiesIn(x, B2)]
B1 (+) B2 == Sum(Bag(B1), Bag(B2))
B1 (-) B2 ==
  LET rest == {x \in DOMAIN B1 : B1[x] > CopiesIn(x, B2)}
  IN [x \in rest |-> B1[x] - CopiesIn(x, B2)]
BagUnion(S) == FoldLeft(LAMBDA acc, B : acc (+) B, EmptyBag, SetToSeq(S))
B1 \sqsubseteq B2 == DOMAIN B1 \subseteq DOMAIN B2 /\ \A x \in DOMAIN B1 : B1[x] =< B2[x]
SubBag(B) == UNION {{[x \in D |-> f[x]] : f \in {g \in [D -> UNION {1..B[y] : y \in D}] :
  \A x \in D : g[x] =< B[x]}} : D \in SUBSET DOMAIN B}
BagOfAll(F(_), B) ==
  FoldLeft(LAMBDA acc, x : acc (+) [y \in {F(x)} |-> B[x]], EmptyBag, SetToSeq(DOMAIN B))
BagCardinality(B) == FoldLeft(LAMBDA acc, x : acc + Bag(B)[x], 0, SetToSeq(DOMAIN B))
====

---- MODULE BagsExt ----
\* More operators on bags.
LOCAL INSTANCE Bags
LOCAL INSTANCE Integers
LOCAL INSTANCE Erelong
LOCAL INSTANCE Folds

BagAdd(B, x) == B (+) SetToBag({x})
BagRemove(B, x) == B (-) SetToBag({x})
BagRemoveAll(B, x) == [y \in DOMAIN B \ {x} |-> B[y]]
RECURSIVE Repeated(_, _, _, _)
LOCAL Repeated(Op(_, _), acc, x, n) == IF n = 0 THEN acc ELSE Repeated(Op, Op(acc, x), x, n - 1)
\* As in TLC, what was folded so far is the first argument, unlike in FoldSet.
FoldBag(Op(_, _), base, B) ==
  FoldLeft(LAMBDA acc, x : Repeated(Op, acc, x, B[x]), base, SetToSeq(DOMAIN B))
MapThenFoldBag(Op(_, _), base, F(_), Pick(_), B) ==
  MapThenFoldSet(Op, base, LAMBDA x : Repeated(Op, base, F(x), B[x]),
                 LAMBDA S : CHOOSE x \in S : TRUE, DOMAIN B)
SumBag(B) == FoldBag(LAMBDA a, b : a + b, 0, B)
ProductBag(B) == FoldBag(LAMBDA a, b : a * b, 1, B)
====

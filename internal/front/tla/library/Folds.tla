---- MODULE Folds ----
\* Folds over sets.
RECURSIVE MapThenFoldSet(_, _, _, _, _)
MapThenFoldSet(Op(_, _), base, F(_), Pick(_), S) ==
  IF S = {} THEN base
  ELSE LET x == Pick(S) IN Op(F(x), MapThenFoldSet(Op, base, F, Pick, S \ {x}))
====

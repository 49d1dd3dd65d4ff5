---- MODULE Relation ----
\* Relations R[x, y] over a set.
LOCAL INSTANCE Naturals
LOCAL INSTANCE FiniteSets

IsReflexive(R, S) == \A x \in S : R[x, x]
IsIrreflexive(R, S) == \A x \in S : ~R[x, x]
IsSymmetric(R, S) == \A x, y \in S : R[x, y] => R[y, x]
IsAntiSymmetric(R, S) == \A x, y \in S : R[x, y] /\ R[y, x] => x = y
IsAsymmetric(R, S) == \A x, y \in S : ~(R[x, y] /\ R[y, x])
IsTransitive(R, S) == \A x, y, z \in S : R[x, y] /\ R[y, z] => R[x, z]
IsStrictlyPartiallyOrdered(R, S) == IsIrreflexive(R, S) /\ IsTransitive(R, S)
IsPartiallyOrdered(R, S) == IsReflexive(R, S) /\ IsAntiSymmetric(R, S) /\ IsTransitive(R, S)
IsStrictlyTotallyOrdered(R, S) ==
  IsStrictlyPartiallyOrdered(R, S) /\ \A x, y \in S : x # y => R[x, y] \/ R[y, x]
IsTotallyOrdered(R, S) == IsPartiallyOrdered(R, S) /\ \A x, y \in S : R[x, y] \/ R[y, x]
IsReflexiveUnder(Op(_, _), S) == \A x \in S : Op(x, x)
IsIrreflexiveUnder(Op(_, _), S) == \A x \in S : ~Op(x, x)
IsTransitiveUnder(Op(_, _), S) == \A x, y, z \in S : Op(x, y) /\ Op(y, z) => Op(x, z)
IsSymmetricUnder(Op(_, _), S) == \A x, y \in S : Op(x, y) => Op(y, x)
IsAntiSymmetricUnder(Op(_, _), S) == \A x, y \in S : Op(x, y) /\ Op(y, x) => x = y
IsAsymmetricUnder(Op(_, _), S) == \A x, y \in S : ~(Op(x, y) /\ Op(y, x))
IsStrictlyPartiallyOrderedUnder(Op(_, _), S) ==
  IsIrreflexiveUnder(Op, S) /\ IsTransitiveUnder(Op, S)
IsPartiallyOrderedUnder(Op(_, _), S) ==
  IsReflexiveUnder(Op, S) /\ IsAntiSymmetricUnder(Op, S) /\ IsTransitiveUnder(Op, S)
IsStrictlyTotallyOrderedUnder(Op(_, _), S) ==
  IsStrictlyPartiallyOrderedUnder(Op, S) /\ \A x, y \in S : x # y => Op(x, y) \/ Op(y, x)
IsTotallyOrderedUnder(Op(_, _), S) ==
  IsPartiallyOrderedUnder(Op, S) /\ \A x, y \in S : Op(x, y) \/ Op(y, x)
RECURSIVE Closed(_, _)
LOCAL Closed(R, S) ==
  LET next == [x, y \in S |-> R[x, y] \/ \E z \in S : R[x, z] /\ R[z, y]]
  IN IF next = R THEN R ELSE Closed(next, S)
TransitiveClosure(R, S) == Closed([x, y \in S |-> R[x, y]], S)
ReflexiveTransitiveClosure(R, S) == Closed([x, y \in S |-> x = y \/ R[x, y]], S)
IsConnected(R, S) == LET C == ReflexiveTransitiveClosure(R, S) IN \A x, y \in S : C[x, y]
====

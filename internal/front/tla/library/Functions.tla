---- MODULE Functions ----
\* Operators on functions.
EXTENDS Integers, Folds
LOCAL INSTANCE FiniteSets
LOCAL INSTANCE Erelong

Range(f) == {f[x] : x \in DOMAIN f}
Restrict(f, S) == [x \in S |-> f[x]]
RestrictDomain(f, Test(_)) == [x \in {y \in DOMAIN f : Test(y)} |-> f[x]]
RestrictValues(f, Test(_)) == [x \in {y \in DOMAIN f : Test(f[y])} |-> f[x]]
IsRestriction(f, g) == DOMAIN f \subseteq DOMAIN g /\ \A x \in DOMAIN f : f[x] = g[x]
Pointwise(f, g, Op(_, _)) == [x \in DOMAIN f |-> Op(f[x], g[x])]
Inverse(f, S, T) ==
  [y \in T |-> IF \E x \in S : f[x] = y THEN CHOOSE x \in S : f[x] = y ELSE CHOOSE x \in S : TRUE]
AntiFunction(f) == Inverse(f, DOMAIN f, Range(f))
IsInjective(f) == \A x, y \in DOMAIN f : f[x] = f[y] => x = y
Injection(S, T) == {f \in [S -> T] : IsInjective(f)}
Surjection(S, T) == {f \in [S -> T] : Range(f) = T}
Bijection(S, T) == {f \in [S -> T] : IsInjective(f) /\ Range(f) = T}
ExistsInjection(S, T) == Injection(S, T) # {}
ExistsSurjection(S, T) == Surjection(S, T) # {}
ExistsBijection(S, T) == Bijection(S, T) # {}
FoldFunctionOnSet(Op(_, _), base, f, S) ==
  FoldLeft(LAMBDA acc, x : Op(f[x], acc), base, SetToSeq(S))
FoldFunction(Op(_, _), base, f) == FoldFunctionOnSet(Op, base, f, DOMAIN f)
SumFunctionOnSet(f, S) == FoldFunctionOnSet(LAMBDA a, b : a + b, 0, f, S)
SumFunction(f) == SumFunctionOnSet(f, DOMAIN f)
====

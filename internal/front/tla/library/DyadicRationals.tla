---- MODULE DyadicRationals ----
\* Fractions in lowest terms, as they are halved and added.
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC

RECURSIVE Gcd(_, _)
LOCAL Gcd(a, b) == IF b = 0 THEN a ELSE Gcd(b, a % b)
LOCAL Lowest(n, d) == LET g == Gcd(n, d) IN [num |-> n \div g, den |-> d \div g]

IsDyadicRational(r) == \E i \in 0..r.den : 2^i = r.den
Zero == [num |-> 0, den |-> 1]
One == [num |-> 1, den |-> 1]
Add(p, q) ==
  IF p = Zero THEN q ELSE Lowest(p.num * q.den + q.num * p.den, p.den * q.den)
Half(p) == Lowest(p.num, 2 * p.den)
PrettyPrint(p) ==
  IF p.den = 1 /\ p.num \in {0, 1} THEN ToString(p.num)
  ELSE ToString(p.num) \o "/" \o ToString(p.den)
====

---- MODULE Bitwise ----
\* Operators on the bits of natural numbers.
LOCAL INSTANCE Integers

RECURSIVE Bits(_, _, _)
LOCAL Bits(Op(_, _), x, y) ==
  IF x = 0 /\ y = 0 THEN 0 ELSE 2 * Bits(Op, x \div 2, y \div 2) + Op(x % 2, y % 2)
x & y == Bits(LAMBDA a, b : a * b, x, y)
x | y == Bits(LAMBDA a, b : IF a + b = 0 THEN 0 ELSE 1, x, y)
x ^^ y == Bits(LAMBDA a, b : (a + b) % 2, x, y)
RECURSIVE Flipped(_, _)
LOCAL Flipped(x, y) == IF y = 0 THEN 0 ELSE 2 * Flipped(x \div 2, y \div 2) + 1 - (x % 2)
Not(a) == Flipped(a, a)
RECURSIVE shiftR(_, _)
shiftR(n, pos) == IF pos = 0 THEN n ELSE shiftR(n \div 2, pos - 1)
====

---- MODULE FunctionTheorems ----
\* The theorems of this module serve proofs, which are not read.
EXTENDS Naturals, Integers, Sequences, FiniteSets, TLAPS, Functions
====

---- MODULE TLAPS ----
\* Names that proofs refer to. Proofs are not read.
====

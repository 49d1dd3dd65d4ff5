---- MODULE Randomization ----
\* Subsets that TLC chooses at random. Here they are all subsets of that size, so no verdict depends
\* on chance.
LOCAL INSTANCE Erelong
RandomSubset(k, S) == CHOOSE T \in SubsetsOf(k, S) : TRUE
RandomSetOfSubsets(k, n, S) == SUBSET S
RandomSubsetSet(k, n, S) == SUBSET S
TestRandomSetOfSubsets(k, n, S) == TRUE
====

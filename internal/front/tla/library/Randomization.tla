---- MODULE Randomization ----
\* Subsets that TLC chooses at random. Here a subset is always the same one, and a set of subsets is
\* the one of all, so no verdict depends on chance.
LOCAL INSTANCE Erelong
RandomSubset(k, S) == CHOOSE T \in SubsetsOf(k, S) : TRUE
RandomSetOfSubsets(k, n, S) == SUBSET S
RandomSubsetSet(k, n, S) == SUBSET S
====

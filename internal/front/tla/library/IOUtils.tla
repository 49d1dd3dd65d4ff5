---- MODULE IOUtils ----
\* The environment, which is empty here: a verdict depends on nothing but the files.
LOCAL INSTANCE Naturals
IOEnv == [x \in {} |-> x]
atoi(s) == CHOOSE n \in Nat : FALSE
====

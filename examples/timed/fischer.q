// By symmetry it is enough to look at two of the processes.
A[] not (P(1).cs and P(2).cs)
E<> P(1).cs
A[] not deadlock

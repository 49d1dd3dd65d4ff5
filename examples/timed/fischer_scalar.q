A[] forall (i : id_t) forall (j : id_t) P(i).cs and P(j).cs imply i == j
E<> exists (i : id_t) P(i).cs
A[] not deadlock

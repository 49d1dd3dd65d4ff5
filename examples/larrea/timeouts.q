// Violated with TYPE = B and BUFFER = 1; with FIFO for weak accuracy where BUFFER is less than 4, and for the others without EARLY.
A[] not deadlock
// Holds with FIFO and TYPE = B. Violated with AT_MOST, but for strong completeness, and with PRINTED for weak accuracy. See the remarks on the
// monitors of figures 14 and 16.
A[] not Monitor.error
// Holds for weak accuracy; for strong completeness the guard of figure 16 is true only with AT_MOST.
E<> Monitor.most
// About strong completeness alone: process 1 has crashed, nothing of it is on its way, 0 suspects it, and it is not in G. Violated without EARLY.
A[] not (ALGORITHM == STRONG_COMPLETENESS and crashProc[1] and L[0][1] and not G[1] and not coming(1) and Task2(0).initial and Task2(2).initial)
// Weak completeness as liveness. It holds with EAGER where there is no deadlock; without EAGER process 0 may wait for ever.
crashProc[1] --> L[0][1]
// Strong completeness as liveness, with EAGER and EARLY.
crashProc[1] --> G[1]

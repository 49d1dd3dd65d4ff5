// Violated, figure 12 (b): process 0 trusts the crashed process again, because of a question that comes late.
A[] not (crashProc[1] and L[0][1] and Task2(0).stopSus and Task2(0).q == 1 and Task2(0).MsgType == 0)
// Violated, figure 12 (c): process 0 times out while Task2 waits for the mutex with the reply of the crashed process.
A[] not (crashProc[1] and Task1(0).noReply and Task1(0).MyTarget == 1 and Task2(0).wait and Task2(0).q == 1 and Task2(0).MsgType == 1)
// Violated with OSCILLATIONS = 1 and 2. With 3 it holds where FIFO is true and BUFFER is 1.
A[] not Monitor.error
// Violated with TYPE = R.
A[] not overflow
// Violated with TYPE = B, and without EARLY only after a million states. Depth-first it takes a moment: -p 'A[] not deadlock' --search dfs
A[] not deadlock

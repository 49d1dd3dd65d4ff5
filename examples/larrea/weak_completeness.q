// Violated: a message that was late lets process 0 trust the crashed process again.
A[] not Monitor.error
// Holds.
E<> crashProc[1] and L[0][1] and Task2(0).stopSus
// Violated: two processes wait for room in full buffers. Ask for this one alone, depth-first: -p 'A[] not deadlock' --search dfs
A[] not deadlock

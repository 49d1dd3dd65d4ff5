A[] not deadlock
A[] not Monitor.error
E<> crashProc[1] and L[0][1] and Task2(0).stopSus

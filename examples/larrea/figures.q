// Violated: process p0 trusts p1 again after it has crashed and p0 has suspected it.
A[] not Monitor.trusted
// Open: there are too many states. It is violated for two processes (weak_completeness.xta with N = 2 and OSCILLATIONS = 3).
A[] not Monitor.error
// Violated. Depth-first it takes a moment: -p 'A[] not deadlock' --search dfs
A[] not deadlock

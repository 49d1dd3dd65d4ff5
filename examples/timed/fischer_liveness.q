// Whoever asks writes its number in time, and need not get to the critical section.
A[] not (P(1).cs and P(2).cs)
A[] not deadlock
P(1).req --> P(1).wait
P(1).req --> P(1).cs

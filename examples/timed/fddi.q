A[] not ((Station(1).q1 or Station(1).q2 or Station(1).q3) and (Station(2).q1 or Station(2).q2 or Station(2).q3))

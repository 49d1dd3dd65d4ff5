A[] not (Station(1).Start and Station(1).x >= 2 * SIGMA and Station(2).Start)

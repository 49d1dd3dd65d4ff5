---- MODULE UndirectedGraphs ----
\* Graphs whose edges are sets of one or two nodes.
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
LOCAL INSTANCE FiniteSets
LOCAL INSTANCE Erelong

IsUndirectedGraph(G) ==
  /\ G = [node |-> G.node, edge |-> G.edge]
  /\ \A e \in G.edge : \E a, b \in G.node : e = {a, b}
IsLoopFreeUndirectedGraph(G) ==
  /\ G = [node |-> G.node, edge |-> G.edge]
  /\ \A e \in G.edge : \E a, b \in G.node : a # b /\ e = {a, b}
UndirectedSubgraph(G) == {H \in [node : SUBSET G.node, edge : SUBSET G.edge] :
  IsUndirectedGraph(H)}
Path(G) == {p \in Seq(G.node) : p # << >> /\ \A i \in 1..(Len(p) - 1) : {p[i], p[i + 1]} \in G.edge}
SimplePath(G) == {p \in UNION {[1..n -> G.node] : n \in 1..Cardinality(G.node)} :
  /\ \A i, j \in 1..Len(p) : i # j => p[i] # p[j]
  /\ \A i \in 1..(Len(p) - 1) : {p[i], p[i + 1]} \in G.edge}
RECURSIVE Reached(_, _)
LOCAL Reached(G, S) ==
  LET more == S \union {n \in G.node : \E m \in S : {m, n} \in G.edge}
  IN IF more = S THEN S ELSE Reached(G, more)
AreConnectedIn(m, n, G) == n \in Reached(G, {m})
ConnectedComponents(G) == {Reached(G, {n}) : n \in G.node}
IsStronglyConnected(G) == \A n \in G.node : Reached(G, {n}) = G.node
UndirectedGraphs(S) == [node : {S}, edge : SUBSET {{a, b} : a, b \in S}]
====

---- MODULE Graphs ----
\* Graphs whose edges are pairs of nodes.
EXTENDS Naturals, Sequences, FiniteSets, SequencesExt, Relation
LOCAL INSTANCE Erelong

IsDirectedGraph(G) ==
  G = [node |-> G.node, edge |-> G.edge] /\ G.edge \subseteq (G.node \X G.node)
DirectedSubgraph(G) == {H \in [node : SUBSET G.node, edge : SUBSET G.edge] :
  IsDirectedGraph(H)}
Transpose(G) == [node |-> G.node, edge |-> {<<e[2], e[1]>> : e \in G.edge}]
IsUndirectedGraph(G) ==
  IsDirectedGraph(G) /\ \A e \in G.edge : <<e[2], e[1]>> \in G.edge
UndirectedSubgraph(G) == {H \in DirectedSubgraph(G) : IsUndirectedGraph(H)}
Path(G) == {p \in Seq(G.node) : p # << >> /\ \A i \in 1..(Len(p) - 1) : <<p[i], p[i + 1]>> \in G.edge}
SimplePath(G) == {p \in UNION {[1..n -> G.node] : n \in 1..Cardinality(G.node)} :
  /\ \A i, j \in 1..Len(p) : i # j => p[i] # p[j]
  /\ \A i \in 1..(Len(p) - 1) : <<p[i], p[i + 1]>> \in G.edge}
Successors(G, n) == {m \in G.node : <<n, m>> \in G.edge}
AllSuccessors(G, S) == UNION {Successors(G, n) : n \in S}
Predecessors(G, n) == {m \in G.node : <<m, n>> \in G.edge}
AllPredecessors(G, S) == UNION {Predecessors(G, n) : n \in S}
RECURSIVE Reached(_, _)
LOCAL Reached(G, S) ==
  LET more == S \union AllSuccessors(G, S) IN IF more = S THEN S ELSE Reached(G, more)
AreConnectedIn(m, n, G) == n \in Reached(G, {m})
ConnectionsIn(G) == [m, n \in G.node |-> AreConnectedIn(m, n, G)]
IsStronglyConnected(G) == \A n \in G.node : Reached(G, {n}) = G.node
IsTreeWithRoot(G, r) ==
  /\ IsDirectedGraph(G)
  /\ \E e \in [G.node -> SUBSET G.edge] : \A n \in G.node : e[n] = {x \in G.edge : x[1] = n}
  /\ \A e \in G.edge : e[1] # r /\ \A f \in G.edge : e[1] = f[1] => e = f
  /\ \A n \in G.node : AreConnectedIn(n, r, G)
Descendants(G, n) == Reached(G, Successors(G, n))
Ancestors(G, n) == Reached(Transpose(G), Predecessors(G, n))
HasCycle(G) == \E n \in G.node : n \in Descendants(G, n)
IsDag(G) == IsDirectedGraph(G) /\ ~HasCycle(G)
InDegree(G, n) == Cardinality(Predecessors(G, n))
OutDegree(G, n) == Cardinality(Successors(G, n))
Roots(G) == {n \in G.node : Predecessors(G, n) = {}}
Leaves(G) == {n \in G.node : Successors(G, n) = {}}
GraphUnion(G, H) == [node |-> G.node \union H.node, edge |-> G.edge \union H.edge]
EmptyGraph == [node |-> {}, edge |-> {}]
Graphs(S) == [node : {S}, edge : SUBSET (S \X S)]
IsBipartiteWithPartitions(G, U, V) ==
  /\ U \cap V = {} /\ G.node \subseteq U \cup V
  /\ \A e \in G.edge : (e[1] \in U /\ e[2] \in V) \/ (e[2] \in U /\ e[1] \in V)
====

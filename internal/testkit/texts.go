package testkit

// Texts that tests of several packages are about.
const (
	// Climbed has a recursive relation that grows with the limit, which an induction shows.
	Climbed = `
mutable constant limit: int
mutable constant top: int
derived relation ok(int): forall x: int. 0 <= x -> (ok(x) <-> x = 0 | ok(x - 1) & x <= limit)
init limit = 0 & top = 0
action move() { limit := limit + 1; }
action take(x: int) { require 0 <= x & ok(x); top := x; }
safety [taken] 0 <= top & ok(top)
`
	// Transitive is the axiom of Chain that its order is transitive.
	Transitive = "before(X, Y) & before(Y, Z) -> before(X, Z)"
	// Chain has nodes in a row, of any number, and which one is the next of each.
	Chain = `
	sort node
	sort item
	immutable relation before(node, node), next(node, node)
	immutable constant head: node
	immutable constant tail: node
	axiom ` + Transitive + `
	axiom !before(X, X)
	axiom before(X, Y) | before(Y, X) | X = Y
	axiom next(X, Y) <-> before(X, Y) & (forall Z. !(before(X, Z) & before(Z, Y)))
	axiom X != head -> before(head, X)
	axiom X != tail -> before(X, tail)
`
)

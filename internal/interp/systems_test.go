package interp_test

import (
	"context"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// texts are small systems that together use every statement and every form of formula that becomes
// code.
var texts = map[string]string{
	"lock server": `
		sort node
		mutable relation lock_msg(node)
		mutable relation grant_msg(node)
		mutable relation unlock_msg(node)
		mutable relation holds_lock(node)
		mutable relation server_holds_lock()
		init !lock_msg(N) & !grant_msg(N) & !unlock_msg(N) & !holds_lock(N) & server_holds_lock
		transition send_lock(n: node) modifies lock_msg
		  new(lock_msg(N)) <-> lock_msg(N) | N = n
		transition recv_lock(n: node) modifies lock_msg, server_holds_lock, grant_msg
		  server_holds_lock & lock_msg(n) & !new(server_holds_lock)
		  & (new(lock_msg(N)) <-> lock_msg(N) & N != n) & (new(grant_msg(N)) <-> grant_msg(N) | N = n)
		action recv_grant(n: node) { require grant_msg(n); grant_msg(n) := false; holds_lock(n) := true; }
		action unlock(n: node) { require holds_lock(n); holds_lock(n) := false; unlock_msg(n) := true; }
		action recv_unlock(n: node) { require unlock_msg(n); unlock_msg(n) := false; server_holds_lock := true; }
		safety [mutex] holds_lock(N1) & holds_lock(N2) -> N1 = N2
		instance i { node = 2 }`,
	"formulas that stay": `
		sort node
		mutable relation seen(node)
		mutable function next(node): node
		mutable constant at: node
		init !seen(N) & next(N) = N
		transition some(n: node) modifies seen, at
		  (exists M. new(seen(M)) & !seen(M)) & (forall M. seen(M) -> new(seen(M))) & new(at) = n
		transition swap() modifies next
		  forall M. M != at -> new(next(M)) = next(M)
		transition either(n: node) modifies at, seen
		  (new(at) = n | new(at) = next(n)) & (if seen(n) then new(seen(N)) <-> seen(N) else new(seen(N)) <-> N = n)
		transition related() modifies next, at
		  next(at) = new(next(at)) & forall M. new(next(M)) = at | new(next(M)) = M
		instance i { node = 2 }`,
	"havoc and choose": `
		sort node
		enum mode { idle, busy, done }
		mutable relation r(node)
		mutable function f(node): mode
		mutable constant c: node
		mutable constant n: 0..3
		init r(N) <-> N = c
		init f(N) = idle & n = 0
		action pick() { choose x: node with !r(x); r(x) := true; c := x; }
		action subset() { r := *; require exists X. r(X) & !old(r(X)); n := if r(c) then 1 else 0; }
		action points(x: node) { f(x) := *; require f(x) != f(c) | x = c; if f(x) = done { c := *; } else { r(x) := f(x) = busy; } }
		action twice() { c := *; require r(c); f(c) := busy; c := *; require f(c) != busy; }
		action redo() { r := *; require exists X. r(X) & X != c; r(X) := X = c; }
		action again() { f := *; require exists X. f(X) = busy; f := *; require exists X. f(X) = done; }
		action mix() { n := *; let m = n; require m > 0 & m != old(n); r(X) := r(X) & m < 3; }
		action maybe() { if n > 0 { choose x: node with f(x) = idle; f(x) := done; } else { n := 2; } }
		action all(k: 0..2) { require n >= k; f(X) := if r(X) then f(X) else busy; n := k; }
		instance i { node = 2 }`,
	"ranges": `
		immutable constant top: int
		type age = 0..top
		mutable relation msg(age)
		mutable constant count: 0..2
		mutable function g(0..top): 1..2
		axiom top = 2
		init !msg(K) & g(K) = 1
		action send() { msg(0) := true; count := count + 1; }
		action older() { require count <= 2; msg(K) := K > 0 & msg(K - 1); }
		action lose() { msg := *; require msg(K) -> old(msg(K)); g(K) := if msg(K) then 2 else 1; }
		action reset(k: age) { require msg(k); count := 0; g(k) := *; }
		transition jump() modifies count
		  new(count) >= count & msg(top)
		instance i { }`,
	"derived": `
		sort node
		mutable relation edge(node, node)
		mutable relation mark(node)
		derived relation twoway(node, node): twoway(A, B) <-> edge(A, B) & edge(B, A)
		derived relation reach(node): mark(N) -> reach(N)
		init !edge(A, B) & !mark(N) & !reach(N)
		transition link(a: node, b: node) modifies edge
		  new(edge(A, B)) <-> edge(A, B) | A = a & B = b
		transition touch(a: node) modifies mark
		  (exists B. twoway(a, B)) & new(reach(a)) & (new(mark(N)) <-> mark(N) | N = a)
		action clear(a: node) { require reach(a); mark(a) := false; if twoway(a, a) { edge(a, a) := false; } require !twoway(a, a); }
		trusted invariant !(reach(N) & edge(N, N) & !mark(N))
		instance i { node = 2 }`,
	"immutables": `
		sort node
		sort quorum
		immutable relation member(node, quorum)
		immutable constant leader: node
		axiom forall Q1, Q2. exists N. member(N, Q1) & member(N, Q2)
		mutable relation vote(node)
		mutable relation decided
		init !vote(N) & !decided
		transition cast(n: node) modifies vote
		  n != leader & (new(vote(N)) <-> vote(N) | N = n)
		transition decide(q: quorum) modifies decided
		  (member(N, q) -> vote(N)) & new(decided)
		instance i { node = 2, quorum = 2 }`,
}

func model(t *testing.T, text string) *interp.Model {
	t.Helper()
	sys := testkit.Compile(t, text)
	m, err := interp.NewModel(sys, sys.Instances[0])
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// reachable lists the states that are found first, up to a limit.
func reachable(t *testing.T, m *interp.Model, limit int) []interp.State {
	t.Helper()
	ctx := context.Background()
	seen := map[string]bool{}
	var states []interp.State
	add := func(s interp.State) error {
		if key := m.Key(s); !seen[key] && len(states) < limit {
			seen[key] = true
			states = append(states, s)
		}
		return nil
	}
	if err := m.Initial(ctx, add); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(states); i++ {
		if !inRange(t, m, states[i]) {
			continue
		}
		for _, a := range m.System.Actions {
			if err := m.Steps(ctx, states[i], a,
				func(s interp.Step) error { return add(s.State) }); err != nil {
				t.Fatalf("%v", err)
			}
		}
	}
	return states
}

// inRange says whether all values of a state lie in their declared ranges.
func inRange(t *testing.T, m *interp.Model, s interp.State) bool {
	t.Helper()
	for _, p := range m.System.Properties {
		if p.Kind == system.Range {
			holds, err := m.Holds(p.Term, s)
			if err != nil {
				t.Fatal(err)
			}
			if !holds {
				return false
			}
		}
	}
	return true
}

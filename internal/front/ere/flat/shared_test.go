package flat_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/flat"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/testkit"
)

// chained is an action that changes a map in a record again and again: each value is part of the
// next one several times.
func chained(changes int) string {
	var b strings.Builder
	b.WriteString(`sort account
type bank = { balances: map[account, int], open: set[account] }
mutable constant state: bank
init state = { balances: [a: 10 for a: account], open: {} }
action move(a: account, b: account, x: 0..3) {
  let s0 = state;
`)
	for i := range changes {
		fmt.Fprintf(&b, "  let s%d = s%d with { balances: s%d.balances with [%c: s%d.balances[%c] + x] };\n",
			i+1, i, i, "ab"[i%2], i, "ab"[i%2])
	}
	fmt.Fprintf(&b, "  state := s%d;\n}\n", changes)
	b.WriteString("safety [fine] forall a in keys(state.balances). state.balances[a] < 100\n")
	return b.String()
}

// size counts the different parts of declarations.
func size(decls []syntax.Decl) int {
	seen := map[*syntax.Expr]bool{}
	var visit func(x *syntax.Expr)
	visit = func(x *syntax.Expr) {
		if x == nil || seen[x] {
			return
		}
		seen[x] = true
		for _, a := range x.Args {
			visit(a)
		}
	}
	block := func(stmts []syntax.Stmt) {
		for _, s := range stmts {
			switch s := s.(type) {
			case *syntax.TogetherStmt:
				for _, a := range s.Assigns {
					visit(a.Value)
				}
			case *syntax.AssignStmt:
				visit(s.Value)
			}
		}
	}
	for _, d := range decls {
		if a, ok := d.(*syntax.ActionDecl); ok {
			block(a.Body)
		}
	}
	return len(seen)
}

// TestSharedParts: the size of what an action becomes grows with the square of the changes, and not
// by a factor with each.
func TestSharedParts(t *testing.T) {
	sizes := map[int]int{}
	for _, n := range []int{10, 20} {
		errs := &diag.List{}
		file := syntax.Parse(diag.NewSource("chained.ere", chained(n)), errs)
		out, _, _ := flat.File(t.Context(), file, errs)
		if errs.Err() != nil {
			t.Fatal(errs)
		}
		sizes[n] = size(out.Decls)
	}
	if sizes[20] > 8*sizes[10] {
		t.Errorf("20 changes have %d parts, and 10 have %d", sizes[20], sizes[10])
	}
	sys := testkit.Compile(t, chained(10))
	if len(sys.Actions) != 1 {
		t.Error("the action is not there")
	}
}

// TestEndedContext: lowering ends soon after its context, with an error.
func TestEndedContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	// A recursive definition that becomes thousands of calls, in hundreds of claims.
	var b strings.Builder
	b.WriteString("definition f(s: seq[0..9, 9]): int depth 9 =\n" +
		"  if size(s) = 0 then 0 else first(s) + f(tail(s)) + f(tail(s))\n" +
		"mutable constant q: seq[0..9, 9]\n")
	for i := range 400 {
		fmt.Fprintf(&b, "safety f(append(q, %d)) >= 0\n", i%10)
	}
	errs := &diag.List{}
	file := syntax.Parse(diag.NewSource("many.ere", b.String()), errs)
	begin := time.Now()
	flat.File(ctx, file, errs)
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
	if errs.Err() == nil || !strings.Contains(errs.Error(), "was not read to the end") {
		t.Errorf("%v", errs)
	}
}

// TestOneOfSeveralPoints: adding an element whose constructor depends on the state changes the
// points at which it may lie, and no whole set.
func TestOneOfSeveralPoints(t *testing.T) {
	errs := &diag.List{}
	file := syntax.Parse(diag.NewSource("votes.ere", `sort node
mutable constant sent: set[option[node]]
mutable constant last: option[node]
action add() { sent := sent with last; }
action drop() { sent := sent without last; }
`), errs)
	out, _, _ := flat.File(t.Context(), file, errs)
	if errs.Err() != nil {
		t.Fatal(errs)
	}
	for _, d := range out.Decls {
		a, ok := d.(*syntax.ActionDecl)
		if !ok {
			continue
		}
		together, ok := a.Body[len(a.Body)-1].(*syntax.TogetherStmt)
		if !ok || len(together.Assigns) != 2 {
			t.Fatalf("%s: %v", a.Name.Text, a.Body)
		}
		for _, s := range together.Assigns {
			for _, x := range s.Target.Args {
				if x.Name.Text != "last_value" {
					t.Errorf("%s assigns at %s", a.Name.Text, x.Name.Text)
				}
			}
		}
	}
}

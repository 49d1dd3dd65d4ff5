package wasmz3

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// engine compiles z3 once for all tests, with a cache that later runs use.
var engine = sync.OnceValues(func() (*Engine, error) {
	packed, err := os.ReadFile(filepath.Join("module", "z3.wasm.gz"))
	if err != nil {
		return nil, err
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	return Open(context.Background(), Options{Packed: packed, Cache: filepath.Join(dir, "erelong")})
})

func compiled(t *testing.T) *Engine {
	t.Helper()
	e, err := engine()
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("z3 has not been fetched: make embed")
	}
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func start(t *testing.T, p Params) *Instance {
	t.Helper()
	z, err := compiled(t).Start(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(z.Close)
	return z
}

func eval(t *testing.T, z *Instance, in, want string) {
	t.Helper()
	out, err := z.Eval(t.Context(), in)
	if got := strings.TrimSpace(out); err != nil || got != want {
		t.Fatalf("%s: %q, %v; want %q", in, got, err, want)
	}
}

func TestEval(t *testing.T) {
	z := start(t, Params{Set: []string{"smt.random_seed=3"}})
	eval(t, z, "(get-info :version)", `(:version "`+Solver+`")`)
	eval(t, z, "(get-option :smt.random_seed)", "3")
	eval(t, z, "(declare-const x Int)(assert (> x 3))(push 1)(assert (< x 3))(check-sat)(pop 1)", "unsat")
	eval(t, z, "(push 1)(assert (< x 5))(check-sat)(get-value (x))(pop 1)", "sat\n((x 4))")
	// z3 has another arithmetic for each of these: exact rational numbers, floating point, and
	// polynomials.
	eval(t, z, "(push 1)(declare-const r Real)(assert (= (* r r) 2.0))(check-sat)(pop 1)", "sat")
	eval(t, z, "(push 1)(declare-const b (_ BitVec 64))(assert (= (bvmul b b) #x0000000000000002))(check-sat)(pop 1)", "unsat")
	eval(t, z, "(push 1)(declare-const f Float64)(assert (fp.lt f f))(check-sat)(pop 1)", "unsat")
}

// z3 reports errors by C++ exceptions, and then goes on.
func TestExceptions(t *testing.T) {
	z := start(t, Params{})
	eval(t, z, "(declare-const x Int)(assert (> x 3))", "")
	before := z.Memory()
	for range 2000 {
		if out, err := z.Eval(t.Context(), "(assert (p x))"); err != nil || !strings.Contains(out, "unknown constant p (Int)") {
			t.Fatalf("%q, %v", out, err)
		}
	}
	if len(z.caught) != 0 || z.uncaught != 0 {
		t.Errorf("%d exceptions are caught and %d uncaught", len(z.caught), z.uncaught)
	}
	if after := z.Memory(); after > 2*before {
		t.Errorf("the memory has grown from %d to %d", before, after)
	}
	eval(t, z, "(push 1)(assert (< x 3))(check-sat)", "unsat")
}

// endless makes z3 instantiate for ever.
const endless = `(declare-fun f (Int) Int)(declare-fun r (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (r x y) (r (f x) (+ y 1)))))
(assert (forall ((x Int) (y Int)) (=> (r x y) (r (+ x 1) (f y)))))
(assert (r 0 0))(assert (not (r 5 (- 3))))(push 1)`

func TestInterrupt(t *testing.T) {
	z := start(t, Params{})
	eval(t, z, endless, "")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if out, err := z.Eval(ctx, "(check-sat)"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%q, %v", out, err)
	}
	// Other instances go on.
	eval(t, start(t, Params{}), "(check-sat)", "sat")
}

func TestLimit(t *testing.T) {
	var spent []string
	for range 2 {
		z := start(t, Params{})
		eval(t, z, endless+"(set-option :rlimit 200000)", "")
		eval(t, z, "(check-sat)", "unknown")
		out, err := z.Eval(t.Context(), "(get-info :rlimit)")
		if err != nil {
			t.Fatal(err)
		}
		spent = append(spent, out)
	}
	if spent[0] != spent[1] {
		t.Errorf("first %s, then %s", spent[0], spent[1])
	}
}

// z3 reports that it needs too much memory, and does not take it.
func TestMemory(t *testing.T) {
	z := start(t, Params{Memory: 60})
	eval(t, z, endless, "")
	out, err := z.Eval(t.Context(), "(check-sat)(get-info :reason-unknown)")
	if err == nil && !strings.Contains(out, "memory") {
		t.Errorf("%q", out)
	}
	if got := z.Memory(); got > 200<<20 {
		t.Errorf("it took %d bytes", got)
	}
}

func TestSideBySide(t *testing.T) {
	e := compiled(t)
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			z, err := e.Start(t.Context(), Params{})
			if err != nil {
				t.Error(err)
				return
			}
			defer z.Close()
			for k := range 50 {
				out, err := z.Eval(t.Context(), fmt.Sprintf("(push 1)(declare-const x Int)(assert (= (* 3 x) %d))(check-sat)(get-value (x))(pop 1)", 3*(100*i+k)))
				if want := fmt.Sprintf("sat\n((x %d))", 100*i+k); err != nil ||
					strings.TrimSpace(out) != want {
					t.Errorf("%q, %v; want %q", out, err, want)
					return
				}
			}
		})
	}
	wait.Wait()
}

// A trap ends one instance, with a reason.
func TestTrap(t *testing.T) {
	z := start(t, Params{})
	if _, err := z.call("Z3_eval_smtlib2_string", 1<<31, 1<<31); !errors.Is(err, ErrTrap) ||
		!strings.Contains(err.Error(), "out of bounds") {
		t.Errorf("%v", err)
	}
	eval(t, start(t, Params{}), "(check-sat)", "sat")
}

func TestBrokenModule(t *testing.T) {
	if _, err := Open(t.Context(), Options{Packed: []byte("no module")}); err == nil {
		t.Error("what is no module was accepted")
	}
}

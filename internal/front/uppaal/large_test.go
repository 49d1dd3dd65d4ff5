package uppaal

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A model that would take for ever or all memory is refused, with position and number, or reading
// ends when it is not needed any more.
func TestLargeModels(t *testing.T) {
	process := func(declarations, edge string) string {
		return declarations + " process P() { state a; init a; trans a -> a { " + edge + " }; } system P;"
	}
	for _, c := range []struct{ name, text, want string }{
		{"parameter", "process P(int[0,100000000] i) { state a; init a; } system P;", "1:28: error E0503: the parameter i has 100000001 values"},
		{"parameters", "process P(int[0,99] i, int[0,99] j) { state a; init a; } system P;", "10000 processes P"},
		{"select", process("", "select i : int[0,1000000000];"), "i has 1000000001 values"},
		{"selects", process("", "select i : int[0,9999], j : int[0,9999];"), "100000000 ways to select"},
		{"forall", process("", "guard forall (i : int[0,1000000000]) i >= 0;"), "this range has 1000000001 values"},
		{"loop", process("void f() { for (i : int[0,2147483647]) { } }", "assign f();"), "2147483648 values"},
		{"nested in a constant", "const int n = 1; int f() { int k = 0; for (i : int[0,99999]) for (j : int[0,99999]) k = 1; return k; } int a[f()]; " + process("", ""), "more than 16777216 rounds"},
		{"scalars", "typedef scalar[100000000] s; " + process("", ""), "at most 65536"},
		{"clocks", "clock x[1000000]; " + process("", ""), "1000001 clocks|at most 4096"},
		{"variables", "int a[1000000]; int b[1000000]; " + process("", ""), "with b"},
		{"clocks in forall", process("clock x; ", "guard forall (i : int[0,999999]) x >= i;"), "more than 262144 bodies"},
	} {
		_, err := Read("m.xta", c.text, "", "")
		ok := false
		for want := range strings.SplitSeq(c.want, "|") {
			ok = ok || err != nil && strings.Contains(err.Error(), want)
		}
		if !ok {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// A value next to the largest one does not make an endless loop.
func TestLargestValues(t *testing.T) {
	text := "process P() { state a; init a; trans a -> a { select i : int[2147483646,2147483647]; guard forall (j : int[2147483646,2147483647]) j >= i - 1; }; } system P;"
	if _, err := Read("m.xta", text, "", ""); err != nil {
		t.Error(err)
	}
}

// The time to read an expression does not double with each operator.
func TestLongSums(t *testing.T) {
	text := "const int one = 1; int v; process P() { state a; init a; trans a -> a { guard v " +
		strings.Repeat("+ one ", 200) + "> 3; }; } system P;"
	if _, err := Read("m.xta", text, "", ""); err != nil {
		t.Error(err)
	}
}

func TestReadingIsInterrupted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.xta")
	if err := os.WriteFile(path, []byte("process P(int[0,4095] i) { int a[100][10]; state s; init s; } system P;"), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if _, err := Load(ctx, path, "", nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("reading ended with %v", err)
	}
}

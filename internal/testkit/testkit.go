// Package testkit helps tests of several packages: systems from texts, the installed solvers, other
// people's models.
//
// A test that lacks something is skipped, and says what. The variable ERELONG_REQUIRE lists what
// must be there, separated by commas: "solvers", "shared". Then the test fails, so that a run that
// passes has left nothing out.
package testkit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
)

// Compile makes a system from a text without errors.
func Compile(t testing.TB, text string) *system.System {
	t.Helper()
	sys, list, err := ere.Compile("test.ere", text)
	if err != nil {
		t.Fatalf("%v (%v)\n%s", err, list, text)
	}
	return sys
}

// Solvers gives the installed solvers with these names, or all of them without names. The test is
// skipped if there is none. Their processes are used again, as in a run of the program, and end
// with the test.
func Solvers(t testing.TB, names ...string) []smt.Driver {
	t.Helper()
	drivers, err := smt.Find(processes(t), names)
	if errors.Is(err, smt.ErrNoSolver) {
		Missing(t, "solvers", err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	return drivers
}

// Solving is a context in which solvers are found with processes that are used again until the test
// ends. The test is skipped if there is no solver.
func Solving(t testing.TB) context.Context {
	t.Helper()
	Solvers(t)
	return processes(t)
}

// contexts are the results of processes, by their tests.
var contexts sync.Map

func processes(t testing.TB) context.Context {
	if known, ok := contexts.Load(t); ok {
		return known.(context.Context)
	}
	ctx, end := smt.WithProcesses(t.Context())
	t.Cleanup(func() {
		contexts.Delete(t)
		end()
	})
	contexts.Store(t, ctx)
	return ctx
}

// Shared gives the path of material outside the project: it lies in a folder named shared, above
// the project's own.
func Shared(t testing.TB, path ...string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(append([]string{"shared"}, path...)...)
	for ; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		found := filepath.Join(dir, name)
		if _, err := os.Stat(found); err == nil {
			return found
		}
	}
	Missing(t, "shared", filepath.ToSlash(name)+" is not here")
	return ""
}

// Missing skips a test that lacks something of a kind, or fails it if this kind is required.
func Missing(t testing.TB, kind, why string) {
	t.Helper()
	if slices.Contains(strings.Split(os.Getenv("ERELONG_REQUIRE"), ","), kind) {
		t.Fatalf("%s, and ERELONG_REQUIRE says that it must be", why)
	}
	t.Skip(why)
}

// Late is a context that is cancelled after a number of calls of Err: so a test ends work at places
// that do not depend on time.
type Late struct {
	context.Context
	Left int
}

// Err counts the calls.
func (l *Late) Err() error {
	if l.Left--; l.Left < 0 {
		return context.Canceled
	}
	return nil
}

// QuantifiesIntegers reports whether a formula has a quantifier over all integers, which has no
// value in a finite instance.
func QuantifiesIntegers(f *logic.Term) bool {
	return logic.Has(f, func(t *logic.Term) bool {
		return t.IsQuantifier() && slices.ContainsFunc(t.Vars, func(v *logic.Var) bool {
			return v.Sort == logic.Int
		})
	})
}

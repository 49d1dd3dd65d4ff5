package testkit

import (
	"fmt"
	"os"
	"slices"
	"testing"
)

// level is how much the tests do. ERELONG_TEST names it; without it, a run is an ordinary one.
type level int

const (
	ordinary level = iota // a few minutes: make test
	ci                    // what CI has time for: make test-ci
	full                  // all but what takes many minutes by itself: make test-full
	long                  // everything, for hours: make test-long
)

var levels = []string{"", "ci", "full", "long"}

// now is the level of this run. The variable is read here, and not when the program starts: only
// then does the cache of test results know that they depend on it.
func now() level {
	name := os.Getenv("ERELONG_TEST")
	i := slices.Index(levels, name)
	if i < 0 {
		panic(fmt.Sprintf("ERELONG_TEST=%s: it may be ci, full or long", name))
	}
	return level(i)
}

// CI reports whether tests are to do more than in an ordinary run.
func CI() bool { return now() >= ci }

// Long reports whether tests are to leave nothing out.
func Long() bool { return now() == long }

// Size is how much a test does, such as the number of generated systems that it looks at: few in an
// ordinary run and in CI, more in a full run, and all in a long one.
func Size(few, all int64) int64 {
	switch now() {
	case full:
		return few + (all-few)/3
	case long:
		return all
	}
	return few
}

// One reports whether a test looks at a case, by its number: an ordinary run looks at one in
// several, another one at all.
func One(i, in int) bool { return CI() || i%in == 0 }

// InCI skips a test with which an ordinary run would take too long.
func InCI(t testing.TB) {
	t.Helper()
	atLeast(t, ci)
}

// InFull skips a test with which CI would take too long, where others like it remain.
func InFull(t testing.TB) {
	t.Helper()
	atLeast(t, full)
}

// InLong skips a test that takes minutes by itself, where others like it remain.
func InLong(t testing.TB) {
	t.Helper()
	atLeast(t, long)
}

func atLeast(t testing.TB, l level) {
	t.Helper()
	if now() < l {
		t.Skipf("it takes long: make test-%s", levels[l])
	}
}

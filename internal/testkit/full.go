package testkit

import (
	"os"
	"testing"
)

// Full reports whether tests are to leave nothing out that fits into minutes (make test-full, which
// CI runs). An ordinary run of the tests has less time. The variable is read here, and not when the
// program starts: only then does the cache of test results know that they depend on it.
func Full() bool { return os.Getenv("ERELONG_TEST_FULL") != "" }

// Size is how much a test does, such as the number of generated systems that it looks at: few in an
// ordinary run, more in a full one, which has its limit, too, and all in a long one.
func Size(few, all int64) int64 {
	switch {
	case os.Getenv("ERELONG_LONG") != "":
		return all
	case Full():
		return few + (all-few)/fullShare
	}
	return few
}

// fullShare is the part of what an ordinary run leaves out that a full one does.
const fullShare = 3

// One reports whether a test looks at a case, by its number: an ordinary run looks at one in
// several, a full one at all.
func One(i, in int) bool { return Full() || i%in == 0 }

// Slow skips a test with which an ordinary run would take too long.
func Slow(t testing.TB) {
	t.Helper()
	if !Full() {
		t.Skip("it takes long: make test-full")
	}
}

// Long skips a test that takes minutes by itself, where others like it remain.
func Long(t testing.TB) {
	t.Helper()
	if os.Getenv("ERELONG_LONG") == "" {
		t.Skip("it takes minutes: make test-long")
	}
}

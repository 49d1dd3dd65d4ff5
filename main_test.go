package erelong_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"testing"

	"erelong.dev/erelong/internal/smt"
)

// An example cannot skip itself, so the ones with a proof are left out where there is no solver,
// unless ERELONG_REQUIRE says that solvers must be there.
func TestMain(m *testing.M) {
	flag.Parse()
	_, err := smt.Find(context.Background(), nil)
	if errors.Is(err, smt.ErrNoSolver) && os.Getenv("ERELONG_REQUIRE") == "" {
		if err := flag.Set("test.skip", "_proof$"); err != nil {
			panic(err)
		}
	}
	m.Run()
}

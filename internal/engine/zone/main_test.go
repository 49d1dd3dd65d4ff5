package zone_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"erelong.dev/erelong/internal/testkit"
)

// An ordinary run of the tests compares fewer generated models than rapid does by itself.
func TestMain(m *testing.M) {
	flag.Parse()
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == checks.DefValue {
		if err := checks.Value.Set(fmt.Sprint(testkit.Size(20, 100))); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

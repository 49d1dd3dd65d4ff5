package testkit

import "os"

// Full reports whether tests are to leave nothing out that fits into minutes (make test-full, which
// CI runs). An ordinary run of the tests has less time.
func Full() bool { return os.Getenv("ERELONG_FULL") != "" }

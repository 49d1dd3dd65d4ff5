package quint

import (
	"fmt"
	"testing"
)

// The modules of a text are tried in an order: nil is the one that the compiler chooses.
func TestMains(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"module a {}\n  module bank {}\nmodule bankTests {}\nmodule bank_3 {}\nmodule pool {}",
			"[[] [--main bank_3] [--main bankTests] [--main pool] [--main a]]"},
		{"module a {}\nmodule bankTests {}\nmodule b {}",
			"[[--main bankTests] [--main b] [--main a]]"},
		{"module a {}", "[[]]"},
		{"// no module", "[[]]"},
	} {
		if got := fmt.Sprint(mains(c.text, "bank")); got != c.want {
			t.Errorf("%q: %s, not %s", c.text, got, c.want)
		}
	}
}

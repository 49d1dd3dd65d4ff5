package discharge

import (
	"testing"
	"time"

	"erelong.dev/erelong/internal/testkit"
	"erelong.dev/erelong/internal/vc"
)

// TestWall holds that a higher limit never has a shorter guard, also where the first attempt has
// the limit of the others.
func TestWall(t *testing.T) {
	for _, text := range []string{
		"mutable relation a\ninit a\naction keep() { a := a; }\nsafety a",
		"mutable constant n: int\ninit n = 0\naction keep() { n := n; }\nsafety n = 0",
	} {
		d := &Discharger{sys: testkit.Compile(t, text),
			opts: Options{Solving: Solving{Rlimit: DefaultRlimit}, Wall: time.Minute}}
		a := newAsker(d, &Group{Theory: &vc.Theory{}})
		if a.wall(a.quick) < d.opts.Wall/4 || a.wall(a.full) != d.opts.Wall {
			t.Errorf("%q: the guards are %s and %s", text, a.wall(a.quick), a.wall(a.full))
		}
	}
}

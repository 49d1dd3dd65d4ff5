package flat

import (
	"slices"

	"erelong.dev/erelong/internal/front/ere/build"
)

// independent reports whether points are there whether an element lies at them or not.
func independent(ps []point) bool {
	return !slices.ContainsFunc(ps, func(p point) bool {
		return len(p.codes) > 0 || build.MayLack(p.cond) ||
			slices.ContainsFunc(p.args, build.MayLack)
	})
}

// oneOf adds an element to a set, or takes it away, whose constructor depends on the state: at each
// of its points, if it lies there.
func (w *writer) oneOf(l location, ps []point, added bool) {
	for _, p := range ps {
		at := l.sub(p.suffix, p.args...)
		now := w.f.apply(at)
		if added {
			w.set(at, build.Or(p.cond, now))
		} else {
			w.set(at, build.And(build.Not(p.cond), now))
		}
	}
}

package verify

import (
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/system"
)

// A run can be divided among processes that know nothing of each other. Its units are the
// exploration of each instance, and for each system the proofs for all instances; the results of
// all units are the results of the whole run. What only all results together say is missing: there
// is no verdict on a property that no unit of this process is about.

// part keeps of the options for a system the units that Options.Take takes. It reports whether
// there are any.
func (o *Options) part(sys *system.System) bool {
	if o.Take == nil {
		return true
	}
	for _, m := range []struct {
		asked  bool
		method engine.Method
	}{{o.Explore, engine.Explore}, {o.Prove, engine.Prove}, {o.Live, engine.Rank}} {
		if m.asked {
			o.methods = append(o.methods, m.method)
		}
	}
	if o.Explore {
		all := o.Instances
		if len(all) == 0 {
			all = sys.Instances
		}
		var own []*system.Instance
		for _, in := range all {
			if o.Take() {
				own = append(own, in)
			}
		}
		o.Explore = len(own) > 0 || len(all) == 0 && o.Take()
		o.Explored = own
	}
	if o.Prove && !o.Take() {
		o.Prove, o.Infer, o.Live = false, false, false
	}
	return o.Explore || o.Prove
}

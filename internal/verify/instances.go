package verify

import (
	"slices"
	"strconv"

	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// about lists the instances that results are about, in the order of the request.
func (r *run) about() (out []result.Instance) {
	scopes := map[string]bool{}
	for i := range r.ledger.results {
		scopes[r.ledger.results[i].Scope] = true
	}
	all := slices.Concat(r.o.Instances, r.sys.Instances)
	if in, _ := r.guess(); in != nil {
		all = append(all, in)
	}
	for _, in := range all {
		if scopes[in.Name] {
			out = append(out, described(r.sys, in))
			scopes[in.Name] = false
		}
	}
	return out
}

// described is an instance with what it gives.
func described(sys *system.System, in *system.Instance) result.Instance {
	out := result.Instance{Name: in.Name}
	for _, s := range sys.Sorts {
		if n, ok := in.Sizes[s]; ok {
			out.Values = append(out.Values, result.Setting{Name: s.Name, Value: strconv.Itoa(n)})
		}
	}
	for _, s := range sys.Symbols {
		if v, ok := in.Values[s]; ok {
			out.Values = append(out.Values, result.Setting{Name: s.Name, Value: v.String()})
		}
	}
	return out
}

// joinInstances adds the instances of a derived system. Systems of one file have the instances of
// the file, and each may have constants of its own.
func joinInstances(all, more []result.Instance) []result.Instance {
	for _, in := range more {
		i := slices.IndexFunc(all, func(x result.Instance) bool { return x.Name == in.Name })
		if i < 0 {
			all = append(all, in)
			continue
		}
		for _, s := range in.Values {
			if _, known := all[i].Value(s.Name); !known {
				all[i].Values = append(all[i].Values, s)
			}
		}
	}
	return all
}

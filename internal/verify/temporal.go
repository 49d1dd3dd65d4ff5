package verify

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"erelong/internal/engine/explicit"
	"erelong/internal/engine/temporal"
	"erelong/internal/system"
)

// temporalNames lists the temporal properties that were asked for. From states that need not be reachable there is no run
// to speak of, so with Inductive there are none.
func (r *run) temporalNames() (names []string) {
	for _, p := range r.sys.Properties {
		if p.IsTemporal() && !r.o.Inductive && (len(r.o.Only) == 0 || slices.Contains(r.o.Only, p.Name)) {
			names = append(names, p.Name)
		}
	}
	return names
}

// checkTemporal checks temporal properties on an instance.
func (r *run) checkTemporal(ctx context.Context, in *system.Instance, names []string, maxStates int64) error {
	var stats temporal.Stats
	signs := r.signsFor((*system.Property).IsTemporal, names)
	results, err := temporal.Check(ctx, r.sys, in, temporal.Options{
		Only: names, MaxStates: maxStates, Stats: &stats, Signs: signs, MaxDepth: r.o.Explicit.MaxDepth,
		Memory: cmp.Or(r.o.Explicit.Memory, explicit.MachineMemory()*3/4),
		Each:   r.o.Each,
		Progress: func(p temporal.Progress) {
			e := Event{Part: in.Name, Unit: "states", Count: p.States}
			e.Text = fmt.Sprintf("exploring %s for temporal properties: %d states, depth %d", in.Name, p.States, p.Depth)
			if p.Property != "" {
				e = Event{Part: in.Name + " " + p.Property, Unit: "states", Count: p.Looked, Total: p.States}
				e.Text = fmt.Sprintf("checking %s on %s: %d of %d states", p.Property, in.Name, p.Looked, p.States)
			}
			r.progress(e)
		},
	})
	if err != nil {
		return err
	}
	if stats.States > 0 {
		r.saw(&sight{in: in, complete: stats.Complete, bound: -1, shown: stats.Shown, missing: stats.Vacuous, idle: stats.NeverEnabled})
	}
	r.lifted(results, in, maxStates)
	r.add(results)
	r.progress(Event{Part: in.Name, Done: true, Text: fmt.Sprintf("checked %s on %s", counted(len(results), "temporal property", "temporal properties"), in.Name)})
	return nil
}

// whyNotTemporal is the reason why a temporal property was not checked.
func (r *run) whyNotTemporal(p *system.Property) string {
	if r.o.Explore && !r.o.Inductive {
		return fmt.Sprintf("%s properties are checked on finite instances, and none was explored", p.Kind)
	}
	if p.Kind == system.Liveness {
		return "liveness properties are checked on finite instances by verify and check, and proved by verify and live"
	}
	return fmt.Sprintf("%s properties are checked on finite instances only, by verify and check", p.Kind)
}

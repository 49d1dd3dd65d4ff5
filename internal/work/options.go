package work

import (
	"cmp"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/verify"
)

// Options are the settings of engines that findings depend on, as plain data. A test holds that
// each field of the engines' own options is here, or is known to have no effect on findings.
type Options struct {
	LiveOnly, Observe, Inductive, Levels, Prove bool

	Rounds    string
	Only      []string
	Instances []*Instance // that a proof of liveness looks at
	Each      *result.Limit

	Explicit Explicit
	Solving  Solving

	Induction  int
	SimplePath bool
	Depth      int // of a bounded search
	Effort     int64
}

// Explicit are settings of an exploration.
type Explicit struct {
	Deadlock bool
	Limits   engine.Limits
	explicit.Reduction
	explicit.Storage
	explicit.Strategy
}

// Solving are settings of the solvers.
type Solving struct {
	discharge.Solving
	Cached bool // proofs of earlier runs may be used
}

func optionsOf(o verify.Options) Options {
	e, d := o.Explicit, o.Induct.Options
	out := Options{
		LiveOnly: o.LiveOnly, Observe: o.Observe, Inductive: o.Inductive, Levels: o.Levels,
		Prove: o.Prove, Rounds: o.Rounds, Only: o.Only, Each: o.Each,
		Explicit:  Explicit{e.Deadlock, e.Limits, e.Reduction, e.Storage, e.Strategy},
		Solving:   Solving{d.Solving, d.Cache != nil && d.Cache.Earlier},
		Induction: o.Induct.Induction, SimplePath: o.Induct.SimplePath, Depth: o.Bmc.Depth,
		Effort: o.Effort,
	}
	for _, in := range o.Instances {
		out.Instances = append(out.Instances, describe(in))
	}
	return out
}

// options are the settings for this process.
func (o Options) options(sys *system.System, h Here) (verify.Options, error) {
	e := o.Explicit
	d := discharge.Options{Solving: o.Solving.Solving}
	if o.Solving.Cached {
		d.Cache, d.Cores = h.Proofs, h.Proofs != nil
	}
	out := verify.Options{
		LiveOnly: o.LiveOnly, Observe: o.Observe, Inductive: o.Inductive, Levels: o.Levels,
		Prove: o.Prove, Rounds: o.Rounds, Only: o.Only, Each: o.Each,
		Explicit: explicit.Options{Deadlock: e.Deadlock, Limits: e.Limits, Reduction: e.Reduction,
			Storage: e.Storage, Strategy: e.Strategy},
		Induct: induction.Options{Options: d, Induction: o.Induction,
			SimplePath: o.SimplePath},
		Bmc:    bmc.Options{Options: d, Depth: o.Depth},
		Effort: o.Effort,
	}
	out.Explicit.Memory = cmp.Or(e.Memory, h.Memory)
	for _, x := range o.Instances {
		in, err := x.instance(sys)
		if err != nil {
			return out, err
		}
		out.Instances = append(out.Instances, in)
	}
	return out, nil
}

// Refused names the settings of a request that cannot be met in another process, empty if it can.
func Refused(o verify.Options, divided bool) string {
	for _, x := range []struct {
		given bool
		what  string
	}{
		{o.Explicit.Checkpoint.Dir != "" && !divided, "--checkpoint, but for explorations that " +
			"--divide divides: another job begins again where its worker ends"},
		{o.Explicit.SpillDir != "",
			"--spill-dir: each worker has its own folder for temporary files"},
		{o.Induct.LogDir != "", "--save-queries: the queries are asked by workers"},
	} {
		if x.given {
			return "--workers does not go with " + x.what
		}
	}
	return ""
}

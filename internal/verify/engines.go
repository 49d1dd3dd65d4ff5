package verify

import (
	"cmp"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/accel"
	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/engine/fbii"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/engine/infer"
	"erelong.dev/erelong/internal/engine/ranking"
	"erelong.dev/erelong/internal/engine/temporal"
	"erelong.dev/erelong/internal/engine/zone"
)

// engines lists all engines. A task goes to the engines that accept it, in this order. A new engine
// is one more line.
func (r *run) engines() []engine.Engine {
	proofs := r.o.Induct
	if !r.o.Inductive && !r.o.LiveOnly {
		h := &hard{run: r}
		proofs.Hard, proofs.Suspect, proofs.Violated = h.look, h.suspect, h.violated
	}
	var ranked ranking.Options
	if r.sys != nil {
		ranked = r.ranking()
	}
	return []engine.Engine{
		&explicit.Engine{Options: r.o.Explicit, Inductive: r.o.Inductive, Levels: r.o.Levels},
		&temporal.Engine{Memory: cmp.Or(r.o.Explicit.Memory, explicit.MachineMemory()*3/4),
			Threads:    r.o.Explicit.Threads,
			Inductive:  r.o.Inductive,
			Checkpoint: r.o.Explicit.Checkpoint, Fit: explicit.Fit},
		&induction.Engine{Options: proofs},
		&fbii.Engine{Options: proofs.Options},
		&bmc.Engine{Options: r.o.Bmc},
		&ranking.Engine{Options: ranked},
		&zone.Engine{Options: r.o.Zone},
		&infer.Engine{Options: r.o.Induct.Options},
		&accel.Engine{},
	}
}

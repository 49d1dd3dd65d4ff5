package verify

import (
	"context"

	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/steady"
	"erelong.dev/erelong/internal/result"
)

// piecesWork bounds the proofs by pieces of runs, before invariants are looked for.
const piecesWork = 200 * effort.Million

// byPieces decides the safety properties that are not inductive by pieces of runs, where the system
// has such. That takes no invariants.
func (s inference) byPieces(whole context.Context) error {
	open := s.open()
	if len(open) == 0 {
		return nil
	}
	t := s.task(engine.Accelerate)
	t.Named, t.Claims = true, open
	e := &steady.Engine{Options: s.o.Induct.Options}
	if e.Accepts(t) != "" {
		return nil
	}
	part, stop := upTo(whole, piecesWork, "the share of pieces of runs")
	defer stop()
	ctx, end := s.ledger.whileOpen(part, t.Names(engine.Claim.IsInvariant)...)
	defer end()
	found, err := e.Run(ctx, t, engine.Sink{Progress: s.progress})
	if err != nil {
		return s.ledger.unsolved(err)
	}
	if result.Over(whole).Given() {
		found.Notes = nil
	}
	s.supersede(found)
	return nil
}

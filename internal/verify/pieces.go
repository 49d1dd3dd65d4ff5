package verify

import (
	"context"
	"slices"

	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/steady"
	"erelong.dev/erelong/internal/system"
)

// inFew are violations with few processes. Where several systems are derived from a file, each is
// looked at before the proofs about the first one begin, since these take long where a claim is
// false.
func inFew(ctx context.Context, sys *system.System, o *Options) (err error) {
	if !o.Prove || o.Inductive || o.Take != nil {
		return nil
	}
	var claims []*system.Property
	for _, p := range sys.Properties {
		if p.IsInvariant() && (len(o.Only) == 0 || slices.Contains(o.Only, p.Name)) {
			claims = append(claims, p)
		}
	}
	o.violated, o.looked, err = steady.Few(ctx, sys, claims, steady.FewStates)
	return err
}

// piecesWork bounds the proofs by pieces of runs, before invariants are looked for.
const piecesWork = 200 * effort.Million

// byPieces decides the safety properties that are not inductive by pieces of runs, where the system
// has such. The notes say of the ones that stay open why.
func (s inference) byPieces(whole context.Context) (notes []string, err error) {
	open := s.open()
	if len(open) == 0 {
		return nil, nil
	}
	t := s.task(engine.Accelerate)
	t.Named, t.Claims = true, open
	e := &steady.Engine{Options: s.o.Induct.Options, Looked: s.o.looked}
	if e.Accepts(t) != "" {
		return nil, nil
	}
	part, stop := upTo(whole, piecesWork, "the share of pieces of runs")
	defer stop()
	ctx, end := s.ledger.whileOpen(part, t.Names(engine.Claim.IsInvariant)...)
	defer end()
	found, err := e.Run(ctx, t, engine.Sink{Progress: s.progress})
	if err != nil {
		return nil, s.ledger.unsolved(err)
	}
	s.supersede(found)
	for _, x := range found.Results {
		if x.Reason.Given() {
			notes = append(notes, x.Property+": pieces of runs: "+x.Reason.Text)
		}
	}
	return notes, nil
}

package lsp

import (
	"time"

	"erelong.dev/erelong/internal/diag"
)

func (s *server) options() settings {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.settings
}

// saved verifies a document that was saved, unless the client does not want that. Most answers come
// from the cache of proofs.
func (s *server) saved(uri string) {
	s.readAgain(fileName(uri))
	if on := s.options().VerifyOnSave; on != nil && !*on {
		return
	}
	snap := s.snapshotOf(uri)
	if snap == nil {
		return
	}
	s.start(func() {
		a, err := snap.analyse()
		if err != nil || len(a.properties()) == 0 {
			return
		}
		if err := s.verify(a, work{method: byAll}); err != nil {
			s.log.Printf("verifying %s: %v", snap.name, err)
		}
	})
}

// status gives the states of all properties of a version.
func (ds *documents) status(snap *snapshot) statusParams {
	out := statusParams{URI: snap.uri, Version: snap.version, Properties: []propertyStatus{}}
	a, err := snap.analyse()
	if err != nil {
		return out
	}
	states := ds.statuses(snap)
	for _, p := range a.properties() {
		if st := states[p.name]; st != nil {
			out.Properties = append(out.Properties, *st)
		} else {
			out.Properties = append(out.Properties, *a.newStatus(p, stateStale))
		}
	}
	return out
}

// statuses are the known states of a version.
func (ds *documents) statuses(snap *snapshot) map[string]*propertyStatus {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	out := map[string]*propertyStatus{}
	if d := ds.current(snap); d != nil && d.job != nil {
		for name, st := range d.job.states {
			c := *st
			out[name] = &c
		}
	}
	return out
}

func (ds *documents) statusOf(snap *snapshot, name string) *propertyStatus {
	return ds.statuses(snap)[name]
}

// sendStatus tells the client the states of a version, and has it ask for the lenses again.
func (s *server) sendStatus(snap *snapshot) {
	s.start(func() {
		st := s.status(snap)
		s.publishing.Lock()
		defer s.publishing.Unlock()
		s.mu.Lock()
		current := s.current(snap) != nil
		refresh := s.client.Capabilities.Workspace.CodeLens.RefreshSupport
		s.mu.Unlock()
		if !current {
			return
		}
		s.notify("erelong/status", st)
		if refresh {
			s.start(func() { _ = s.conn.Call(s.ctx, "workspace/codeLens/refresh", nil, nil) })
		}
	})
}

// stop ends the verification of a version.
func (s *server) stop(snap *snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.current(snap); d != nil && d.job != nil {
		d.job.waiting = nil
		d.job.forget(stateQueued)
		d.job.stop()
		s.sendStatus(snap)
	}
}

// stopToken ends the verification whose progress the user has cancelled.
func (s *server) stopToken(token string) {
	s.mu.Lock()
	var snap *snapshot
	for _, d := range s.docs {
		if d.job != nil && d.job.token == token {
			snap = d.snapshot
		}
	}
	s.mu.Unlock()
	if snap != nil {
		s.stop(snap)
	}
}

// progressPeriod is the least time between two messages about progress.
const progressPeriod = 200 * time.Millisecond

// begin shows the progress of a job. The result shows a text.
func (s *server) begin(j *job) func(string) {
	s.mu.Lock()
	shows := s.client.Capabilities.Window.WorkDoneProgress
	s.mu.Unlock()
	if !shows {
		return func(string) {}
	}
	if err := s.conn.Call(j.analysis.ctx, "window/workDoneProgress/create", progressCreate{j.token},
		nil); err != nil {
		return func(string) {}
	}
	s.notify("$/progress", progressParams{j.token, workProgress{Kind: "begin", Title: "erelong",
		Cancellable: true}})
	var last time.Time
	return func(text string) {
		if now := time.Now(); now.Sub(last) >= progressPeriod || text == "" {
			last = now
			s.notify("$/progress", progressParams{j.token, workProgress{Kind: "report",
				Message: text}})
		}
	}
}

// finish ends the progress of a job.
func (s *server) finish(j *job) {
	s.mu.Lock()
	shows := s.client.Capabilities.Window.WorkDoneProgress
	s.mu.Unlock()
	if shows {
		s.notify("$/progress", progressParams{j.token, workProgress{Kind: "end"}})
	}
}

// lemmasOf are the invariants that were found for the property at a position.
func (ds *documents) lemmasOf(snap *snapshot, at diag.Span) (out []string) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if d := ds.current(snap); d != nil && d.job != nil {
		for _, l := range d.job.lemmas {
			if l.at.Start == at.Start {
				out = append(out, l.text)
			}
		}
	}
	return out
}

// lemmaActions offers to write invariants that were found before their property.
func (ds *documents) lemmaActions(a *analysis, from, to int) (out []codeAction) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	d := ds.current(a.snapshot)
	if d == nil || d.job == nil {
		return nil
	}
	texts := map[diag.Span]string{}
	var order []diag.Span
	for _, l := range d.job.lemmas {
		if l.at.Start > to || l.at.End < from {
			continue
		}
		if texts[l.at] == "" {
			order = append(order, l.at)
		}
		texts[l.at] += l.text
	}
	for _, at := range order {
		start := diag.Span{Source: at.Source, Start: at.Start, End: at.Start}
		out = append(out, codeAction{
			Title: "Write the invariants that were found", Kind: "quickfix", IsPreferred: true,
			Edit: a.edit(start, texts[at]),
		})
	}
	return out
}

package lsp

import (
	"fmt"
	"slices"
	"sync"

	"erelong.dev/erelong/internal/diag"
)

// documents are the open documents, by their addresses, with what is known of their versions.
type documents struct {
	mu   sync.Mutex
	docs map[string]*document
}

// document is an open document.
type document struct {
	*snapshot
	job *job // the verification of this version, nil for none
}

// put opens a document, or replaces its text.
func (s *server) put(uri string, version int, text string) {
	next := newSnapshot(s.ctx, uri, version, text)
	s.mu.Lock()
	old := s.docs[uri]
	s.docs[uri] = &document{snapshot: next}
	s.mu.Unlock()
	if old != nil {
		old.end()
		if old.job != nil {
			s.sendStatus(next) // the states of the old version are stale
		}
	}
	s.start(func() { s.publish(next) })
}

func (s *server) change(p didChangeParams) error {
	d := s.snapshotOf(p.TextDocument.URI)
	if d == nil {
		return fmt.Errorf("%s is not open", p.TextDocument.URI)
	}
	t := d.text
	for _, c := range p.ContentChanges {
		t = newText(t.replace(c))
	}
	s.put(p.TextDocument.URI, p.TextDocument.Version, t.string)
	return nil
}

func (s *server) remove(uri string) {
	s.mu.Lock()
	d := s.docs[uri]
	delete(s.docs, uri)
	s.mu.Unlock()
	if d == nil {
		return
	}
	d.end()
	s.start(func() {
		s.publishing.Lock()
		defer s.publishing.Unlock()
		if s.snapshotOf(uri) == nil {
			s.notify("textDocument/publishDiagnostics", publishParams{URI: uri, Version: d.version,
				Diagnostics: []diagnostic{}})
		}
	})
}

func (ds *documents) snapshotOf(uri string) *snapshot {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if d := ds.docs[uri]; d != nil {
		return d.snapshot
	}
	return nil
}

// current gives the document of a snapshot, nil if it has a newer version, or is closed. The caller
// holds mu.
func (ds *documents) current(snap *snapshot) *document {
	if d := ds.docs[snap.uri]; d != nil && d.snapshot == snap {
		return d
	}
	return nil
}

// publish sends the diagnostics of a version, unless there is a newer one.
func (s *server) publish(snap *snapshot) {
	a, err := snap.analyse()
	if err != nil {
		return
	}
	list := a.published()
	s.publishing.Lock()
	defer s.publishing.Unlock()
	s.mu.Lock()
	d := s.current(snap)
	if d != nil && d.job != nil {
		list = append(list, d.job.diagnostics()...)
	}
	s.mu.Unlock()
	if d != nil {
		s.notify("textDocument/publishDiagnostics", publishParams{URI: snap.uri,
			Version: snap.version, Diagnostics: list})
	}
}

// readAgain reads the documents again that include a file which has changed.
func (s *server) readAgain(file string) {
	s.mu.Lock()
	var snaps []*snapshot
	for _, d := range s.docs {
		snaps = append(snaps, d.snapshot)
	}
	s.mu.Unlock()
	for _, snap := range snaps {
		s.start(func() {
			a, err := snap.analyse()
			if err == nil && a.tree != nil && slices.ContainsFunc(a.tree.Included,
				func(f *diag.Source) bool { return f.Name == file }) &&
				s.snapshotOf(snap.uri) == snap {
				s.put(snap.uri, snap.version, snap.text.string)
			}
		})
	}
}

package lsp

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"erelong.dev/erelong/internal/result"
)

// Explore gives the address of a page that shows a file with this text: its initial state or, if
// there is a result, the run of the result.
type Explore func(file, text string, r *result.Result) (address string, err error)

// explorable reports whether a document can be shown on a page: it is a file.
func (s *server) explorable(snap *snapshot) bool {
	u, err := url.Parse(snap.uri)
	return s.Explore != nil && err == nil && u.Scheme == "file"
}

// runOf is the result with the run that is shown for a property, nil if there is none.
func (ds *documents) runOf(snap *snapshot, property string) *result.Result {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if d := ds.current(snap); d != nil && d.job != nil {
		return d.job.runs[property]
	}
	return nil
}

// explorerLenses offer a page for a property: to step through the system from its initial state,
// and through the run that was found.
func (s *server) explorerLenses(a *analysis, p property, at textRange) []codeLens {
	if !s.explorable(a.snapshot) {
		return nil
	}
	out := []codeLens{{at, &command{"simulate", commandExplore, []any{a.uri}}}}
	if s.runOf(a.snapshot, p.name) != nil {
		out = append(out,
			codeLens{at, &command{"open in the explorer", commandExplore, []any{a.uri, p.name}}})
	}
	return out
}

// explore opens the page. The address is the answer; a client that can is asked to show it.
func (s *server) explore(snap *snapshot, args []string) (answer, error) {
	if !s.explorable(snap) {
		return nil, fmt.Errorf("%s is not a file that a page can show", snap.uri)
	}
	return func(ctx context.Context) (any, error) {
		a, err := snap.analyse()
		if err != nil {
			return nil, err
		}
		if len(a.systems) == 0 && a.network == nil {
			return nil, errors.New("the text has errors, so there are no states to show")
		}
		var run *result.Result
		if len(args) > 1 && args[1] != "" {
			known := slices.ContainsFunc(a.properties(), func(p property) bool {
				return p.name == args[1]
			})
			if !known {
				return nil, fmt.Errorf("there is no property %q", args[1])
			}
			if run = s.runOf(snap, args[1]); run == nil {
				return nil, fmt.Errorf("no run was found for %s in this version of the text",
					args[1])
			}
		}
		address, err := s.Explore(snap.name, a.text.string, run)
		if err != nil {
			return nil, err
		}
		s.mu.Lock()
		shows := s.client.Capabilities.Window.ShowDocument.Support
		s.mu.Unlock()
		if shows {
			err := s.conn.Call(ctx, "window/showDocument", showDocument{address, true}, nil)
			return address, err
		}
		s.notify("window/showMessage", showMessage{3, "The explorer: " + address})
		return address, nil
	}, nil
}

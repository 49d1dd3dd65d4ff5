package cli

import (
	"errors"
	"slices"
	"time"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/report"
)

// A reporting handler writes reports.
type reporting interface {
	results() *output
}

func (a *analysis) results() *output  { return &a.Output }
func (w *inference) results() *output { return &w.Output }
func (f *queries) results() *output   { return &f.Output }

// broken writes the reports for build servers where a file has errors: without them a server would
// show the results of an earlier run, or none. The error of the run stays, with what was not
// written.
func broken(s *streams, cmd string, h handler, path string, err error) error {
	var list *diag.List
	w, ok := h.(reporting)
	if !ok || !errors.As(err, &list) {
		return err
	}
	o := w.results()
	all, wrong := o.Report.destinations(path)
	if wrong != nil {
		return err
	}
	servers := slices.DeleteFunc(all, func(d destination) bool {
		return d.name != "sarif" && d.name != "junit"
	})
	r := &report.Report{Version: Version(), File: path, Command: cmd,
		Warnings: list.All, Environment: report.Environment{Date: time.Now()}}
	lost := o.writeTo(s, servers, r, report.Options{File: path})
	return orLost(errors.Join(lost...), err)
}

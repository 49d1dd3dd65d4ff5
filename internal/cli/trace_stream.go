package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"erelong.dev/erelong/internal/conformance"
	"erelong.dev/erelong/internal/conformance/observe"
	"erelong.dev/erelong/internal/conformance/runlog"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/system"
)

// streams reports whether logs can be checked while they are read: nothing needs the whole run, and
// the files can be read again.
func (f *conform) streams(paths []string) bool {
	o := f.Conform
	if o.bounds || o.html != "" || o.itf != "" || o.maxStates != 0 {
		return false
	}
	for _, path := range paths {
		at, err := os.Stat(path)
		if err != nil || !at.Mode().IsRegular() || strings.HasSuffix(path, ".itf.json") {
			return false
		}
	}
	return true
}

// streamed checks logs while they are read.
func (f *conform) streamed(
	ctx context.Context, paths []string, spec *ere.Specification, inst *system.Instance,
	file *observe.File,
) (*conformance.Result, error) {
	checker, err := f.checker(spec, inst, file, 0)
	if err != nil {
		return nil, err
	}
	defer collectRarely()()
	var sources []conformance.Source
	for _, path := range paths {
		in, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("reading the log: %w", err)
		}
		defer in.Close()
		of := ""
		if len(paths) > 1 {
			of = path
		}
		sources = append(sources, source(runlog.NewReader(path, in, file.Shape), of, path, file))
	}
	return checker.Streamed(ctx, strings.Join(paths, ", "), sources...)
}

// source gives the events of a file that is one of several, or alone.
func source(
	in *runlog.Reader, of, name string, file *observe.File,
) conformance.Source {
	return func() (*runlog.Event, error) {
		e, err := in.Next()
		if err != nil {
			return nil, err
		}
		e.File = of
		return e, conformance.Identify(name, file, []*runlog.Event{e})
	}
}

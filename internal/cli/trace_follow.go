package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"erelong.dev/erelong/internal/conformance"
	"erelong.dev/erelong/internal/conformance/observe"
	"erelong.dev/erelong/internal/conformance/runlog"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/system"
)

// growing is a file that another program writes: at its end, reading waits for more.
type growing struct {
	ctx    context.Context // ends the file
	file   *os.File
	read   int64
	atRest func() // called while there is nothing to read
}

// restFor is the time between two looks at a file that has not grown.
const restFor = 100 * time.Millisecond

func (g *growing) Read(p []byte) (int, error) {
	for {
		n, err := g.file.Read(p)
		g.read += int64(n)
		if n > 0 || !errors.Is(err, io.EOF) {
			return n, err
		}
		at, err := g.file.Stat()
		switch {
		case err != nil:
			return 0, err
		case at.Size() < g.read:
			return 0, errors.New("the file became shorter")
		}
		g.atRest()
		select {
		case <-g.ctx.Done():
			return 0, io.EOF
		case <-time.After(restFor):
		}
	}
}

// whole reads what was read so far once more, up to the last whole line.
func (g *growing) whole() (io.Reader, error) {
	text := make([]byte, g.read)
	if _, err := g.file.ReadAt(text, 0); err != nil {
		return nil, fmt.Errorf("reading the log again: %w", err)
	}
	return bytes.NewReader(text[:bytes.LastIndexByte(text, '\n')+1]), nil
}

// followable is an error that says why a log cannot be followed while it grows.
func (f *conform) followable(paths []string, file *observe.File) error {
	if _, err := os.Stat(paths[0]); len(paths) == 1 && errors.Is(err, fs.ErrNotExist) {
		return &exitError{ExitFile, fmt.Errorf("reading the log: %w", err)}
	}
	switch {
	case len(paths) != 1 || paths[0] == standardInput || !f.streams(paths):
		return usage("trace -f follows one file of lines, without --bounds, --html, --itf and " +
			"--max-states")
	case file.Order != "" && file.Order != observe.ByFile:
		return usage("trace -f takes the events in the order of their lines, and the "+
			"declarations say `order %s`: declare `order file` if that is their order", file.Order)
	}
	return nil
}

// followed checks a log while it grows, until the context ends, or the log is no run.
func (f *conform) followed(
	ctx context.Context, s *streams, about conformance.Context, spec *ere.Specification,
	inst *system.Instance, file *observe.File,
) error {
	in, err := os.Open(about.Log)
	if err != nil {
		return &exitError{ExitFile, fmt.Errorf("reading the log: %w", err)}
	}
	defer in.Close()
	checker, err := f.checker(spec, inst, file, 0)
	if err != nil {
		return err
	}
	log := &growing{ctx: ctx, file: in}
	st := checker.Stream(about.Log, observe.ByFile, followedSource(log, about.Log, file))
	told := 0
	log.atRest = func() {
		if n := st.Events(); n > told && f.Conform.format == "text" {
			told = n
			what := "event of %s is"
			if n > 1 {
				what = fmt.Sprintf("%d events of %%s are", n)
			}
			fmt.Fprintf(s.out, "so far the first "+what+" a run\n", about.Log)
		}
	}
	check := context.WithoutCancel(ctx) // an interrupt ends the log, and not the check
	r, err := st.Run(check)
	if errors.Is(err, conformance.ErrWhole) {
		r, err = wholeOf(check, log, checker, about.Log, file)
	}
	if err != nil {
		return failed(check, about.Log, err)
	}
	return f.write(s, r, about)
}

// followedSource gives the events of a growing log. At its end, a line that is not whole counts for
// nothing.
func followedSource(log *growing, name string, file *observe.File) conformance.Source {
	next := source(runlog.NewReader(name, log, file.Shape), "", name, file)
	return func() (*runlog.Event, error) {
		e, err := next()
		switch {
		case err != nil && log.ctx.Err() != nil:
			return nil, io.EOF
		case err != nil:
			return nil, err
		case file.Order == "" && e.Node != "" && e.HasSeq:
			return nil, &runlog.Error{File: name, Line: e.Line, Column: 1, Message: "the event " +
				"has a node and a number, so the order is known for each node only, and trace -f " +
				"takes the order of the lines: declare `order file` if that is the order"}
		}
		return e, nil
	}
}

// wholeOf checks what was read of a log that the stream found to be no run.
func wholeOf(
	ctx context.Context, log *growing, checker *conformance.Checker, name string,
	file *observe.File,
) (*conformance.Result, error) {
	text, err := log.whole()
	if err != nil {
		return nil, err
	}
	events, err := runlog.Read(name, text, file.Shape)
	if err == nil {
		err = conformance.Identify(name, file, events)
	}
	if err != nil {
		return nil, err
	}
	r, err := checker.Check(ctx, name, events)
	if err == nil && r.Answer == conformance.Accepted {
		r.Answer = conformance.Unknown
		r.Reason = "the events are a run, but one whose first steps are others than trace -f " +
			"chose, and it cannot go back to them; try again without -f"
	}
	return r, err
}

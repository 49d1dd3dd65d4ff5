// Package erelong verifies specifications of distributed protocols from Go programs and tests.
//
// [Load] and [Parse] read a specification in each language that the command erelong reads: its own,
// which every file of mypyvy is in, protocol models of Ivy, counter systems of FAST, and networks
// of timed automata of UPPAAL. [Spec.Verify] decides each of its properties, with evidence: a run
// that violates it, or a proof for every instance. Engines and verdicts are the same as in the
// command `erelong verify`.
//
// A test of a protocol is three lines:
//
//	spec, err := erelong.Load(ctx, "lock.ere") // an *erelong.Error has positions
//	report, err := spec.Verify(ctx, erelong.Options{})
//	err = report.Err()                         // nil, or a *erelong.VerdictError
//
// A proof for every number of processes needs an SMT solver (z3 or cvc5) in PATH. Without one,
// properties are explored in the instances of the file; [Result.ForAll] gives the scope of a
// verdict, and [Report.ProofErr] accepts proofs only.
package erelong

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/front"
)

// Spec is a specification without errors. It is immutable, so goroutines can share it.
type Spec struct {
	name     string
	text     string
	language string
	queries  string // the file with the queries of a model, empty for its own
	beside   func(path string) ([]byte, error)
	file     *front.File
	warnings []Diagnostic
}

// Loader reads specifications with settings. [Load] and [Parse] use the zero value.
type Loader struct {
	// Queries is the path of a file of queries, one a line, in place of the queries of a model of
	// timed automata.
	Queries string
	// ReadFile reads a file, and the files that it includes; nil for [os.ReadFile].
	ReadFile func(path string) ([]byte, error)
}

// Load reads a specification from a file; its name and its text decide its language. The error is
// an [*Error] where the text is at fault.
func Load(ctx context.Context, path string) (*Spec, error) { return new(Loader).Load(ctx, path) }

// Parse reads a specification from a text. The name stands for the file: it decides the language,
// and stands in messages. The error is an [*Error] where the text is at fault.
func Parse(ctx context.Context, name, text string) (*Spec, error) {
	return new(Loader).Parse(ctx, name, text)
}

// Load is [Load] with the settings.
func (l *Loader) Load(ctx context.Context, path string) (*Spec, error) {
	text, err := l.read()(path)
	if l.ReadFile == nil && !errors.Is(err, os.ErrNotExist) {
		err = cmp.Or(front.Readable(path), err)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the specification: %w", err)
	}
	return l.Parse(ctx, filepath.ToSlash(path), string(text))
}

// Parse is [Parse] with the settings.
func (l *Loader) Parse(ctx context.Context, name, text string) (*Spec, error) {
	s := &Spec{name: name, text: text, language: front.Of(name, text).Name, queries: l.Queries,
		beside: once(l.read())}
	file, err := s.open(ctx, front.Options{})
	if err != nil {
		return nil, public(err)
	}
	if l.Queries != "" && file.Kind != front.Model {
		return nil, &OptionError{"Loader.Queries", "only models of timed automata have queries"}
	}
	s.file, s.warnings = file, diagnostics(file.Warnings)
	return s, nil
}

func (l *Loader) read() func(path string) ([]byte, error) {
	if l.ReadFile != nil {
		return l.ReadFile
	}
	return os.ReadFile
}

// once reads every file once, so that a specification stays the same when its files change.
func once(read func(path string) ([]byte, error)) func(path string) ([]byte, error) {
	type contents struct {
		text []byte
		err  error
	}
	var mu sync.Mutex
	kept := map[string]contents{}
	return func(path string) ([]byte, error) {
		mu.Lock()
		defer mu.Unlock()
		c, ok := kept[path]
		if !ok {
			c.text, c.err = read(path)
			kept[path] = c
		}
		return c.text, c.err
	}
}

// open reads the text, as an instance may need: with other constants, or with all processes.
func (s *Spec) open(ctx context.Context, o front.Options) (*front.File, error) {
	o.Queries, o.Beside = s.queries, s.beside
	return front.Read(ctx, s.name, s.text, o)
}

// systems are the systems of a specification for some instances. Where an instance gives the number
// of processes of an algorithm, the system has all of them.
func (s *Spec) systems(ctx context.Context, instances []string) ([]*derive.Derived, error) {
	for _, text := range instances {
		if derive.CountsProcesses(text) {
			file, err := s.open(ctx, front.Options{Derive: derive.Options{Unreduced: true}})
			return file.Systems, err
		}
	}
	return s.file.Systems, nil
}

// Name returns the path or the name with which the specification was read.
func (s *Spec) Name() string { return s.name }

// Language returns the language of the text: erelong, Ivy, FAST or UPPAAL.
func (s *Spec) Language() string { return s.language }

// Warnings returns the doubtful constructs in the text, such as a symbol that is never used.
func (s *Spec) Warnings() []Diagnostic { return s.warnings }

// Properties returns the names of the properties, in the order of the file. The property of a model
// of timed automata is the text of a query.
func (s *Spec) Properties() (names []string) {
	if s.file.Kind == front.Model {
		for _, q := range s.file.Network.Queries {
			names = append(names, q.Text)
		}
	}
	for _, d := range s.file.Systems {
		names = append(names, d.Claims()...)
	}
	return names
}

// Instances returns the names of the instances that the file declares.
func (s *Spec) Instances() (names []string) {
	for _, d := range s.file.Systems {
		for _, i := range d.Spec.System.Instances {
			if !slices.Contains(names, i.Name) { // systems of an algorithm have the same
				names = append(names, i.Name)
			}
		}
	}
	return names
}

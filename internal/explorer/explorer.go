// Package explorer answers the requests of a page that shows specifications.
//
// In: requests as JSON, about the files of one folder. Out: answers as JSON, and the progress of
// engines. It knows neither HTTP nor the browser: package serve puts it behind a server, and the
// playground behind a worker. Each answer is computed by the packages of the command line: front,
// sim, verify, report and diagram.
package explorer

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front"
	"erelong.dev/erelong/internal/sim"
	"erelong.dev/erelong/internal/verify"
)

// Options connect the answers with their surroundings.
type Options struct {
	Version string
	// Names lists the files that can be opened.
	Names func() ([]string, error)
	// Read gives the text of a file, and the name with which messages call it.
	Read func(file string) (name, text string, err error)
	// Configure adds settings to a run of engines; may be nil.
	Configure func(o *verify.Options)
	// NoSolver says that no proof can be attempted, so commands that only prove are not offered.
	NoSolver bool
}

// Service answers requests. Several goroutines may use it.
type Service struct {
	o Options

	mu        sync.Mutex
	files     map[string]*opened
	explorers map[explorerKey]sim.Runs
	runs      []*Run
	last      int // number of the last run
}

// New makes a service. Close ends its engines.
func New(o Options) *Service {
	return &Service{o: o, files: map[string]*opened{}, explorers: map[explorerKey]sim.Runs{}}
}

// opened is a file that was read, without errors.
type opened struct {
	name, text string
	beside     map[string]string // the texts of the files that it includes, and of its queries
	file       *front.File
}

// same reports whether a file, and what was read beside it, still has these texts.
func (f *opened) same(text string, beside func(path string) ([]byte, error)) bool {
	for path, old := range f.beside {
		if now, _ := beside(path); string(now) != old {
			return false
		}
	}
	return f.text == text
}

// digest names the texts of a file.
func (f *opened) digest() string {
	h := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(f.beside)) {
		fmt.Fprintf(h, "%q %q\n", path, f.beside[path])
	}
	fmt.Fprintf(h, "%q\n", f.text)
	return hex.EncodeToString(h.Sum(nil))
}

// Limits on what one page may ask for.
const (
	maxExplorers = 32
	maxRuns      = 32        // that are kept
	maxAtOnce    = 4         // runs of engines at a time
	maxText      = 1_000_000 // bytes of an expression or a name
)

// ErrRequest is wrapped by errors about a request that a page should not have made.
var ErrRequest = errors.New("the request is not understood")

// open reads a file, again if its text has changed.
func (s *Service) open(ctx context.Context, file string) (*opened, error) {
	name, text, err := s.o.Read(file)
	if err != nil {
		return nil, err
	}
	beside := func(other string) ([]byte, error) {
		way, err := filepath.Rel(filepath.Dir(name), other)
		if err != nil {
			return nil, fmt.Errorf("finding %s beside %s: %w", other, name, err)
		}
		_, text, err := s.o.Read(path.Join(path.Dir(file), filepath.ToSlash(way)))
		return []byte(text), err
	}
	s.mu.Lock()
	f := s.files[file]
	s.mu.Unlock()
	if f != nil && f.same(text, beside) {
		return f, nil
	}
	f = &opened{name: name, text: text, beside: map[string]string{}}
	f.file, err = front.Read(ctx, name, text, front.Options{Beside: func(
		other string,
	) ([]byte, error) {
		text, err := beside(other)
		f.beside[other] = string(text)
		return text, err
	}})
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[file] = f
	return f, nil
}

// request is what every request may have.
type request struct {
	File   string `json:"file"`
	System string `json:"system"` // of several that are derived from an algorithm
	// a name of the file, or as in client = 2; empty for the first
	Instance string      `json:"instance"`
	Run      int         `json:"run"` // of engines, whose result Result is recorded; 0 for none
	Result   int         `json:"result"`
	Address  sim.Address `json:"address"`
	Text     string      `json:"text"` // an expression, or the name of a property
	Step     int         `json:"step"`
	By       string      `json:"by"` // the sort whose elements are the lanes of a chart
	// of a sweep: what is shown, over which numbers, and the values of the others
	Measure string `json:"measure"`
	X       string `json:"x"`
	Y       string `json:"y"`
	Slice   string `json:"slice"`

	// of a run of engines
	Command    string   `json:"command"`
	Instances  []string `json:"instances"`
	Properties []string `json:"properties"`
	Depth      int      `json:"depth"`
	Seconds    int      `json:"seconds"`
	Deadlock   bool     `json:"deadlock"`
}

// Answer answers a request: a word, and a JSON object. The answer can be encoded as JSON.
func (s *Service) Answer(ctx context.Context, word string, body []byte) (any, error) {
	var q request
	if len(body) > maxText {
		return nil, fmt.Errorf("%w: it is too long", ErrRequest)
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&q); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: %w", ErrRequest, err)
	}
	answers := map[string]func(context.Context, *request) (any, error){
		"files": s.names, "file": s.describe, "format": s.format,
		"state": s.state, "take": s.take, "until": s.until, "evaluate": s.evaluate, "why": s.why,
		"ranks": s.ranks,
		"chart": s.chart, "graph": s.graph, "structure": s.structure,
		"sweep": s.sweep, "saved": s.saved,
		"start": s.start, "stop": s.stop, "runs": s.list,
	}
	f := answers[word]
	if f == nil {
		return nil, fmt.Errorf("%w: there is no %q", ErrRequest, word)
	}
	return f(ctx, &q)
}

// Problem is an error as a page shows it.
type Problem struct {
	Error       string    `json:"error"`
	Diagnostics []Message `json:"diagnostics"`
}

// Message is a message about a file.
type Message struct {
	Severity string `json:"severity"`
	Code     string `json:"code"`
	File     string `json:"file"` // as messages call it; another one for what is included
	Line     int    `json:"line"` // 0 for none
	Column   int    `json:"column"`
	End      int    `json:"end"` // the column after it, 0 when it is on another line
	Text     string `json:"text"`
	Fix      string `json:"fix"`
}

// ProblemOf is an error for a page.
func ProblemOf(err error) Problem {
	p := Problem{Error: err.Error(), Diagnostics: []Message{}}
	var list *diag.List
	if errors.As(err, &list) {
		p.Diagnostics = messages(list)
	}
	return p
}

func messages(list *diag.List) []Message {
	out := []Message{}
	if list == nil {
		return out
	}
	for _, d := range list.All {
		m := Message{Severity: "error", Code: string(d.Code), Text: d.Message, Fix: d.Fix}
		if d.Severity == diag.Warning {
			m.Severity = "warning"
		}
		if !d.Span.IsZero() {
			var end int
			m.File = d.Span.Source.Name
			m.Line, m.Column = d.Span.Source.Position(d.Span.Start)
			if end, m.End = d.Span.Source.Position(d.Span.End); end != m.Line {
				m.End = 0
			}
		}
		out = append(out, m)
	}
	return out
}

func (s *Service) names(context.Context, *request) (any, error) {
	names, err := s.o.Names()
	if err != nil {
		return nil, err
	}
	return struct {
		Version string   `json:"version"`
		Files   []string `json:"files"`
	}{s.o.Version, names}, nil
}

// Description is what a page knows of a file.
type Description struct {
	File string     `json:"file"`
	Name string     `json:"name"`
	Kind front.Kind `json:"kind"`
	Text string     `json:"text"`
	// another one when the text has changed, or a file that was read beside it
	Digest     string     `json:"digest"`
	Problem    *Problem   `json:"problem"` // nil for a file without errors
	Warnings   []Message  `json:"warnings"`
	Commands   []string   `json:"commands"` // that can be run on it
	Systems    []System   `json:"systems"`
	Properties []Property `json:"properties"` // of the file, for all systems
	Sweep      string     `json:"sweep"`      // instances to begin with; empty for none
	Formats    bool       `json:"formats"`    // the text can be laid out
}

// System is one that a file stands for.
type System struct {
	Name      string     `json:"name"` // empty for the only one of a file
	Instances []Instance `json:"instances"`
	Sorts     []string   `json:"sorts"`
	Symbols   []string   `json:"symbols"`
	Actions   []string   `json:"actions"`
}

// Instance is a finite instance that the file names, or the one that the program chooses.
type Instance struct {
	Name string `json:"name"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

// Property is a property of a file.
type Property struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	Line int    `json:"line"`
}

func (s *Service) describe(ctx context.Context, q *request) (any, error) {
	name, text, err := s.o.Read(q.File)
	if err != nil {
		return nil, err
	}
	end := front.Of(name, text)
	d := &Description{
		File: q.File, Name: name, Text: text, Kind: end.Kind, Commands: s.commands(end.Kind),
		Formats: end.Format != nil,
		Systems: []System{}, Properties: []Property{}, Warnings: []Message{},
	}
	f, err := s.open(ctx, q.File)
	if err != nil {
		d.Problem = new(ProblemOf(err))
		return d, nil
	}
	d.Digest = f.digest()
	d.Warnings = messages(f.file.Warnings)
	for _, x := range f.file.Systems {
		d.add(x.Name, x.Spec.System)
		if d.Sweep == "" {
			d.Sweep = suggestion(x.Spec.System)
		}
		for _, p := range x.Spec.System.Properties {
			if x.Name == "" || slices.Contains(x.Properties, p.Name) {
				d.property(Property{p.Name, string(p.Kind), d.line(p.Span)})
			}
		}
	}
	if net := f.file.Network; net != nil {
		for _, query := range net.Queries {
			d.property(Property{query.Text, "query", d.line(query.Span)})
		}
	}
	return d, nil
}

// line is the line of a place in the file, 0 for a place in another one.
func (d *Description) line(s diag.Span) int {
	if s.IsZero() || s.Source.Name != d.Name {
		return 0
	}
	return s.Line()
}

func (d *Description) property(p Property) {
	if !slices.ContainsFunc(d.Properties, func(x Property) bool { return x.Name == p.Name }) {
		d.Properties = append(d.Properties, p)
	}
}

func (s *Service) format(_ context.Context, q *request) (any, error) {
	name, _, err := s.o.Read(q.File)
	if err != nil {
		return nil, err
	}
	f := front.Of(name, q.Text)
	if f.Format == nil {
		return nil, fmt.Errorf("files of %s are not laid out", f.Name)
	}
	text, err := f.Format(name, q.Text)
	if err != nil {
		return nil, err
	}
	return map[string]string{"text": text}, nil
}

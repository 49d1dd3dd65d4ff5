package lsp

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/ere/flat"
	"erelong.dev/erelong/internal/front/ere/names"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/timed"
)

// snapshot is one version of a document. It never changes. What is computed of it ends when the
// next version comes.
type snapshot struct {
	uri     string
	name    string // in messages, and to find out the language
	version int
	text    text
	ctx     context.Context
	end     context.CancelFunc

	once     sync.Once
	analysis *analysis
}

func newSnapshot(ctx context.Context, uri string, version int, s string) *snapshot {
	out := &snapshot{uri: uri, name: fileName(uri), version: version, text: newText(s)}
	out.ctx, out.end = context.WithCancel(ctx)
	return out
}

// fileName is the path of a file: URI, and any other URI as it is.
func fileName(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return uri
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	return filepath.ToSlash(path)
}

// analysis is what is known of a version without verification.
type analysis struct {
	*snapshot
	diagnostics []*diag.Diagnostic // as a fresh check of the text reports them
	failure     error              // an error that is not about the text
	language    string             // of the text: the name of its front end
	systems     []*derive.Derived  // nil after an error
	network     *timed.Network     // of a model; nil after an error

	// Of a text in erelong's own language. After an error the tree has the declarations that could
	// be read. It has none of the files that the text includes, and the names have them.
	tree  *syntax.File
	names *names.Table
	sorts map[int]string // of variables, by the offset of their declarations

	modular *modular // of a text in TLA+, nil for another one

	types      *flat.Types    // of a text with structured data, nil for another one
	fieldTypes map[int]string // of its fields, by the offset of their declarations
}

// errReplaced is the error of a request about a version that is not the newest any more.
var errReplaced = errors.New("the text has changed")

// analyse gives the analysis of a version, which is made once.
func (s *snapshot) analyse() (*analysis, error) {
	s.once.Do(func() {
		if a := analyse(s); s.ctx.Err() == nil {
			s.analysis = a
		}
	})
	if s.analysis == nil {
		return nil, errReplaced
	}
	return s.analysis, nil
}

func analyse(s *snapshot) *analysis {
	reader := front.Of(s.name, s.text.string)
	a := &analysis{snapshot: s, language: reader.Name, modular: modularOf(s)}
	file, err := front.Read(s.ctx, s.name, s.text.string, front.Options{})
	var list *diag.List
	switch {
	case errors.As(err, &list):
		a.diagnostics = list.All
	default:
		a.failure = err
		a.diagnostics = file.Warnings.All
	}
	if err == nil {
		a.systems, a.network = file.Systems, file.Network
	}
	if reader.Own {
		whole := syntax.Load(diag.NewSource(s.name, s.text.string), os.ReadFile, &diag.List{})
		own := *whole
		own.Decls = slices.DeleteFunc(slices.Clone(whole.Decls), func(d syntax.Decl) bool {
			return d.Pos().Source != whole.Source
		})
		a.tree, a.names = &own, names.Of(whole)
		if whole.Structured {
			a.types = flat.TypesOf(whole)
			a.enterFields()
		}
		a.sorts = a.variableSorts(whole)
	}
	return a
}

// variableSorts finds the sorts of the variables: in the systems, or, after an error, in the part
// of the file that could be read.
func (a *analysis) variableSorts(whole *syntax.File) map[int]string {
	out := map[int]string{}
	add := func(vars []*logic.Var) {
		for _, v := range vars {
			if v.Sort != nil && a.own(v.Span) {
				out[v.Span.Start] = v.Sort.String()
			}
		}
	}
	for _, d := range a.systems {
		add(d.Spec.Variables())
	}
	if len(a.systems) == 0 {
		add(ere.VariablesOf(a.ctx, whole))
	}
	return out
}

// at finds the name at a position, nil if there is none.
func (a *analysis) at(p position) *names.Occurrence {
	if a.names == nil {
		return nil
	}
	return a.names.At(a.text.offset(p))
}

// sortOf is the sort of a variable, empty if it is unknown.
func (a *analysis) sortOf(d *names.Declaration) string {
	if d.Sort != nil {
		return d.Sort.Span.Text()
	}
	if a.types != nil {
		if t := a.types.Variable(d.Name.Span.Start); t != "" {
			return t
		}
	}
	return a.sorts[d.Name.Span.Start]
}

// location is a span of this document.
func (a *analysis) location(s diag.Span) location { return location{a.uri, a.text.spanRange(s)} }

// place is a span of this document, or of another file.
func (s *snapshot) place(span diag.Span) location {
	if s.own(span) {
		return location{s.uri, s.text.spanRange(span)}
	}
	uri := url.URL{Scheme: "file", Path: span.Source.Name}
	return location{uri.String(), newText(span.Source.Text).spanRange(span)}
}

// declarations are the declarations of the document, and of what it includes.
func (a *analysis) declarations() []*names.Declaration {
	return slices.Concat(a.names.Declarations, a.names.Included)
}

// own reports whether a span is one of the document: a file of queries has spans, too.
func (s *snapshot) own(span diag.Span) bool {
	return !span.IsZero() && span.Source.Text == s.text.string
}

// published are the diagnostics of a version, without the outcome of verification.
func (a *analysis) published() []diagnostic {
	out := []diagnostic{}
	for _, d := range a.diagnostics {
		out = append(out, a.diagnostic(d))
	}
	if a.failure != nil {
		out = append(out, diagnostic{Severity: severityError, Source: sourceName,
			Message: a.failure.Error()})
	}
	return out
}

// sourceName is the source of diagnostics.
const sourceName = "erelong"

func (a *analysis) diagnostic(d *diag.Diagnostic) diagnostic {
	out := diagnostic{Severity: severityError, Source: sourceName, Code: string(d.Code),
		Message: d.Message}
	if d.Severity == diag.Warning {
		out.Severity = severityWarning
	}
	if d.Code == diag.UnusedDeclaration || d.Code == diag.UnusedParameter ||
		d.Code == diag.NoEffect {
		out.Tags = []int{tagUnnecessary}
	}
	switch {
	case a.own(d.Span):
		out.Range = a.text.spanRange(d.Span)
	case !d.Span.IsZero():
		out.Message = fmt.Sprintf("%s: %s", d.Span, d.Message) // of another file
	}
	for _, n := range d.Notes {
		if a.own(n.Span) {
			out.Related = append(out.Related, related{a.location(n.Span), n.Message})
		} else {
			out.Message += "\n" + n.Message
		}
	}
	if d.Fix != "" {
		out.Message += "\nfix: " + d.Fix
	}
	return out
}

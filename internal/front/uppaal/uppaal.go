// Package uppaal reads the models of UPPAAL: XTA files, and XML files of versions 4 and 5.
//
// In: a file, and for an XTA file the queries in the .q file beside it. Out: a network of timed
// automata (package timed) with its queries and the recorded verdicts, or diagnostics: an
// unsupported construct is refused by name. The grammar is that of UPPAAL's help, sections System
// Description and Requirement Specification.
package uppaal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/parse"
	"erelong.dev/erelong/internal/timed"
)

// loader holds the state that the phases share.
type loader struct {
	src  *diag.Source
	list *diag.List
	net  *timed.Network
	mem  timed.Memory // the initial values, during reading

	expanded int // bodies of quantifiers that were elaborated once for each value

	query     bool            // a query is elaborated
	mentioned []timed.Element // the elements of scalar sets that it names
	nesting   int
	global    *scope
	templates map[string]*template
	instances map[string]*instance
	named     map[string]*instantiated
	constants map[string]string // values for global constants that no declaration has taken yet
}

// Extension reports whether a file is for this package, by its name.
func Extension(path string) bool {
	e := strings.ToLower(filepath.Ext(path))
	return e == ".xta" || e == ".xml"
}

// ErrConstant says that a file has no constant of a given name.
var ErrConstant = errors.New("the file declares no global constant integer or truth value of " +
	"this name")

// Load reads a file and its queries: the queries of queryFile if it is given, otherwise the queries
// in the file, otherwise the queries in the .q file beside it. Constants replace the values of
// global constants: each is a number, true, false or the name of an earlier constant. The error is
// a *diag.List when the file is wrong, and the error of ctx when ctx ended.
func Load(
	ctx context.Context, path, queryFile string, constants map[string]string,
) (*timed.Network, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the model: %w", err)
	}
	return Open(ctx, path, string(text), queryFile, constants, os.ReadFile)
}

// Open is Load for a file with a known text; beside reads the file of queries.
func Open(
	ctx context.Context, path, text, queryFile string, constants map[string]string, beside func(
		path string,
	) ([]byte, error),
) (*timed.Network, error) {
	queryPath := queryFile
	if queryFile == "" {
		queryPath = strings.TrimSuffix(path, filepath.Ext(path)) + ".q"
	}
	queries, err := beside(queryPath)
	if err != nil && (queryFile != "" || !errors.Is(err, fs.ErrNotExist)) {
		return nil, fmt.Errorf("reading the queries: %w", err)
	}
	return read(ctx, path, text, queryPath, string(queries), queryFile != "", constants)
}

// Constants reads the values of constants that make an instance of a model, as in "N=2,FIFO=true".
// An empty text gives none.
func Constants(instance string) (map[string]string, error) {
	constants := map[string]string{}
	if instance == "" {
		return constants, nil
	}
	for item := range strings.SplitSeq(instance, ",") {
		name, value, ok := strings.Cut(item, "=")
		if !ok {
			return nil, fmt.Errorf("%q is not of the form name=value", item)
		}
		constants[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return constants, nil
}

// Read reads a text; queries are lines of a .q file.
func Read(name, text, queryName, queries string) (*timed.Network, error) {
	return read(context.Background(), name, text, queryName, queries, false, nil)
}

func read(
	ctx context.Context, name, text, queryName, queries string, chosen bool,
	constants map[string]string,
) (*timed.Network, error) {
	text = decoded(text)
	l := &loader{constants: maps.Clone(constants), src: diag.NewSource(name, text),
		list: &diag.List{}, net: &timed.Network{},
		templates: map[string]*template{}, instances: map[string]*instance{},
		named: map[string]*instantiated{}}
	l.net.Source, l.mem.Done = l.src, ctx.Done()
	if !utf8.ValidString(text) || !utf8.ValidString(queries) {
		l.list.Errorf(diag.NotText, diag.Span{Source: l.src}, "the file is not UTF-8 text")
		return nil, l.list.Err()
	}
	s := &system{}
	var asked []*query
	ok := true
	if strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(text, "\ufeff")), "<") {
		asked, ok = l.xml(s)
	} else {
		ok = l.parse(fragment{text: text, end: len(text)}, false, func(p *parser) { p.xta(s) })
	}
	ok = ok && parse.Catch(func() { l.elaborate(s) })
	if ctx.Err() != nil {
		return nil, fmt.Errorf("reading the model: %w", ctx.Err())
	}
	if !ok {
		l.list.Sort()
		return nil, l.list.Err()
	}
	if names := slices.Sorted(maps.Keys(l.constants)); len(names) > 0 {
		return nil, fmt.Errorf("%s: %w", strings.Join(names, ", "), ErrConstant)
	}
	switch {
	case chosen:
		asked = nil
	case len(asked) > 0 && strings.TrimSpace(queries) != "":
		l.note("the model has queries of its own, so %s was not read; --query %s reads it instead",
			queryName, queryName)
		queries = ""
	}
	l.src = diag.NewSource(queryName, queries)
	for _, f := range lines(queries) {
		if q := l.readQuery(f); q != nil {
			asked = append(asked, q)
		}
	}
	for _, q := range asked {
		l.net.Queries = append(l.net.Queries, l.elaborateQuery(q))
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("reading the queries: %w", ctx.Err())
	}
	if err := l.list.Err(); err != nil {
		return nil, err
	}
	l.net.Init = l.mem.Cells
	return l.net, nil
}

// note adds a note for the user on how the model was read.
func (l *loader) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(l.net.Notes, text) {
		l.net.Notes = append(l.net.Notes, text)
	}
}

// given gives the value that replaces the value of a global constant, nil for none.
func (c *elaborator) given(v *variable, t *typ) *initializer {
	text, ok := c.constants[v.name]
	if !ok || c.global != nil || c.fn != nil || !t.constant || !t.number() {
		return nil
	}
	delete(c.constants, v.name)
	e := &expr{op: "name", text: text, span: v.span}
	switch n, err := strconv.ParseInt(text, 10, 32); {
	case err == nil:
		e = &expr{op: "num", value: n, span: v.span}
	case text == "true" || text == "false":
		e = &expr{op: "num", value: int64(b2i(text == "true")), text: "bool", span: v.span}
	}
	return &initializer{expr: e, span: v.span}
}

// readQuery parses one query; nil if there is none. A query that cannot be parsed is refused.
func (l *loader) readQuery(f fragment) (q *query) {
	before := len(l.list.All)
	tokens := l.lex(f, true)
	if len(tokens) == 1 {
		return nil
	}
	if tokens == nil || !l.parse(f, true, func(p *parser) { q = p.parseQuery() }) {
		first, last := f.place(0), f.end
		span := diag.Span{Source: l.src, Start: first, End: last}
		q = &query{span: span, refused: l.list.All[before].Message}
		l.list.All = l.list.All[:before]
	}
	words := make([]string, 0, len(tokens))
	for _, line := range strings.Split(f.text, "\n") {
		line, _, _ = strings.Cut(line, "//")
		words = append(words, strings.Fields(strings.TrimSuffix(strings.TrimSpace(line), "\\"))...)
	}
	q.text = strings.Join(words, " ")
	return q
}

// lines gives the queries of a .q file: one a line, where a backslash continues it.
func lines(text string) (out []fragment) {
	blank := []byte(text)
	for i := 0; i < len(blank); i++ {
		if strings.HasPrefix(text[i:], "//") {
			for ; i < len(blank) && blank[i] != '\n'; i++ {
				blank[i] = ' '
			}
		} else if strings.HasPrefix(text[i:], "/*") {
			end := len(text)
			if n := strings.Index(text[i+2:], "*/"); n >= 0 {
				end = i + n + 4
			}
			for ; i < end; i++ {
				if blank[i] != '\n' {
					blank[i] = ' '
				}
			}
			i--
		}
	}
	start := 0
	for i := 0; i <= len(blank); i++ {
		if i < len(blank) &&
			(blank[i] != '\n' ||
				strings.HasSuffix(strings.TrimRight(string(blank[start:i]), "\r"), "\\")) {
			continue
		}
		at := make([]int, i-start)
		for k := range at {
			at[k] = start + k
		}
		out = append(out, fragment{text: string(blank[start:i]), at: at, end: i})
		start = i + 1
	}
	return out
}

package project

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"erelong.dev/erelong/internal/diag"
)

// reader reads one file.
type reader struct {
	source *diag.Source
	errs   *diag.List
	places map[string]diag.Span // of keys, by their names from the outermost table on
}

// read reads the text of a file in a folder.
func read(folder, text string) (*Settings, error) {
	r := &reader{source: diag.NewSource(shown(filepath.Join(folder, Name)), text),
		errs: &diag.List{}, places: map[string]diag.Span{}}
	s := &Settings{folder: folder, options: options{}, commands: map[string]options{},
		headers: map[string]diag.Span{}}
	tree := map[string]any{}
	if err := toml.Unmarshal([]byte(text), &tree); err != nil {
		r.broken(err)
		return nil, r.errs
	}
	r.findPlaces(text)
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		table, ok := tree[key].(map[string]any)
		switch {
		case ok:
			s.commands[key], s.headers[key] = options{}, r.places[key]
			for _, name := range slices.Sorted(maps.Keys(table)) {
				s.commands[key][name] = r.value(table[name], key, name)
			}
		case key == filesKey:
			s.files = new(r.value(tree[key], key))
			for _, x := range s.files.Texts {
				if !isText(tree[key], x) {
					r.errs.Errorf(diag.Syntax, s.files.Span, "%s lists files, and %s is no text",
						filesKey, x)
				}
			}
		default:
			s.options[key] = r.value(tree[key], key)
		}
	}
	return s, r.errs.Err()
}

// isText reports whether a value is a text, or has it in its list.
func isText(v any, text string) bool {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	return slices.Contains(list, any(text))
}

// broken reports a text that is no TOML.
func (r *reader) broken(err error) {
	at := diag.Span{Source: r.source}
	message := strings.TrimPrefix(err.Error(), "toml: ")
	var parse *toml.DecodeError
	if errors.As(err, &parse) {
		row, column := parse.Position()
		for line := range strings.Lines(r.source.Text) {
			if row--; row == 0 {
				break
			}
			at.Start += len(line)
		}
		at.Start = min(at.Start+max(column-1, 0), len(r.source.Text))
		at.End = min(at.Start+1, len(r.source.Text))
	}
	r.errs.Errorf(diag.Syntax, at, "this is no TOML: %s", message)
}

// findPlaces finds the place of each key, and of the header of each table. Values have no places in
// a decoded tree.
func (r *reader) findPlaces(text string) {
	p := &unstable.Parser{}
	p.Reset([]byte(text))
	var table []string
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind != unstable.Table && e.Kind != unstable.ArrayTable &&
			e.Kind != unstable.KeyValue {
			continue
		}
		var key []string
		at := diag.Span{Source: r.source, Start: -1}
		for parts := e.Key(); parts.Next(); {
			raw := parts.Node().Raw
			if at.Start < 0 {
				at.Start = int(raw.Offset)
			}
			at.End = int(raw.Offset + raw.Length)
			key = append(key, string(parts.Node().Data))
		}
		if e.Kind != unstable.KeyValue {
			table = key
		} else {
			key = slices.Concat(table, key)
		}
		for i := range key { // a.b names the table a, too
			name := strings.Join(key[:i+1], "\x00")
			if _, ok := r.places[name]; !ok || i+1 == len(key) {
				r.places[name] = at
			}
		}
	}
}

// value turns a value of TOML into what would stand on the command line.
func (r *reader) value(v any, key ...string) Value {
	out := Value{Span: r.places[strings.Join(key, "\x00")]}
	if out.Span.IsZero() { // of a table that stands in a line: the place of the line
		out.Span = r.places[key[0]]
	}
	list, isList := v.([]any)
	out.List = isList
	if !isList {
		list = []any{v}
	}
	for _, x := range list {
		switch x.(type) {
		case string, int64, float64, bool:
			out.Texts = append(out.Texts, fmt.Sprint(x))
		default:
			r.errs.Errorf(diag.Syntax, out.Span, "the value of %s is neither a text, a number, a "+
				"truth value nor a list of these", key[len(key)-1])
		}
	}
	return out
}

// globIn lists what a pattern matches below a folder.
func globIn(folder, pattern string) ([]string, error) {
	return fs.Glob(os.DirFS(folder), filepath.ToSlash(pattern))
}

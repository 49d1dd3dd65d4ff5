// Package project reads the settings of a project from its file erelong.toml.
//
// In: a folder. Out: the settings in the nearest file of that name, in the folder or above it: the
// specifications of the project, and values of options, for all commands or for one. What the
// options mean is not known here; Check compares their names with the ones that there are.
package project

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"erelong.dev/erelong/internal/diag"
)

// Name is the name of the file.
const Name = "erelong.toml"

// filesKey is the key of the specifications.
const filesKey = "files"

// Settings are what a file says.
type Settings struct {
	Files    []string           // the specifications, sorted within each pattern
	options  map[string]Value   // for all commands
	commands map[string]options // for one command
	source   *diag.Source
}

type options = map[string]Value

// Value is the value of an option; only an option that takes a list has several texts.
type Value struct {
	Texts []string
	Span  diag.Span
}

// Option is the value of an option for a command: its own, or the one for all commands.
func (s *Settings) Option(command, name string) (Value, bool) {
	if v, ok := s.commands[command][name]; ok {
		return v, true
	}
	v, ok := s.options[name]
	return v, ok
}

// Find reads the nearest file in a folder or above it; nil if there is none. An error in the file
// is a *diag.List.
func Find(folder string) (*Settings, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, fmt.Errorf("looking for %s: %w", Name, err)
	}
	for {
		text, err := os.ReadFile(filepath.Join(folder, Name))
		switch {
		case err == nil:
			return read(folder, string(text))
		case !errors.Is(err, os.ErrNotExist):
			return nil, fmt.Errorf("reading the settings: %w", err)
		case filepath.Dir(folder) == folder:
			return nil, nil
		}
		folder = filepath.Dir(folder)
	}
}

func read(folder, text string) (*Settings, error) {
	r := &reader{source: diag.NewSource(shown(filepath.Join(folder, Name)), text),
		errs: &diag.List{}}
	s := &Settings{options: options{}, commands: map[string]options{}, source: r.source}
	tree := map[string]any{}
	if _, err := toml.Decode(text, &tree); err != nil {
		at, message := diag.Span{Source: r.source}, err.Error()
		var parse toml.ParseError
		if errors.As(err, &parse) {
			at.Start = min(parse.Position.Start, len(text))
			at.End = min(at.Start+max(parse.Position.Len, 1), len(text))
			message = parse.Message
		}
		r.errs.Errorf(diag.Syntax, at, "this is no TOML: %s", message)
		return nil, r.errs
	}
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		table, ok := tree[key].(map[string]any)
		switch {
		case ok:
			s.commands[key] = options{}
			for name, v := range table {
				s.commands[key][name] = r.value(key, name, v)
			}
		case key == filesKey:
			s.Files = r.files(folder, r.value("", key, tree[key]))
		default:
			s.options[key] = r.value("", key, tree[key])
		}
	}
	return s, r.errs.Err()
}

// shown is a path as a message has it: from the working folder, where that is shorter.
func shown(path string) string {
	wd, err := os.Getwd()
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(wd, path); err == nil && len(rel) < len(path) {
		return rel
	}
	return path
}

type reader struct {
	source *diag.Source
	errs   *diag.List
}

// value turns a value of TOML into what would stand on the command line.
func (r *reader) value(table, name string, v any) Value {
	out := Value{Span: r.span(table, name)}
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, x := range list {
		switch x.(type) {
		case string, int64, float64, bool:
			out.Texts = append(out.Texts, fmt.Sprint(x))
		default:
			r.errs.Errorf(diag.Syntax, out.Span, "the value of %s is neither a text, a number, a "+
				"truth value nor a list of these", name)
		}
	}
	return out
}

// files lists the files that match the patterns, which are relative to the folder.
func (r *reader) files(folder string, patterns Value) (out []string) {
	for _, p := range patterns.Texts {
		found, err := filepath.Glob(filepath.Join(folder, filepath.FromSlash(p)))
		if err != nil || len(found) == 0 {
			r.errs.Errorf(diag.UnresolvedName, patterns.Span, "no file is %s", p)
		}
		for _, name := range found {
			if name = shown(name); !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

var header = regexp.MustCompile(`^\s*\[\s*([\w-]+)\s*\]`)

// span is the place of a key in a table, or of the header of a table for the empty key. The decoder
// keeps no places.
func (r *reader) span(table, key string) diag.Span {
	pattern := regexp.MustCompile(`^\s*"?` + regexp.QuoteMeta(key) + `"?\s*=`)
	in, at := "", 0
	for line := range strings.Lines(r.source.Text) {
		if m := header.FindStringSubmatch(line); m != nil {
			in = m[1]
		}
		if in == table && (key == "" || pattern.MatchString(line)) {
			text := strings.TrimSpace(line)
			start := at + strings.Index(line, text)
			return diag.Span{Source: r.source, Start: start, End: start + len(text)}
		}
		at += len(line)
	}
	return diag.Span{Source: r.source}
}

// Check refuses commands and options that there are not. For each command, known has the options
// that a project can set.
func (s *Settings) Check(known map[string][]string) error {
	errs := &diag.List{}
	r := &reader{source: s.source, errs: errs}
	refuse := func(at diag.Span, what, name string, names []string) {
		d := errs.Errorf(diag.UnresolvedName, at, "there is no %s %s for a project", what, name)
		if near := diag.Closest(name, names); near != "" {
			d.Suggest("Did you mean %s?", near)
		}
	}
	var all []string
	for _, names := range known {
		all = append(all, names...)
	}
	for _, name := range slices.Sorted(maps.Keys(s.options)) {
		if !slices.Contains(all, name) {
			refuse(s.options[name].Span, "option", name, append(all, filesKey))
		}
	}
	for _, command := range slices.Sorted(maps.Keys(s.commands)) {
		names, ok := known[command]
		if !ok {
			refuse(r.span(command, ""), "command", command, slices.Collect(maps.Keys(known)))
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(s.commands[command])) {
			if !slices.Contains(names, name) {
				refuse(s.commands[command][name].Span, "option of "+command, name, names)
			}
		}
	}
	return errs.Err()
}

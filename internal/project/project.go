// Package project reads the settings of a project from its file erelong.toml.
//
// In: a folder. Out: the settings in the nearest file of that name, in the folder or above it up to
// the root of a checkout: the specifications of the project, and values of options, for all
// commands or for one. What the options mean is not known here; Check compares their names with the
// ones that there are.
package project

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
)

// Name is the name of the file.
const Name = "erelong.toml"

// filesKey is the key of the specifications.
const filesKey = "files"

// Settings are what a file says.
type Settings struct {
	folder   string
	files    *Value             // the patterns of the specifications, nil for none
	options  options            // for all commands
	commands map[string]options // for one command
	headers  map[string]diag.Span
}

type options = map[string]Value

// Value is the value of an option. Only an option that takes a list has several texts.
type Value struct {
	Texts []string
	List  bool // it is written as a list
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

// Path is a path of the file as it is from the working folder: a relative one begins in the folder
// of the file.
func (s *Settings) Path(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	out := shown(filepath.Join(s.folder, filepath.FromSlash(path)))
	if end := path[len(path)-1]; end == '/' || os.IsPathSeparator(end) {
		out += string(filepath.Separator) // it stands for a folder
	}
	return out
}

// Find reads the nearest file in a folder or above it; nil if there is none. It looks no further
// than a folder with .git, the root of a checkout. An error in the file is a *diag.List.
func Find(folder string) (*Settings, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, fmt.Errorf("looking for %s: %w", Name, err)
	}
	for {
		path := filepath.Join(folder, Name)
		info, err := os.Stat(path)
		switch {
		case err == nil && !info.IsDir():
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, fmt.Errorf("reading the settings: %w", err)
			}
			return read(folder, string(text))
		case err != nil && !errors.Is(err, os.ErrNotExist):
			return nil, fmt.Errorf("reading the settings: %w", err)
		}
		_, err = os.Stat(filepath.Join(folder, ".git"))
		if err == nil || filepath.Dir(folder) == folder {
			return nil, nil
		}
		folder = filepath.Dir(folder)
	}
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

// Lines say what the file sets, an option a line.
func (s *Settings) Lines() (out []string) {
	add := func(name string, v Value, of string) {
		out = append(out,
			fmt.Sprintf("%s: %s = %s%s", v.Span, name, strings.Join(v.Texts, ", "), of))
	}
	if s.files != nil {
		add(filesKey, *s.files, "")
	}
	for _, name := range slices.Sorted(maps.Keys(s.options)) {
		add(name, s.options[name], "")
	}
	for _, command := range slices.Sorted(maps.Keys(s.commands)) {
		for _, name := range slices.Sorted(maps.Keys(s.commands[command])) {
			add(name, s.commands[command][name], ", of "+command)
		}
	}
	return out
}

// HasFiles reports whether the file names specifications.
func (s *Settings) HasFiles() bool { return s.files != nil }

// Files lists the specifications, sorted within each pattern. A pattern that no file matches is an
// error.
func (s *Settings) Files() (out []string, err error) {
	errs := &diag.List{}
	if len(s.files.Texts) == 0 {
		errs.Errorf(diag.UnresolvedName, s.files.Span, "%s names no file", filesKey).
			Suggest("Write a list of files, as in %s = [\"specs/*.ere\"], or remove it.", filesKey)
	}
	for _, p := range s.files.Texts {
		found, err := matches(s.folder, filepath.FromSlash(p))
		if err != nil || len(found) == 0 {
			errs.Errorf(diag.UnresolvedName, s.files.Span, "no file is %s", p)
		}
		for _, name := range found {
			if name = shown(name); !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out, errs.Err()
}

// matches lists the files that a pattern matches. Of the folder each character stands for itself,
// and so does each of a pattern that is the name of a file.
func matches(folder, pattern string) (out []string, err error) {
	path := pattern
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, pattern)
	}
	if _, err := os.Lstat(path); err == nil {
		return []string{path}, nil
	}
	if filepath.IsAbs(pattern) {
		return filepath.Glob(pattern)
	}
	pattern = filepath.Clean(pattern)
	for {
		rest, up := strings.CutPrefix(pattern, ".."+string(filepath.Separator))
		if !up {
			break
		}
		folder, pattern = filepath.Dir(folder), rest
	}
	found, err := globIn(folder, pattern)
	for _, name := range found {
		out = append(out, filepath.Join(folder, filepath.FromSlash(name)))
	}
	return out, err
}

// Known has what a project can set.
type Known struct {
	Everywhere []string            // the options for all commands
	Of         map[string][]string // the options in the table of each command

	// Refused says why a project cannot set an option; it is empty for what is no option.
	Refused func(name string) string
}

// Check refuses commands and options that there are not, or that a project cannot set.
func (s *Settings) Check(known Known) error {
	errs := &diag.List{}
	for _, name := range slices.Sorted(maps.Keys(s.options)) {
		if slices.Contains(known.Everywhere, name) {
			continue
		}
		at := s.options[name].Span
		var having []string
		for _, c := range slices.Sorted(maps.Keys(known.Of)) {
			if slices.Contains(known.Of[c], name) {
				having = append(having, c)
			}
		}
		if len(having) > 0 {
			errs.Errorf(diag.UnresolvedName, at, "%s is about one file, so it cannot be set for "+
				"all commands", name).Suggest("Write it in the table of a command, such as [%s].",
				having[0])
			continue
		}
		refuse(errs, known, at, "option "+name, name, append(known.Everywhere, filesKey))
	}
	for _, command := range slices.Sorted(maps.Keys(s.commands)) {
		names, ok := known.Of[command]
		if !ok {
			commands := slices.Sorted(maps.Keys(known.Of))
			d := errs.Errorf(diag.UnresolvedName, s.headers[command],
				"there is no command %s with options for a project", command)
			if near := diag.Closest(command, commands); near != "" {
				d.Suggest("Did you mean %s?", near)
			}
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(s.commands[command])) {
			if !slices.Contains(names, name) {
				refuse(errs, known, s.commands[command][name].Span,
					"option "+name+" of "+command, name, names)
			}
		}
	}
	return errs.Err()
}

// refuse says why an option cannot be set.
func refuse(
	errs *diag.List, known Known, at diag.Span, what, name string, names []string,
) {
	if why := known.Refused(name); why != "" {
		errs.Errorf(diag.UnresolvedName, at, "%s cannot be set here: %s", name, why)
		return
	}
	d := errs.Errorf(diag.UnresolvedName, at, "there is no %s", what)
	if near := diag.Closest(name, names); near != "" {
		d.Suggest("Did you mean %s?", near)
	}
}

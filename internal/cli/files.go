package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"erelong.dev/erelong/internal/front"
	"erelong.dev/erelong/internal/itf"
	"erelong.dev/erelong/internal/report"
	"erelong.dev/erelong/internal/result"
)

// target is a path of an option to write to.
type target struct {
	flag, path string
	folder     bool
}

func (o *output) targets(specification string) []target {
	out := []target{{flag: "html", path: o.Report.html}}
	formats, _ := o.Report.destinations(specification) // valid reports the error
	for _, d := range formats {
		out = append(out, target{flag: d.flag, path: d.path})
	}
	if o.ITF != nil {
		out = append(out, target{"itf", o.ITF.itf, isFolder(o.ITF.itf)})
	}
	return out
}

// tryTargets checks before the work that the paths can be written to. It leaves nothing there
// except new folders.
func tryTargets(input string, targets []target) error {
	targets = slices.DeleteFunc(slices.Clone(targets), func(t target) bool { return t.path == "" })
	for i, t := range targets {
		if err := t.try(); err != nil {
			return usage("--%s %s: it cannot be written: %v", t.flag, t.path, err)
		}
		if sameFile(t.path, input) {
			return usage("--%s would overwrite %s, which is what it is about", t.flag, input)
		}
		for _, u := range targets[:i] {
			if !t.folder && !u.folder && filepath.Clean(t.path) == filepath.Clean(u.path) &&
				!isSpecial(t.path) {
				return usage("--%s and --%s name the same file: %s", u.flag, t.flag, t.path)
			}
		}
	}
	return nil
}

func (t target) try() error {
	folder := t.path
	switch {
	case t.folder:
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	case isDirectory(t.path):
		return errors.New("it is a folder")
	case isSpecial(t.path):
		return nil // opening it may wait for a reader
	default:
		folder = filepath.Dir(resolved(t.path))
	}
	tmp, err := os.CreateTemp(folder, ".erelong-*")
	if err != nil {
		return err
	}
	return errors.Join(tmp.Close(), os.Remove(tmp.Name()))
}

// isSpecial reports whether a path names a device or a pipe.
func isSpecial(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(x, y)
}

// resolved follows symbolic links as far as they exist, so that their target is replaced, and not
// the link.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// writeFile writes a file as a whole: a failure leaves no half-written file. A device or a pipe is
// written to directly.
func writeFile(path string, write func(io.Writer) error) (err error) {
	if isSpecial(path) {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	}
	path = resolved(path)
	tmp, err := os.CreateTemp(filepath.Dir(path), ".erelong-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = tmp.Close()
			_ = os.Remove(tmp.Name())
		}
	}()
	if err = write(tmp); err != nil {
		return err
	}
	if err = tmp.Chmod(0o644); err != nil {
		return err
	}
	if err = tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// lostError is the error of a run, with an earlier failure to write.
type lostError struct{ lost, err error }

func (e *lostError) Error() string { return errors.Join(e.lost, e.err).Error() }
func (e *lostError) Unwrap() error { return e.err }

// orLost adds a failure to write to the error of a run. The exit code is the verdicts' own, unless
// all hold.
func orLost(lost, err error) error {
	switch {
	case lost == nil:
		return err
	case err == nil:
		return &exitError{ExitOutput, lost}
	}
	return &lostError{lost, err}
}

// isFolder reports whether a path stands for a folder.
func isFolder(path string) bool {
	return path != "" && (os.IsPathSeparator(path[len(path)-1]) || isDirectory(path))
}

// writeITF writes the traces of a report to a folder, or one of them to a file: preferably a run to
// a violation, then a counterexample to induction, then the run of a scenario.
func writeITF(s *streams, path string, r *report.Report) error {
	list := traced(r.Results)
	if len(list) == 0 {
		_, err := fmt.Fprintf(s.err, "no trace was written to %s: there is no counterexample\n",
			path)
		return err
	}
	if !isFolder(path) {
		x := list[0]
		if err := writeFile(path, func(w io.Writer) error { return itf.Write(w, x.Trace) }); err !=
			nil {
			return err
		}
		step := ""
		if front.KindOf(r.File) == front.Specification {
			step = fmt.Sprintf("; step on from its end with: erelong sim %s --trace %s --step",
				r.File, path)
		}
		if more := len(list) - 1; more > 0 {
			step += fmt.Sprintf("\n%d more with --itf FOLDER%c", more, os.PathSeparator)
		}
		_, err := fmt.Fprintf(s.err, "%s is in %s%s\n", describeTrace(x), path, step)
		return err
	}
	var problems []error
	taken := map[string]bool{}
	for _, x := range list {
		name := traceName(x)
		for i := 2; taken[name]; i++ {
			name = fmt.Sprintf("%s.%d", traceName(x), i)
		}
		taken[name] = true
		file := filepath.Join(path, name+".itf.json")
		if err := writeFile(file, func(w io.Writer) error { return itf.Write(w, x.Trace) }); err !=
			nil {
			problems = append(problems, err)
			continue
		}
		if _, err := fmt.Fprintf(s.err, "%s is in %s\n", describeTrace(x), file); err != nil {
			problems = append(problems, err)
		}
	}
	return errors.Join(problems...)
}

// traced lists the results with a trace, runs to a violation first.
func traced(results []result.Result) (out []result.Result) {
	for _, r := range results {
		if r.Trace != nil {
			out = append(out, r)
		}
	}
	rank := map[result.TraceKind]int{result.Counterexample: 0, result.ToInduction: 1,
		result.Witness: 2}
	slices.SortStableFunc(out, func(a, b result.Result) int {
		return rank[a.Trace.Kind] - rank[b.Trace.Kind]
	})
	return out
}

// describeTrace names a trace in words.
func describeTrace(r result.Result) string {
	title, _ := report.Headline(r.Trace)
	if r.Trace.Kind == result.Witness {
		title += " for " + r.Property
	}
	return title
}

// traceName makes a file name from the property, the instance and the kind.
func traceName(r result.Result) string {
	parts := []string{r.Property}
	if r.Scope != "" && r.Scope != result.ScopeAll {
		parts = append(parts, r.Scope)
	}
	if r.Trace.Kind != result.Counterexample {
		parts = append(parts, strings.ReplaceAll(string(r.Trace.Kind), " ", "-"))
	}
	for i, p := range parts {
		parts[i] = strings.Trim(strings.Map(func(c rune) rune {
			if unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune("_-=,", c) {
				return c
			}
			return '_'
		}, p), "_")
	}
	name := strings.Join(parts, ".")
	if len(name) > 200 {
		name = strings.ToValidUTF8(name[:200], "")
	}
	return name
}

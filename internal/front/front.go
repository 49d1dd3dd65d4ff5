// Package front reads every file that a user names.
//
// In: a path, or a text with its name. Out: the contents of the file, which are a system with
// everything derived from it or a network of timed automata, with warnings; or messages about the
// file. The name of the file and its text decide which front end reads it. A new front end is a
// package and a line in All.
package front

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/ere/format"
	"erelong.dev/erelong/internal/front/fast"
	"erelong.dev/erelong/internal/front/ivy"
	"erelong.dev/erelong/internal/front/quint"
	"erelong.dev/erelong/internal/front/threshold"
	"erelong.dev/erelong/internal/front/tla"
	"erelong.dev/erelong/internal/front/uppaal"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/timed"
)

// Kind is the kind of a file.
type Kind string

const (
	Specification Kind = "specification"
	Model         Kind = "model" // of timed automata
)

// File is a file that was read. One of Systems and Network is set, by the kind.
type File struct {
	Kind     Kind
	Systems  []*derive.Derived // one, or several that are derived from an algorithm
	Network  *timed.Network
	Warnings *diag.List
}

// Options are the settings for reading a file. Settings for other kinds have no effect.
type Options struct {
	Derive    derive.Options    // for an algorithm
	Queries   string            // a file of queries instead of the model's own, empty for none
	Constants map[string]string // values of constants of a model
	Open      bool              // constants of TLA+ have no values, not the ones of a configuration
	Live      bool              // claims liveness, of all values without a configuration
	// Beside reads the other files that a file stands for: what it includes, and its queries. Nil
	// stands for the disk.
	Beside func(path string) ([]byte, error)
	// Within ends what a file has computed while it is read, such as the assumptions of a module,
	// where the context of the reading does not end with the time for the run. Nil stands for that
	// context.
	Within context.Context
}

func (o Options) beside() func(path string) ([]byte, error) {
	if o.Beside == nil {
		return os.ReadFile
	}
	return o.Beside
}

// FrontEnd reads files of one language.
type FrontEnd struct {
	Name string
	Kind Kind
	Own  bool // package syntax parses the files
	// Translated says that proofs are about a translation.
	Translated bool
	// Reads reports whether a file is for this front end.
	Reads func(name, text string) bool
	// Read reads a text. The error is a *diag.List where the text is at fault. The list of warnings
	// is never nil.
	Read func(ctx context.Context, name, text string, o Options) (*File, error)
	// Format lays a text out; nil where that is not supported.
	Format func(name, text string) (string, error)
	// Convert writes a text in erelong's language; nil where that is not supported.
	Convert func(ctx context.Context, name, text string) (string, error)
	// Claimed writes a text in erelong's language as it is proved, and reads other files by a
	// function. Of the formulas that nobody claims, the ones to keep are invariants. It is nil
	// where proofs are about the text itself, or are not certified.
	Claimed func(
		name, text string, beside tla.Files, keep func(formula string) bool,
	) (string, error)
	// Say writes formulas of erelong's language as definitions in the file's; nil where that is not
	// supported.
	Say func(name, text string, names, formulas []string) ([]tla.Definition, error)
	// Says gives what a file prints itself when its claims are decided; nil where none does. Such
	// files are recognised by their names alone.
	Says func(name, text string, results []result.Result) []string
}

// All lists the front ends. The first that accepts a file reads it; the last one accepts all files.
func All() []FrontEnd {
	return []FrontEnd{
		{Name: "UPPAAL", Kind: Model, Reads: readsModel, Read: readModel},
		{Name: "Ivy", Kind: Specification, Reads: readsIvy, Read: readIvy,
			Convert: convertWhole(ivy.Text)},
		{Name: "FAST", Kind: Specification, Reads: readsFast, Read: readFast,
			Convert: convertWhole(fast.Text), Says: saysFast},
		{Name: "ByMC", Kind: Specification, Reads: readsThreshold, Read: readThreshold},
		{Name: "Quint", Kind: Specification, Reads: readsQuint, Read: readQuint,
			Convert: convertQuint, Translated: true},
		{Name: "TLA+", Kind: Specification, Reads: readsTLA, Read: readTLA,
			Convert: convertTLA, Say: sayTLA, Claimed: tla.Claimed, Translated: true},
		{Name: "erelong", Kind: Specification, Own: true, Reads: func(string, string) bool {
			return true
		}, Read: readSpecification, Format: format.Source},
	}
}

// Of is the front end for a file.
func Of(name, text string) FrontEnd { return of(All(), name, text) }

func of(all []FrontEnd, name, text string) FrontEnd {
	for _, f := range all[:len(all)-1] {
		if f.Reads(name, text) {
			return f
		}
	}
	return all[len(all)-1]
}

// KindOf is the kind of a file. For an unreadable file the name alone decides.
func KindOf(path string) Kind {
	text, err := os.ReadFile(path)
	if err != nil {
		text = nil
	}
	return Of(path, string(text)).Kind
}

// Readable refuses the path of a folder, and of a file of queries, which belongs to a model. The
// error says what to give instead.
func Readable(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder: give the files in it, as in %s", path,
			filepath.Join(path, "*.ere"))
	}
	if filepath.Ext(path) == ".q" {
		return fmt.Errorf("%s holds queries: give the model, as in erelong verify MODEL.xta "+
			"--query %s", path, path)
	}
	return nil
}

// Load reads a file.
func Load(ctx context.Context, path string, o Options) (*File, error) {
	text, err := os.ReadFile(path)
	if !errors.Is(err, os.ErrNotExist) {
		err = cmp.Or(Readable(path), err)
	}
	if err != nil {
		return &File{Warnings: &diag.List{}},
			fmt.Errorf("reading the %s: %w", Of(path, "").Kind, err)
	}
	return Read(ctx, filepath.ToSlash(path), string(text), o)
}

// Read is Load for a text; name is its name in messages.
func Read(ctx context.Context, name, text string, o Options) (*File, error) {
	f := Of(name, text)
	file, err := f.Read(ctx, name, text, o)
	var list *diag.List
	if ext := filepath.Ext(name); f.Own && foreign(ext) && errors.As(err, &list) {
		var languages []string
		for _, other := range All() {
			if !other.Own {
				languages = append(languages, other.Name)
			}
		}
		list.All[0].Because(diag.Span{}, "no file of %s ends in %s, so the text is "+
			"read in erelong's own language", strings.Join(languages, ", "), ext)
	}
	return file, err
}

// foreign reports whether an ending, which no front end claims, is not one of erelong's language.
func foreign(ext string) bool {
	return !slices.Contains([]string{"", ".txt", ".ere", ".pyv"}, ext)
}

// Systems reads a specification, and refuses a file of another kind.
func Systems(
	ctx context.Context, name, text string, o Options,
) ([]*derive.Derived, *diag.List, error) {
	f := Of(name, text)
	if f.Kind != Specification {
		return nil, &diag.List{},
			fmt.Errorf("%s is a %s of %s, and no specification", name, f.Kind, f.Name)
	}
	file, err := f.Read(ctx, name, text, o)
	return file.Systems, file.Warnings, err
}

func readSpecification(ctx context.Context, name, text string, o Options) (*File, error) {
	systems, list, err := derive.ReadBeside(ctx, name, text, o.beside(), o.Derive)
	return &File{Kind: Specification, Systems: systems, Warnings: list}, err
}

// readsIvy recognises Ivy's files by their names or by their first line, which names the language.
func readsIvy(name, text string) bool {
	return ivy.Extension(name) || strings.HasPrefix(text, "#lang ivy")
}

func readIvy(ctx context.Context, name, text string, o Options) (*File, error) {
	spec, list, err := ivy.Read(ctx, name, text, o.beside())
	file := &File{Kind: Specification, Warnings: list}
	if spec != nil {
		file.Systems = []*derive.Derived{{Spec: spec}}
	}
	return file, err
}

// readsFast recognises the files of FAST by their names: their first word is one of other
// languages, too.
func readsFast(name, _ string) bool { return fast.Extension(name) }

func readFast(ctx context.Context, name, text string, _ Options) (*File, error) {
	f, list, err := fast.Read(ctx, name, text)
	file := &File{Kind: Specification, Warnings: list}
	if err != nil {
		return file, err
	}
	for _, s := range f.Systems {
		file.Systems = append(file.Systems, named(s.Name, s.Spec, s.Claims))
	}
	return file, nil
}

// named is one of the systems of a file, which has its own claims if it has a name.
func named(name string, spec *ere.Specification, claims []string) *derive.Derived {
	d := &derive.Derived{Name: name, Spec: spec}
	if name != "" {
		d.Properties = claims
	}
	return d
}

// readsThreshold recognises threshold automata by their names.
func readsThreshold(name, _ string) bool { return threshold.Extension(name) }

func readThreshold(ctx context.Context, name, text string, _ Options) (*File, error) {
	systems, list, err := threshold.Read(ctx, name, text)
	file := &File{Kind: Specification, Warnings: list}
	for _, s := range systems {
		file.Systems = append(file.Systems, named(s.Name, s.Spec, s.Claims))
	}
	return file, err
}

// readsQuint recognises the files of Quint by their names.
func readsQuint(name, _ string) bool { return quint.Extension(name) }

func convertQuint(ctx context.Context, name, text string) (string, error) {
	return quint.Text(ctx, name, text, os.ReadFile)
}

func readQuint(ctx context.Context, name, text string, o Options) (*File, error) {
	file := &File{Kind: Specification}
	if o.Open {
		within := ctx
		if o.Within != nil {
			within = o.Within
		}
		spec, list, err := quint.Open(within, name, text, o.beside())
		file.Warnings = list
		if spec != nil {
			file.Systems = []*derive.Derived{{Spec: spec}}
		}
		return file, err
	}
	systems, list, err := quint.Read(ctx, name, text, o.beside())
	file.Warnings = list
	for _, s := range systems {
		d := &derive.Derived{Spec: s.Spec}
		if len(systems) == 1 && s.Opens {
			d.Open = opened(func(ctx context.Context) (*ere.Specification, error) {
				spec, _, err := quint.Open(ctx, name, text, o.beside())
				return spec, err
			})
		}
		if len(systems) > 1 {
			d.Name, d.Properties, d.Early = s.Name, s.Claims, s.Name != ""
			if d.Name == "" {
				d.Name = s.Spec.System.Instances[0].Name
			}
		}
		file.Systems = append(file.Systems, d)
	}
	return file, err
}

func convertTLA(ctx context.Context, name, text string) (string, error) {
	return tla.Text(ctx, name, text, os.ReadFile)
}

// convertWhole is for languages whose files are converted at once.
func convertWhole(
	convert func(name, text string) (string, error),
) func(ctx context.Context, name, text string) (string, error) {
	return func(_ context.Context, name, text string) (string, error) { return convert(name, text) }
}

func sayTLA(name, text string, names, formulas []string) ([]tla.Definition, error) {
	return tla.Say(name, text, os.ReadFile, names, formulas)
}

// readsTLA recognises the files of TLA+ and TLC by their names.
func readsTLA(name, _ string) bool { return tla.Extension(name) }

func readTLA(ctx context.Context, name, text string, o Options) (*File, error) {
	if o.Live && !tla.Configured(name, o.beside()) {
		spec, list, err := tla.Beside(ctx, name, text, o.beside())
		file := &File{Kind: Specification, Warnings: list}
		if spec != nil {
			file.Systems = []*derive.Derived{{Spec: spec}}
		}
		return file, err
	}
	within := ctx
	if o.Within != nil {
		within = o.Within
	}
	var spec *ere.Specification
	var list *diag.List
	var err error
	if o.Open {
		spec, list, err = tla.Open(ctx, within, name, text, o.beside())
	} else {
		spec, list, err = tla.Read(within, name, text, o.beside())
	}
	file := &File{Kind: Specification, Warnings: list}
	if spec != nil {
		d := &derive.Derived{Spec: spec}
		if !o.Open {
			d.Open = opened(func(ctx context.Context) (*ere.Specification, error) {
				spec, _, err := tla.Beside(ctx, name, text, o.beside())
				return spec, err
			})
		}
		file.Systems = []*derive.Derived{d}
	}
	return file, err
}

// opened reads a file for all values of its constants. Its warnings are about what commands that
// prove alone say, too.
func opened(
	read func(context.Context) (*ere.Specification, error),
) func(context.Context) (*derive.Derived, error) {
	return func(ctx context.Context) (*derive.Derived, error) {
		spec, err := read(ctx)
		if err != nil {
			return nil, err
		}
		return &derive.Derived{Spec: spec}, nil
	}
}

// Program gives the strategies of a file as a program, where its claims do not decide all that the
// strategies do; else nil.
func Program(ctx context.Context, name, text string) *fast.Program {
	if Of(name, text).Name != "FAST" {
		return nil
	}
	f, _, err := fast.Read(ctx, name, text)
	if err != nil {
		return nil // the text was read before
	}
	return f.Program
}

// saysFast gives what the strategies of a file print.
func saysFast(name, text string, results []result.Result) []string {
	_, strategies := fast.Trees(name, text, &diag.List{})
	return strategies.Says(func(claim string) fast.Outcome {
		out := fast.Open
		for _, r := range results {
			switch {
			case r.Property != claim:
			case r.Verdict == result.Violated:
				return fast.False
			case r.Verdict == result.Holds && r.ForAll():
				out = fast.True
			}
		}
		return out
	})
}

// readsModel recognises UPPAAL's files by their names, and its XML by its beginning: no
// specification begins like that.
func readsModel(name, text string) bool {
	head := strings.TrimSpace(strings.TrimPrefix(text[:min(len(text), 200)], "\ufeff"))
	return uppaal.Extension(name) || strings.HasPrefix(head, "<?xml") ||
		strings.HasPrefix(head, "<nta")
}

func readModel(ctx context.Context, name, text string, o Options) (*File, error) {
	net, err := uppaal.Open(ctx, name, text, o.Queries, o.Constants, o.beside())
	return &File{Kind: Model, Network: net, Warnings: &diag.List{}}, err
}

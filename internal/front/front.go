// Package front is the door for every file that a user names.
//
// In: a path, or a text with its name. Out: what the file holds, a system with all that is derived from it or a network of timed
// automata, with warnings; or messages about the file. Which front end reads a file is decided here, by the name of the file and its
// text. A new front end is a package and a line in All.
package front

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"erelong/internal/cutoff"
	"erelong/internal/diag"
	"erelong/internal/front/uppaal"
	"erelong/internal/lang/format"
	"erelong/internal/timed"
)

// Kind is what files hold.
type Kind string

const (
	Specification Kind = "specification"
	Model         Kind = "model" // of timed automata
)

// File is what was read. One of Systems and Network is set, by the kind.
type File struct {
	Kind     Kind
	Systems  []*cutoff.Derived // one, or several that are derived from an algorithm
	Network  *timed.Network
	Warnings *diag.List
}

// Options say how a file is read. What does not apply to its kind is left aside.
type Options struct {
	Derive    cutoff.Options    // of an algorithm
	Queries   string            // a file of queries instead of the model's own, empty for none
	Constants map[string]string // values of constants of a model
}

// FrontEnd reads files of one language.
type FrontEnd struct {
	Name string
	Kind Kind
	// Reads reports whether a file is for this front end.
	Reads func(name, text string) bool
	// Read reads a text. The error is a *diag.List where the text is at fault. The list of warnings is never nil.
	Read func(ctx context.Context, name, text string, o Options) (*File, error)
	// Format lays a text out; nil where that is not supported.
	Format func(name, text string) (string, error)
}

// All lists the front ends. The first that reads a file has it; the last one reads all others.
func All() []FrontEnd {
	return []FrontEnd{
		{Name: "UPPAAL", Kind: Model, Reads: readsModel, Read: readModel},
		{Name: "erelong", Kind: Specification, Reads: func(string, string) bool { return true }, Read: readSpecification, Format: format.Source},
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

// KindOf is the kind of a file. Of one that cannot be read the name alone decides.
func KindOf(path string) Kind {
	text, err := os.ReadFile(path)
	if err != nil {
		text = nil
	}
	return Of(path, string(text)).Kind
}

// Load reads a file.
func Load(ctx context.Context, path string, o Options) (*File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return &File{Warnings: &diag.List{}}, fmt.Errorf("reading the %s: %w", Of(path, "").Kind, err)
	}
	return Read(ctx, filepath.ToSlash(path), string(text), o)
}

// Read is Load for a text; name is what messages call it.
func Read(ctx context.Context, name, text string, o Options) (*File, error) {
	return Of(name, text).Read(ctx, name, text, o)
}

// Systems reads a specification, and refuses a file of another kind.
func Systems(ctx context.Context, name, text string, o cutoff.Options) ([]*cutoff.Derived, *diag.List, error) {
	f := Of(name, text)
	if f.Kind != Specification {
		return nil, &diag.List{}, fmt.Errorf("%s is a %s of %s, and no specification", name, f.Kind, f.Name)
	}
	file, err := f.Read(ctx, name, text, Options{Derive: o})
	return file.Systems, file.Warnings, err
}

func readSpecification(ctx context.Context, name, text string, o Options) (*File, error) {
	systems, list, err := cutoff.Read(ctx, name, text, o.Derive)
	return &File{Kind: Specification, Systems: systems, Warnings: list}, err
}

// readsModel knows UPPAAL's files by their names, and its XML by how it begins: no specification begins like that.
func readsModel(name, text string) bool {
	head := strings.TrimSpace(strings.TrimPrefix(text[:min(len(text), 200)], "\ufeff"))
	return uppaal.Extension(name) || strings.HasPrefix(head, "<?xml") || strings.HasPrefix(head, "<nta")
}

func readModel(ctx context.Context, name, text string, o Options) (*File, error) {
	net, err := uppaal.Open(ctx, name, text, o.Queries, o.Constants)
	return &File{Kind: Model, Network: net, Warnings: &diag.List{}}, err
}

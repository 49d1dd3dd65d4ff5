// Package rewrite says the same specification in other words.
//
// In: the text of a specification, a Rewrite, and a number that decides what is rewritten. Out: a
// text with the same meaning. It serves an oracle: a verdict depends on what a file says, and not
// on how (metamorphic testing). A rewrite works on the syntax tree, with the sorts that package
// check infers, and leaves the rest of the text as it is. What it cannot be applied to, it says.
//
// The order in which a formula is evaluated is a part of its meaning, because to read a symbol
// outside of its range is an error. So a rewrite changes an order only where nothing can be read
// outside of a range.
package rewrite

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/ere/names"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// ErrNothing is the error of a rewrite that does not apply to a text; it is wrapped with the
// reason.
var ErrNothing = errors.New("nothing to rewrite")

// Keeps says what a rewrite leaves equal.
type Keeps int

const (
	// States keeps the state graph: the verdicts, the number of states, and depths.
	States Keeps = iota
	// Verdicts keeps the verdicts of all properties that both texts name.
	Verdicts
	// Claims keeps the verdicts of what the file is about: safety and properties of runs. The
	// invariants, which support a proof, are stated in other pieces.
	Claims
)

// Rewrite is one way to say the same.
type Rewrite struct {
	Name  string
	Keeps Keeps
	// data is set where files with structured data are rewritten, too: only whole names and
	// declarations change, or the rewrite is about such data.
	data  bool
	apply func(*source) error
}

// Apply rewrites a text. Even seeds rewrite all that there is, odd seeds a part of it. The text
// must be one without errors. The error is an ErrNothing where the rewrite does not apply.
func (r Rewrite) Apply(name, text string, seed int64) (string, error) {
	s, err := read(name, text)
	if err != nil {
		return "", err
	}
	s.rng, s.all = rand.New(rand.NewSource(seed)), seed%2 == 0
	if s.file.Structured && !r.data {
		return "", fmt.Errorf("%s: %w: structured data", r.Name, ErrNothing)
	}
	if err := r.apply(s); err != nil {
		return "", fmt.Errorf("%s: %w", r.Name, err)
	}
	out := s.text()
	if out == text {
		return "", fmt.Errorf("%s: %w", r.Name, ErrNothing)
	}
	// A part of a formula may leave open what all of it says, such as the sort of a variable.
	if _, list, err := ere.Compile(name, out); err != nil {
		if !slices.ContainsFunc(list.All, func(d *diag.Diagnostic) bool {
			return d.Severity == diag.Error && d.Code != diag.Unsupported
		}) {
			return "", fmt.Errorf("%s: %w: what would be written is refused: %w", r.Name,
				ErrNothing, err)
		}
		return out, fmt.Errorf("%s: the text has errors afterwards: %w", r.Name, err)
	}
	return out, nil
}

// Chain applies several rewrites, chosen at random, and names them. Rewrites that do not apply are
// left out.
func Chain(name, text string, length int, seed int64) (out string, applied []Rewrite, err error) {
	rng := rand.New(rand.NewSource(seed))
	for tries := 0; len(applied) < length && tries < 4*length; tries++ {
		r := All[rng.Intn(len(All))]
		next, err := r.Apply(name, text, rng.Int63())
		if errors.Is(err, ErrNothing) {
			continue
		}
		if err != nil {
			return next, append(applied, r), err
		}
		text, applied = next, append(applied, r)
	}
	return text, applied, nil
}

// source is a text that is rewritten.
type source struct {
	file      *syntax.File
	sys       *system.System
	table     *names.Table
	of        map[int]*names.Declaration // by the place where a name occurs
	variables map[int]*logic.Var         // by the place of their declaration
	fixed     map[*syntax.Expr]bool      // keep their form
	places    []place
	taken     map[string]bool

	rng   *rand.Rand
	all   bool
	edits []edit
}

// edit replaces a part of the text.
type edit struct {
	span diag.Span
	text string
}

func read(name, text string) (*source, error) {
	errs := &diag.List{}
	file := syntax.Parse(diag.NewSource(name, text), errs)
	if err := errs.Err(); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(file.Decls, unknown) {
		return nil, fmt.Errorf("%w: algorithms and proofs by prophecy are not rewritten",
			ErrNothing)
	}
	spec, list, err := ere.Read(name, text)
	if err != nil {
		return nil, fmt.Errorf("reading the specification: %w (%v)", err, list)
	}
	s := &source{file: file, sys: spec.System, table: names.Of(file),
		of: map[int]*names.Declaration{}, variables: map[int]*logic.Var{},
		fixed: map[*syntax.Expr]bool{}, taken: map[string]bool{}}
	for _, o := range s.table.Occurrences {
		s.of[o.Span.Start] = o.Of
	}
	for _, v := range spec.Variables() {
		if v.Sort != nil {
			s.variables[v.Span.Start] = v
		}
	}
	syntax.AddNames(file.Decls, s.taken)
	if !file.Structured {
		s.collect()
	}
	return s, nil
}

// unknown reports whether a declaration is of a kind that no rewrite reads.
func unknown(d syntax.Decl) bool {
	switch d.(type) {
	case *syntax.AlgorithmDecl, *syntax.ProtocolDecl, *syntax.AboutDecl, *syntax.ReduceDecl,
		*syntax.FbiiDecl:
		return true
	}
	return false
}

// some decides whether one of the things that can be rewritten is.
func (s *source) some() bool { return s.all || s.rng.Intn(2) == 0 }

// pick chooses one of the candidates; an error says that there is none.
func pick[T any](s *source, from []T, what string) (T, error) {
	if len(from) == 0 {
		var none T
		return none, fmt.Errorf("%w: there is no %s", ErrNothing, what)
	}
	return from[s.rng.Intn(len(from))], nil
}

// fresh makes a name that the text does not use.
func (s *source) fresh(wanted string) string {
	name := wanted
	for i := 1; s.taken[name] || syntax.IsKeyword(name); i++ {
		name = fmt.Sprintf("%s_%d", wanted, i)
	}
	s.taken[name] = true
	return name
}

func (s *source) replace(span diag.Span, text string) {
	s.edits = append(s.edits, edit{span, text})
}

// at gives the text of a span.
func (s *source) at(span diag.Span) string { return s.file.Source.Text[span.Start:span.End] }

// text is the text after the edits, which do not overlap.
func (s *source) text() string {
	slices.SortStableFunc(s.edits, func(a, b edit) int {
		return cmp.Compare(a.span.Start, b.span.Start)
	})
	var b strings.Builder
	at := 0
	for _, e := range s.edits {
		b.WriteString(s.file.Source.Text[at:e.span.Start])
		b.WriteString(e.text)
		at = e.span.End
	}
	return b.String() + s.file.Source.Text[at:]
}

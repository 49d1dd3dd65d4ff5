// Package certificate writes down proofs, so that they can be checked again from the written form
// alone.
//
// In: the results of a proof. Out: a certificate, which holds the text of the specification, the
// formulas that are inductive together, the assumptions, and every proof obligation with the solver
// that discharged it. Recheck reads nothing but the certificate. It derives the obligations anew,
// by Floyd's rule as stated in derive.go, refuses a certificate that differs from them, and has
// each discharged by another solver.
//
// A rechecked certificate rests on the front end, which makes formulas from the text (package
// ere), on this package, on the printing of formulas for solvers (package smt), and on the solver
// that said unsat. For actions with many branches it also rests on package bounds, which adds facts
// to obligations. It does not rest on the engine that found the proof. Liveness rests on package
// ranking, too, for the obligations of ranking functions (ranking.go).
package certificate

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"

	"erelong.dev/erelong/internal/engine/accel"
	"erelong.dev/erelong/internal/engine/fbii"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// SchemaID names the format. Each version of it has a number of its own.
const SchemaID = "erelong/certificate/1"

//go:embed schema/certificate-1.schema.json
var schema []byte

// Schema gives the JSON Schema (draft 2020-12) of a certificate.
func Schema() []byte { return bytes.Clone(schema) }

// Certificate holds the proofs about a specification.
type Certificate struct {
	Schema        string        `json:"schema"`
	Tool          Tool          `json:"tool"`
	Specification Specification `json:"specification"`
	Proofs        []Proof       `json:"proofs"`
}

// Tool is the program that made the certificate.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Specification is the text of the proofs. The extension of its name says which language it is in.
// Where it is the translation of another text, Modules has the files of that, and the first one is
// what the proofs are about.
type Specification struct {
	Name    string   `json:"name"`
	SHA256  string   `json:"sha256"`
	Text    string   `json:"text"`
	Modules []Module `json:"modules,omitempty"`
	// Included has the files that the text includes, by their paths from its folder.
	Included []Module `json:"included,omitempty"`
}

// Module is a file that a text was translated from, which has a name without folders, or one that
// it includes.
type Module struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Text   string `json:"text"`
}

// Proof claims that properties hold in all instances.
type Proof struct {
	// Derived from an algorithm; empty for the system of the text itself.
	System     string    `json:"system,omitempty"`
	Properties []Formula `json:"properties"` // the claim
	// How many steps the hypothesis covers; 0 for theorems and liveness.
	Induction int `json:"induction"`
	// Inductive together; includes the claimed ones.
	Invariant []Formula `json:"invariant"`
	Trusted   []Formula `json:"trusted"` // assumed in every state
	// From the specification to the proved properties.
	Reductions []Reduction `json:"reductions"`
	// Pieces says that the proof is about runs in pieces, without an induction.
	Pieces bool `json:"pieces,omitempty"`
	// Ranking is set for liveness. The invariant then holds claims of earlier proofs.
	Ranking     *result.RankProof `json:"ranking,omitempty"`
	Obligations []Obligation      `json:"obligations"`
}

// Formula is a property by its name, and in printed form.
type Formula struct {
	Name    string `json:"name"`
	Formula string `json:"formula"`
}

// Reduction is a step that replaces a claim by a claim that implies it.
type Reduction struct {
	Name    string `json:"name"`
	Theorem string `json:"theorem"`
}

// Obligation is one proof obligation, and how it was discharged.
type Obligation struct {
	Name     string `json:"name"`
	Action   string `json:"action"` // empty for initiation and theorems
	Property string `json:"property"`
	Conjunct int    `json:"conjunct"` // counted from 0
	Formula  string `json:"formula"`  // of the conjunct
	Solver   string `json:"solver"`   // "none" where none was needed
	Version  string `json:"version"`
	Method   string `json:"way"`
	Seed     int    `json:"seed"`
	Rlimit   int64  `json:"rlimit"`
	// Hypotheses that the proof used; absent if the solver did not name them.
	Core []string `json:"core,omitempty"`
}

// noSolver stands for the solver of an obligation that the engine settled without one.
const noSolver = "none"

// Source is a system with results about it. Its text is the text of the specification, also for a
// derived system.
type Source struct {
	Name       string // of a derived system; else empty
	System     *system.System
	Reductions []result.Reduction // from the specification to this system
	Results    []result.Result    // under the system's own names of properties
}

// New makes a certificate from the results that hold in all instances by induction, by ranking
// functions, or as theorems. It gives nil if there is none.
func New(version string, sources ...Source) (*Certificate, error) {
	text := sources[0].System.Source
	c := &Certificate{Schema: SchemaID, Tool: Tool{"erelong", version},
		Specification: Specification{
			Name: path.Base(text.Name), SHA256: hash(text.Text), Text: text.Text,
		}}
	for _, f := range sources[0].System.Included {
		name, err := filepath.Rel(path.Dir(text.Name), f.Name)
		if err != nil {
			return nil, fmt.Errorf("naming %s, which %s includes: %w", f.Name, text.Name, err)
		}
		c.Specification.Included = append(c.Specification.Included,
			Module{filepath.ToSlash(name), hash(f.Text), f.Text})
	}
	for _, s := range sources {
		if err := c.certify(s); err != nil {
			return nil, err
		}
	}
	if len(c.Proofs) == 0 {
		return nil, nil
	}
	return c, nil
}

// certify adds the proofs of one system; the proofs of liveness follow the proofs that they rest
// on.
func (c *Certificate) certify(s Source) error {
	var live []result.Result
	said := formulasOf(s.System)
	for _, r := range s.Results {
		prop := said.property[r.Property]
		if prop == nil || r.Verdict != result.Holds || r.Scope != result.ScopeAll ||
			r.Evidence == nil || r.Engine == fbii.Name || r.Engine == accel.Name {
			continue
		}
		switch {
		case prop.IsInvariant() || prop.Kind == system.Theorem:
			if err := c.prove(s, said, prop, r.Evidence); err != nil {
				return err
			}
		case prop.Kind == system.Liveness && r.Evidence.Ranking != nil && s.states(r.Evidence):
			live = append(live, r)
		}
	}
	for _, r := range live {
		if err := c.prove(s, said, said.property[r.Property], r.Evidence); err != nil {
			return err
		}
	}
	return nil
}

// states reports whether the text can state what a proof of liveness rests on: hints that were
// found are about the system of a text in the language, and not about a derived one.
func (s *Source) states(e *result.Evidence) bool {
	language := slices.Contains([]string{".ere", ".pyv"}, path.Ext(s.System.Source.Name))
	return e.Ranking.Proof.Hints == "" || s.Name == "" && language
}

// prove adds the proof of one property.
func (c *Certificate) prove(
	s Source, said *formulasIn, prop *system.Property, e *result.Evidence,
) error {
	p := Proof{System: s.Name, Properties: []Formula{formula(prop)}, Reductions: []Reduction{},
		Obligations: []Obligation{}}
	for _, x := range s.Reductions {
		p.Reductions = append(p.Reductions, Reduction{x.Name, x.String()})
	}
	switch {
	case e.Pieces:
		p.Pieces = true
	case prop.IsInvariant():
		p.Induction = max(e.Induction, 1)
	}
	var err error
	if p.Invariant, err = said.of(e.Invariant); err == nil {
		p.Trusted, err = said.of(e.Trusted)
	}
	if err != nil {
		return fmt.Errorf("certifying %s: %w", prop.Name, err)
	}
	stated, err := c.statements(s.System, prop, &p, e)
	if err != nil {
		return fmt.Errorf("certifying %s: %w", prop.Name, err)
	}
	for _, o := range inOneState(e.Obligations) {
		f, ok := stated(o)
		if !ok {
			return fmt.Errorf("certifying %s: the obligation %q, conjunct %d, does not belong "+
				"to the proof", prop.Name, o.Name, o.Conjunct)
		}
		p.Obligations = append(p.Obligations, discharged(o, f))
	}
	c.add(p)
	return nil
}

// inOneState puts one obligation in the place of the ones about a conjunct that follows from what
// else is claimed of the same state.
func inOneState(os []result.Obligation) (out []result.Obligation) {
	follows := map[int]bool{}
	for _, o := range os {
		follows[o.Conjunct] = follows[o.Conjunct] || o.InState
	}
	said := map[int]bool{}
	for _, o := range os {
		switch {
		case !follows[o.Conjunct]:
			out = append(out, o)
		case o.InState && !said[o.Conjunct]:
			said[o.Conjunct] = true
			o.Name, o.Action = inState(o.Property), ""
			out = append(out, o)
		}
	}
	return out
}

// inState names the obligation that a conjunct of a property follows from what else is claimed.
func inState(property string) string { return property + " follows in one state" }

// statements gives the formulas of obligations, and adds the ranking functions to the proof if it
// has any.
func (c *Certificate) statements(
	sys *system.System, prop *system.Property, p *Proof, e *result.Evidence,
) (func(result.Obligation) (string, bool), error) {
	if e.Pieces {
		var names []Obligation
		for _, o := range e.Obligations {
			names = append(names, Obligation{Name: o.Name})
		}
		questions, err := piecesQuestions(sys, prop, names)
		return formulasBy(questions), err
	}
	if e.Ranking == nil {
		conjuncts := logic.Conjuncts(prop.Term)
		return func(o result.Obligation) (string, bool) {
			if o.Conjunct < 0 || o.Conjunct >= len(conjuncts) {
				return "", false
			}
			return conjuncts[o.Conjunct].String(), true
		}, nil
	}
	p.Ranking = e.Ranking.Proof
	invariant, err := find(sys, p.Invariant)
	if err != nil {
		return nil, err
	}
	questions, err := rankingQuestions(context.Background(), &c.Specification, sys, prop,
		invariant, p.Ranking)
	if err != nil {
		return nil, err
	}
	return formulasBy(questions), nil
}

// formulasBy gives the formulas of obligations by the questions of these names.
func formulasBy(questions []question) func(result.Obligation) (string, bool) {
	formulas := map[string]string{}
	for _, q := range questions {
		formulas[q.Name] = q.Formula
	}
	return func(o result.Obligation) (string, bool) {
		f, ok := formulas[o.Name]
		return f, ok
	}
}

// add merges a proof into a proof that rests on the same formulas.
func (c *Certificate) add(p Proof) {
	for i := range c.Proofs {
		q := &c.Proofs[i]
		if q.Ranking == nil && p.Ranking == nil && !q.Pieces && !p.Pieces && q.System == p.System &&
			slices.Equal(q.Reductions, p.Reductions) && q.Induction == p.Induction &&
			slices.Equal(q.Invariant, p.Invariant) && slices.Equal(q.Trusted, p.Trusted) {
			q.Properties = append(q.Properties, p.Properties...)
			q.Obligations = append(q.Obligations, p.Obligations...)
			return
		}
	}
	c.Proofs = append(c.Proofs, p)
}

func discharged(o result.Obligation, formula string) Obligation {
	out := Obligation{
		Name: o.Name, Action: o.Action, Property: o.Property, Conjunct: o.Conjunct,
		Formula: formula,
		Method:  o.Method, Seed: o.Seed, Rlimit: o.Rlimit, Core: o.Needs,
	}
	out.Solver, out.Version = o.Solver.Name, o.Solver.Version
	return out
}

func formula(p *system.Property) Formula { return Formula{p.Name, p.Term.String()} }

// formulasIn are the formulas of a system. Thousands of properties may rest on the same thousands
// of invariants, which are printed once.
type formulasIn struct {
	property  map[string]*system.Property
	formula   map[string]Formula
	lastNames []string
	last      []Formula
}

func formulasOf(sys *system.System) *formulasIn {
	f := &formulasIn{property: map[string]*system.Property{}, formula: map[string]Formula{}}
	for _, p := range sys.Properties {
		f.property[p.Name] = p
	}
	return f
}

// of gives the formulas of some properties.
func (f *formulasIn) of(names []string) ([]Formula, error) {
	if f.last != nil && slices.Equal(names, f.lastNames) {
		return f.last, nil
	}
	out := []Formula{}
	for _, name := range names {
		p := f.property[name]
		if p == nil {
			return nil, fmt.Errorf("the proof rests on %q, which the specification does not have",
				name)
		}
		if _, ok := f.formula[name]; !ok {
			f.formula[name] = formula(p)
		}
		out = append(out, f.formula[name])
	}
	f.lastNames, f.last = names, out
	return out, nil
}

func hash(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// Write prints a certificate as JSON.
func (c *Certificate) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(c); err != nil {
		return fmt.Errorf("writing the certificate: %w", err)
	}
	return nil
}

// ErrRefused says that a certificate is malformed, or does not support its claims.
var ErrRefused = errors.New("the certificate is refused")

func refuse(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrRefused}, args...)...)
}

// Read reads a certificate as JSON. A field that is not part of the format is an error, since it
// could carry a meaning.
func Read(r io.Reader) (*Certificate, error) {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	c := &Certificate{}
	if err := d.Decode(c); err != nil {
		return nil, refuse("it cannot be read: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, refuse("something follows it")
	}
	if c.Schema != SchemaID {
		return nil, refuse("its format is %q, and only %q is known", c.Schema, SchemaID)
	}
	return c, nil
}

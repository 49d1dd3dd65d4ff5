// Package work makes jobs of tasks of engines, so that another process can carry them out.
//
// In: a task of package verify, with the text of its file. Out: a Job, which is plain data and is
// named by the hash of everything that its findings depend on; and from the findings plain data
// again. Do carries a job out. Nothing here knows how jobs travel (package queue does).
//
// Findings from elsewhere are not believed as they are: Read replays each run to a violation.
package work

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/verify"
)

// Job is a task of one engine.
type Job struct {
	Build  string         // of the program: the same job has other findings in another version
	File   string         // the name of the file, which messages mention
	Text   string         // its content
	Others []Other        `json:",omitempty"` // the files that it includes
	Derive derive.Options // how systems are derived from it
	System string         // the name of the derived system

	Engine      string
	Method      engine.Method
	Instance    *Instance // nil for all
	Claims      []string
	Named       bool
	Limits      engine.Limits
	Proved      []result.Result `json:",omitempty"`
	Satisfiable bool
	Options     Options

	Crew  string `json:",omitempty"` // to take part in this divided exploration is all
	Place int    `json:",omitempty"` // tells the jobs of one crew apart
}

// Other is a file that is included.
type Other struct{ Name, Text string }

// Instance describes an instance by texts.
type Instance struct {
	Name   string
	Sizes  []string // sort=size, sorted
	Values []string // constant=value, sorted
	Facts  int
}

// describe is the description of an instance.
func describe(in *system.Instance) *Instance {
	if in == nil {
		return nil
	}
	d := &Instance{Name: in.Name, Sizes: []string{}, Values: []string{}, Facts: len(in.Facts)}
	for s, n := range in.Sizes {
		d.Sizes = append(d.Sizes, fmt.Sprintf("%s=%d", s.Name, n))
	}
	for c, v := range in.Values {
		d.Values = append(d.Values, c.Name+"="+v.String())
	}
	slices.Sort(d.Sizes)
	slices.Sort(d.Values)
	return d
}

func (d *Instance) equal(e *Instance) bool {
	return d.Name == e.Name && d.Facts == e.Facts && slices.Equal(d.Sizes, e.Sizes) &&
		slices.Equal(d.Values, e.Values)
}

// instance finds the described instance: one of the file, the one that is guessed where the file
// has none, or one that its name describes.
func (d *Instance) instance(sys *system.System) (*system.Instance, error) {
	if d == nil {
		return nil, nil
	}
	candidates := []*system.Instance{sys.Instance(d.Name)}
	if in, _ := verify.Guess(sys); in != nil {
		candidates = append(candidates, in)
	}
	if strings.Contains(d.Name, "=") {
		swept, err := ere.Instances(sys, d.Name)
		if err != nil {
			return nil, fmt.Errorf("instance %s: %w", d.Name, err)
		}
		candidates = append(candidates, swept...)
	}
	for _, in := range candidates {
		if in != nil && d.equal(describe(in)) {
			return in, nil
		}
	}
	return nil, fmt.Errorf("the instance %s cannot be made from its description", d.Name)
}

// ID names the job by the hash of its content.
func (j *Job) ID() string {
	text, err := json.Marshal(j)
	if err != nil {
		panic(err) // plain data
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Title names the job for people.
func (j *Job) Title() string {
	where := string(j.Method)
	if j.Instance != nil {
		where = j.Instance.Name
	}
	if j.System != "" {
		where = j.System + " " + where
	}
	return fmt.Sprintf("%s %s (%s)", j.File, where, j.Engine)
}

// Solves reports whether the job needs a solver.
func (j *Job) Solves() bool { return j.Method != engine.Explore }

// Source is a file with the systems that were read from it.
type Source struct {
	Name, Text string
	Derive     derive.Options
	Systems    []*derive.Derived
}

// Job describes a task about one of the systems.
func (s *Source) Job(build, name string, t *engine.Task, o verify.Options) (*Job, error) {
	if t.Instance != nil {
		o.Instances = nil // a job about one instance is the same whatever the others are
	}
	j := &Job{
		Build: build, File: s.Name, Text: s.Text, Derive: s.Derive, Engine: name, Method: t.Method,
		Instance: describe(t.Instance), Named: t.Named, Limits: t.Limits,
		Satisfiable: t.Satisfiable, Claims: []string{},
		Options: optionsOf(o),
	}
	for _, other := range t.System.Included {
		j.Others = append(j.Others, Other{other.Name, other.Text})
	}
	if c := t.System.Computed; c != nil {
		return nil, fmt.Errorf("%s is %s of several files, and a worker reads one text: check it "+
			"without --workers", s.Name, c.Language())
	}
	d := s.derived(t)
	if d == nil {
		return nil, fmt.Errorf("the task %s is about no system of %s", name, s.Name)
	}
	j.System = d.Name
	for _, c := range t.Claims {
		j.Claims = append(j.Claims, c.Name)
	}
	if t.Method == engine.Rank {
		j.Proved = settled(t.Proved)
	}
	return j, nil
}

// derived is the system that a task is about, nil if it is none of the file's.
func (s *Source) derived(t *engine.Task) *derive.Derived {
	i := slices.IndexFunc(s.Systems, func(d *derive.Derived) bool {
		return d.Spec.System == t.System
	})
	if i < 0 {
		return nil
	}
	return s.Systems[i]
}

// Read checks findings about a task for which there is a job, and makes engine.Findings of them.
func (s *Source) Read(
	ctx context.Context, f *Findings, t *engine.Task,
) (*engine.Findings, error) {
	return f.read(ctx, t, s.derived(t).Spec)
}

// settled keeps of results what a proof of liveness reads: which invariants are proved.
func settled(results []result.Result) (out []result.Result) {
	for _, x := range results {
		if x.Scope == result.ScopeAll {
			out = append(out,
				result.Result{Property: x.Property, Kind: x.Kind, Engine: x.Engine, Scope: x.Scope,
					Verdict: x.Verdict})
		}
	}
	return out
}

// task makes the task of the job again.
func (j *Job) task(ctx context.Context, from *Sources) (*engine.Task, error) {
	systems, err := from.read(ctx, j)
	if err != nil {
		return nil, fmt.Errorf("reading %s again: %w", j.File, err)
	}
	i := slices.IndexFunc(systems, func(d *derive.Derived) bool { return d.Name == j.System })
	if i < 0 {
		return nil, fmt.Errorf("%s has no derived system %q", j.File, j.System)
	}
	sys := systems[i].Spec.System
	t := &engine.Task{
		Method: j.Method, System: sys, Named: j.Named, Limits: j.Limits, Proved: j.Proved,
		Satisfiable: j.Satisfiable,
	}
	if t.Instance, err = j.Instance.instance(sys); err != nil {
		return nil, err
	}
	all, err := engine.Claims(sys, nil)
	if err != nil {
		return nil, err
	}
	all = append(all, engine.NoDeadlock)
	for _, name := range j.Claims {
		// NoDeadlock comes last, so a property of this name comes first.
		k := slices.IndexFunc(all, func(c engine.Claim) bool { return c.Name == name })
		if k < 0 {
			return nil, fmt.Errorf("%s has no claim %q", j.File, name)
		}
		t.Claims = append(t.Claims, all[k])
	}
	return t, nil
}

// Here are the settings of the process that carries a job out. No findings depend on them.
type Here struct {
	Memory int64 // bytes for states, 0 for three quarters of the machine's
	Proofs *smt.Cache
	// Sources keeps files that were read; nil to read each anew.
	Sources *Sources
	// Join takes part in a divided exploration.
	Join func(ctx context.Context, j *Job, share func(explicit.Peers) *explicit.Share) error
}

// Do carries the job out.
func (j *Job) Do(ctx context.Context, h Here, to engine.Sink) (*Findings, error) {
	t, err := j.task(ctx, h.Sources)
	if err != nil {
		return nil, err
	}
	o, err := j.Options.options(t.System, h)
	if err != nil {
		return nil, err
	}
	if j.Crew != "" {
		if h.Join == nil {
			return nil, errors.New("no divided explorations here")
		}
		o.Explicit.Member = func(
			ctx context.Context, share func(explicit.Peers) *explicit.Share,
		) error {
			return h.Join(ctx, j, share)
		}
	}
	found, err := verify.RunTask(ctx, j.Engine, t, o, to)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("the job ended early: %w", context.Cause(ctx))
	}
	return write(t.System, found)
}

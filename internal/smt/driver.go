package smt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"erelong.dev/erelong/internal/smt/wasmz3"
)

// Driver gives access to one available solver.
type Driver interface {
	Name() string
	Version() string
	// start begins a conversation.
	start(context.Context, Config) (conversation, error)
	// alike leaves out of a configuration what changes neither the start of a conversation nor its
	// Setup: configurations that are then equal can use the same conversation, one after the other.
	alike(Config) Config
	// Setup gives the first commands of a conversation.
	Setup(Config) []string
	// Limit is the command that bounds the resources of each following check, in units of z3.
	Limit(rlimit int64) string
	// Spent is the command that asks for the resources spent so far; empty when the solver has
	// none.
	Spent() string
	// Strategies lists further sets of options, which prove queries that the default ones do not.
	Strategies() []string
	// Horn reports whether the solver has the strategy of that name.
	Horn() bool
	// Macros reports whether the solver is better with function definitions than with axioms.
	Macros() bool
	// Constants reports whether the solver is better with enums whose members are constants.
	Constants() bool
	// Exhausted reports whether a reason for unknown stands for the resource limit.
	Exhausted(reason string) bool
}

// Label names a solver with its version, for evidence.
func Label(d Driver) string { return d.Name() + " " + d.Version() }

// product describes a solver before it has been found.
type product struct {
	name   string
	said   *regexp.Regexp // for the version number in the output of --version
	oldest string         // the oldest suitable version
	driver func(path, version string) Driver
	inside func() (Driver, error) // instead of the others: the solver is part of the program
	// patience is the time to wait for its version, if not versionTime.
	patience time.Duration
}

// products lists the solvers in the order of preference.
var products = []product{z3Product, cvc5Product, wasmProduct}

// Names lists the supported solvers, in the order of preference.
func Names() []string {
	out := make([]string, len(products))
	for i, p := range products {
		out[i] = p.name
	}
	return out
}

// Find looks for solvers on the PATH and inside the program, in the order of names. Without names
// it looks for all supported solvers and needs only one; with names all of them must be there.
// Errors wrap ErrNoSolver.
func Find(ctx context.Context, names []string) ([]Driver, error) {
	all := len(names) == 0
	if all {
		names = Names()
	}
	var found []Driver
	var problems []error
	var news []string
	answers, err := findAll(ctx, names)
	if err != nil {
		return nil, err
	}
	for i, a := range answers {
		switch {
		case a.err == nil:
			found = append(found, a.driver)
		case ctx.Err() != nil:
			return nil, fmt.Errorf("finding solver %s: %w", names[i], ctx.Err())
		// A program without z3 inside is the usual case.
		case all && errors.Is(a.err, wasmz3.ErrNotEmbedded):
		default:
			problems = append(problems, a.err)
			if !a.again && !errors.Is(a.err, errMissing) {
				news = append(news, a.err.Error())
			}
		}
	}
	if len(found) > 0 && all {
		for _, text := range news {
			notice(ctx, text+"; it is not used")
		}
	}
	if len(problems) > 0 && (!all || len(found) == 0) {
		return nil, fmt.Errorf("%w: %w", errors.Join(problems...), ErrNoSolver)
	}
	return found, nil
}

// findAll asks all of some solvers at the same time.
func findAll(ctx context.Context, names []string) ([]answer, error) {
	wanted := make([]product, 0, len(names))
	for _, name := range names {
		i := slices.IndexFunc(products, func(p product) bool { return p.name == name })
		if i < 0 {
			return nil, fmt.Errorf("finding a solver: there is no solver %q, only %s", name,
				strings.Join(Names(), ", "))
		}
		wanted = append(wanted, products[i])
	}
	answers := make([]answer, len(names))
	var asked sync.WaitGroup
	for k, p := range wanted {
		asked.Go(func() { answers[k] = find(ctx, p) })
	}
	asked.Wait()
	return answers, nil
}

type probesKey struct{}

// probes holds the solvers' answers on their versions, by their names and paths.
type probes struct {
	mu       sync.Mutex
	answers  map[[2]string]*probe
	end      []func()
	versions *Cache // nil for none
}

// probe is the answer of one solver, which is asked once.
type probe struct {
	mu sync.Mutex
	answer
}

type answer struct {
	driver Driver
	err    error
	again  bool // it was found before
}

// WithProcesses asks each solver for its version only once, however often solvers are looked for,
// and reuses their processes (Reuse). The second result ends these, unless the given context has
// them already.
func WithProcesses(ctx context.Context) (context.Context, func()) {
	if ctx.Value(probesKey{}) != nil {
		return ctx, func() {}
	}
	p := &probes{answers: map[[2]string]*probe{}}
	return context.WithValue(ctx, probesKey{}, p), p.close
}

func (p *probes) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, end := range p.end {
		end()
	}
}

// find looks for a solver.
func find(ctx context.Context, p product) answer {
	known, _ := ctx.Value(probesKey{}).(*probes)
	path, lookErr := exec.LookPath(p.name)
	if known == nil || p.inside != nil || lookErr != nil {
		d, err := p.find(ctx, known.kept())
		return answer{driver: d, err: err}
	}
	s := known.probe([2]string{p.name, path})
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.driver != nil || s.err != nil {
		return answer{s.driver, s.err, true}
	}
	d, err := p.find(ctx, known.kept())
	if ctx.Err() == nil {
		if err == nil {
			d = known.reuse(d)
		}
		s.answer = answer{driver: d, err: err}
	}
	return answer{driver: d, err: err}
}

func (p *probes) probe(key [2]string) *probe {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.answers[key] == nil {
		p.answers[key] = &probe{}
	}
	return p.answers[key]
}

func (p *probes) reuse(d Driver) Driver {
	d, end := Reuse(d)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end = append(p.end, end)
	return d
}

// versionTime is the time to wait for a solver's version, which takes milliseconds.
const versionTime = 5 * time.Second

var errMissing = errors.New("is not installed")

// find looks for the solver, and learns its version.
func (p product) find(ctx context.Context, versions *Cache) (Driver, error) {
	if p.inside != nil {
		return p.inside()
	}
	path, err := exec.LookPath(p.name)
	if err != nil {
		return nil, fmt.Errorf("%s %w", p.name, errMissing)
	}
	version, err := p.version(ctx, versions, path)
	if err != nil {
		return nil, err
	}
	if olderThan(version, p.oldest) {
		return nil, fmt.Errorf("%s %s (%s) is too old: %s or newer is needed", p.name, version,
			path, p.oldest)
	}
	return p.driver(path, version), nil
}

// asked runs the solver once, to learn its version.
func (p product) asked(ctx context.Context, path string) (string, error) {
	patience := cmp.Or(p.patience, versionTime)
	asking, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(asking, path, "--version")
	isolate(cmd)
	cmd.Cancel = func() error {
		killGroup(cmd)
		return nil
	}
	cmd.WaitDelay = time.Second
	text := &head{}
	cmd.Stdout = text
	runtime.LockOSThread() // the thread on which the process lives
	err := cmd.Run()
	runtime.UnlockOSThread()
	out := text.kept
	switch {
	case asking.Err() != nil && ctx.Err() == nil:
		return "", fmt.Errorf("%s did not say its version within %s", path, patience)
	case err != nil && len(out) < headBytes:
		return "", fmt.Errorf("asking %s for its version: %w", path, err)
	}
	m := p.said.FindSubmatch(out)
	if m == nil {
		first, _, _ := strings.Cut(string(out[:min(len(out), 200)]), "\n")
		return "", fmt.Errorf("%s says %q when asked for its version, which is not %s", path,
			first, p.name)
	}
	return string(m[1]), nil
}

// head keeps the first bytes written to it, and refuses more.
type head struct{ kept []byte }

const headBytes = 1 << 16

func (h *head) Write(b []byte) (int, error) {
	n := min(len(b), headBytes-len(h.kept))
	h.kept = append(h.kept, b[:n]...)
	if n < len(b) {
		return n, io.ErrShortWrite
	}
	return n, nil
}

// olderThan compares version numbers part by part; a missing part counts as zero.
func olderThan(version, other string) bool {
	a, b := strings.Split(version, "."), strings.Split(other, ".")
	for i := range max(len(a), len(b)) {
		x, y := part(a, i), part(b, i)
		if x != y {
			return x < y
		}
	}
	return false
}

func part(parts []string, i int) int {
	if i >= len(parts) {
		return 0
	}
	n, err := strconv.Atoi(parts[i])
	if err != nil {
		return 0
	}
	return n
}

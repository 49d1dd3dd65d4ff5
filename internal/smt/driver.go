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

	"erelong/internal/smt/wasmz3"
)

// Driver knows one solver that can be used here.
type Driver interface {
	Name() string
	Version() string
	// start begins a conversation.
	start(context.Context, Config) (conversation, error)
	// Setup are the first commands of a conversation.
	Setup(Config) []string
	// Limit is the command that bounds the resources of each following check. It is given in units of z3.
	Limit(rlimit int64) string
	// Spent is the command that asks for the resources spent so far, empty when the solver cannot tell.
	Spent() string
	// Strategies lists further sets of options that prove what the usual ones do not.
	Strategies() []string
	// Macros reports whether the solver does better with function definitions than with axioms in their place.
	Macros() bool
	// Exhausted reports whether this reason for an unknown stands for the resource limit.
	Exhausted(reason string) bool
}

// Label names a solver with its version, for evidence.
func Label(d Driver) string { return d.Name() + " " + d.Version() }

// product is what Find knows about a solver before it has been found.
type product struct {
	name    string
	version *regexp.Regexp // of the version number in what --version prints
	oldest  string         // the oldest version that is fit
	driver  func(path, version string) Driver
	inside  func() (Driver, error) // instead of the others: the solver is part of the program
	// patience is how long it may take to say its version, if not versionTime.
	patience time.Duration
}

// products lists the solvers in the order of preference.
var products = []product{z3Product, cvc5Product, wasmProduct}

// Names lists the solvers that erelong knows, in the order of preference.
func Names() []string {
	out := make([]string, len(products))
	for i, p := range products {
		out[i] = p.name
	}
	return out
}

// Find looks for solvers on the PATH and inside the program, in the order of names. Without names it looks for all that it
// knows and is content with one; solvers that are asked for by name must all be there. Errors wrap ErrNoSolver.
func Find(ctx context.Context, names []string) ([]Driver, error) {
	all := len(names) == 0
	if all {
		names = Names()
	}
	var found []Driver
	var problems []error
	var news []string
	for _, name := range names {
		i := slices.IndexFunc(products, func(p product) bool { return p.name == name })
		if i < 0 {
			return nil, fmt.Errorf("finding a solver: there is no solver %q, only %s", name, strings.Join(Names(), ", "))
		}
		d, again, err := find(ctx, products[i])
		switch {
		case err == nil:
			found = append(found, d)
		case ctx.Err() != nil:
			return nil, fmt.Errorf("finding solver %s: %w", name, ctx.Err())
		case all && errors.Is(err, wasmz3.ErrNotEmbedded): // nobody misses it
		default:
			problems = append(problems, err)
			if !again && !errors.Is(err, errMissing) {
				news = append(news, err.Error())
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

type probesKey struct{}

// probes is what solvers said when they were asked for their versions, by their names and places.
type probes struct {
	mu   sync.Mutex
	said map[[2]string]said
	end  []func()
}

type said struct {
	driver Driver
	err    error
}

// WithProcesses has each solver asked for its version only once, however often solvers are looked for, and their processes used
// again (Reuse). The second result ends these.
func WithProcesses(ctx context.Context) (context.Context, func()) {
	p := &probes{said: map[[2]string]said{}}
	return context.WithValue(ctx, probesKey{}, p), p.close
}

func (p *probes) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, end := range p.end {
		end()
	}
}

// find gives a solver, and reports whether it was asked before.
func find(ctx context.Context, p product) (d Driver, again bool, err error) {
	known, _ := ctx.Value(probesKey{}).(*probes)
	path, lookErr := exec.LookPath(p.name)
	if known == nil || p.inside != nil || lookErr != nil {
		d, err = p.find(ctx)
		return d, false, err
	}
	known.mu.Lock()
	defer known.mu.Unlock()
	key := [2]string{p.name, path}
	if s, ok := known.said[key]; ok {
		return s.driver, true, s.err
	}
	d, err = p.find(ctx)
	if ctx.Err() == nil {
		if err == nil {
			var end func()
			d, end = Reuse(d)
			known.end = append(known.end, end)
		}
		known.said[key] = said{d, err}
	}
	return d, false, err
}

// versionTime is how long a solver may take to say its version; it takes milliseconds.
const versionTime = 5 * time.Second

var errMissing = errors.New("is not installed")

// find runs the solver once, to learn its version.
func (p product) find(ctx context.Context) (Driver, error) {
	if p.inside != nil {
		return p.inside()
	}
	path, err := exec.LookPath(p.name)
	if err != nil {
		return nil, fmt.Errorf("%s %w", p.name, errMissing)
	}
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
	runtime.LockOSThread() // on which the process lives
	err = cmd.Run()
	runtime.UnlockOSThread()
	out := text.kept
	switch {
	case asking.Err() != nil && ctx.Err() == nil:
		return nil, fmt.Errorf("%s did not say its version within %s", path, patience)
	case err != nil && len(out) < headBytes:
		return nil, fmt.Errorf("asking %s for its version: %w", path, err)
	}
	m := p.version.FindSubmatch(out)
	if m == nil {
		first, _, _ := strings.Cut(string(out[:min(len(out), 200)]), "\n")
		return nil, fmt.Errorf("%s says %q when asked for its version, which is not %s", path, first, p.name)
	}
	version := string(m[1])
	if olderThan(version, p.oldest) {
		return nil, fmt.Errorf("%s %s (%s) is too old: %s or newer is needed", p.name, version, path, p.oldest)
	}
	return p.driver(path, version), nil
}

// head keeps the first bytes that are written to it, and refuses more.
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

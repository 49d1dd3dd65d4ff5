package smt

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
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
	for _, name := range names {
		i := slices.IndexFunc(products, func(p product) bool { return p.name == name })
		if i < 0 {
			return nil, fmt.Errorf("finding a solver: there is no solver %q, only %s", name, strings.Join(Names(), ", "))
		}
		d, err := products[i].find(ctx)
		switch {
		case err == nil:
			found = append(found, d)
		case ctx.Err() != nil:
			return nil, fmt.Errorf("finding solver %s: %w", name, ctx.Err())
		case all && errors.Is(err, wasmz3.ErrNotEmbedded): // nobody misses it
		default:
			problems = append(problems, err)
		}
	}
	if len(problems) > 0 && (!all || len(found) == 0) {
		return nil, fmt.Errorf("%w: %w", errors.Join(problems...), ErrNoSolver)
	}
	return found, nil
}

// find runs the solver once, to learn its version.
func (p product) find(ctx context.Context) (Driver, error) {
	if p.inside != nil {
		return p.inside()
	}
	path, err := exec.LookPath(p.name)
	if err != nil {
		return nil, fmt.Errorf("%s is not installed", p.name)
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("asking %s for its version: %w", path, err)
	}
	m := p.version.FindSubmatch(out)
	if m == nil {
		first, _, _ := strings.Cut(string(out), "\n")
		return nil, fmt.Errorf("%s says %q when asked for its version, which is not %s", path, first, p.name)
	}
	version := string(m[1])
	if olderThan(version, p.oldest) {
		return nil, fmt.Errorf("%s %s (%s) is too old: %s or newer is needed", p.name, version, path, p.oldest)
	}
	return p.driver(path, version), nil
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

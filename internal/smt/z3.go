package smt

import (
	"context"
	"fmt"
	"regexp"
	"strings"
)

var z3Product = product{
	name:   "z3",
	said:   regexp.MustCompile(`Z3 version (\d+(?:\.\d+)*)`),
	oldest: "4.8.5",
	driver: func(path, version string) Driver { return z3{path, version} },
}

// z3 decides quantified formulas over uninterpreted sorts by model-based instantiation, so it often
// answers sat where others give up, and it likes function definitions.
type z3 struct{ path, version string }

func (z z3) Name() string    { return "z3" }
func (z z3) Version() string { return z.version }
func (z z3) Macros() bool    { return true }
func (z z3) Horn() bool      { return true }
func (z z3) Constants() bool { return true }
func (z z3) Spent() string   { return "(get-info :rlimit)" }

// Strategies: a query at once has more patterns. Newer versions need that: their model-based
// instantiation is stuck on what 4.8.12 proves with it.
func (z z3) Strategies() []string { return []string{AtOnce} }

// memory is a limit in megabytes, so that one query cannot take the machine down. z3 says "out of
// memory" and ends.
const memory = 6000

func (z z3) start(ctx context.Context, c Config) (conversation, error) {
	args := []string{"-in", "-smt2", fmt.Sprintf("-memory:%d", memory),
		fmt.Sprintf("-t:%d", c.longest().Milliseconds())}
	return start(ctx, z.path, append(args, z.options(c)...))
}

func (z z3) alike(c Config) Config {
	c.Models, c.Large, c.Propositional = false, false, false
	if c.Strategy == AtOnce {
		c.Strategy = ""
	}
	return c
}

// options are parameters of z3 with their values.
func (z z3) options(c Config) []string {
	return []string{fmt.Sprintf("smt.random_seed=%d", c.Seed),
		fmt.Sprintf("sat.random_seed=%d", c.Seed)}
}

// Setup has z3 choose a value also where the model leaves one open: otherwise get-value may give a
// term instead. For truth values alone there is a logic with which z3 uses its SAT solver, between
// pushes too. Spacer gets blocks that are composed already (package horn).
func (z z3) Setup(c Config) []string {
	setup := []string{"(set-option :model.completion true)"}
	if c.Cores {
		setup = append(setup, "(set-option :produce-unsat-cores true)")
	}
	if c.Propositional {
		setup = append(setup, "(set-logic QF_FD)")
	}
	if c.horn() {
		for _, option := range []string{
			fmt.Sprintf("fp.spacer.eq_prop %t", c.Strategy == HornEqualities),
			"fp.xform.inline_linear false", "fp.xform.inline_eager false",
			fmt.Sprintf("fp.spacer.random_seed %d", c.Seed),
		} {
			setup = append(setup, "(set-option :"+option+")")
		}
		setup = append(setup, "(set-logic HORN)")
	}
	return setup
}

func (z z3) Limit(rlimit int64) string {
	// The parameter is an unsigned 32-bit number.
	return fmt.Sprintf("(set-option :rlimit %d)", min(max(rlimit, 0), 1<<32-1))
}

func (z z3) Exhausted(reason string) bool {
	for _, word := range []string{"canceled", "resource", "timeout", "memout"} {
		if strings.Contains(reason, word) {
			return true
		}
	}
	return false
}

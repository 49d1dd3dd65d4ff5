package smt

import (
	"context"
	"fmt"
	"regexp"
	"strings"
)

var cvc5Product = product{
	name:   "cvc5",
	said:   regexp.MustCompile(`cvc5 version (\d+(?:\.\d+)*)`),
	oldest: "1.0.0",
	driver: func(path, version string) Driver { return cvc5{path, version} },
}

// cvc5 proves by quantifier instantiation. It answers sat to quantified formulas only with the
// option to look for finite models, and ends after the first error that it prints.
type cvc5 struct{ path, version string }

func (c cvc5) Name() string    { return "cvc5" }
func (c cvc5) Version() string { return c.version }
func (c cvc5) Macros() bool    { return false }
func (c cvc5) Horn() bool      { return false }
func (c cvc5) Constants() bool { return false }

// finiteModels instantiates with counterexamples in a candidate model. Sizes of sorts are only
// decisions of its search. Therefore cvc5 does not say unsat where all models are infinite: a test
// asks it about such theories.
const finiteModels = "finite models"

func (c cvc5) Strategies() []string { return []string{finiteModels} }
func (c cvc5) Spent() string        { return "" }

func (c cvc5) start(ctx context.Context, cfg Config) (conversation, error) {
	args := []string{"--lang=smt2", "--incremental", "-q", fmt.Sprintf("--seed=%d", cfg.Seed),
		fmt.Sprintf("--tlimit-per=%d", cfg.longest().Milliseconds())}
	if cfg.Large { // its simplification takes seconds, whatever the limit
		args = append(args, "--simplification=none")
	}
	switch {
	case cfg.Models:
		args = append(args, "--finite-model-find", "--fmf-bound")
	case cfg.Strategy == finiteModels:
		args = append(args, "--finite-model-find", "--mbqi-interleave")
	default:
		args = append(args, "--full-saturate-quant")
	}
	return start(ctx, c.path, args)
}

func (c cvc5) alike(cfg Config) Config { return cfg }

func (c cvc5) Setup(cfg Config) []string {
	logic := "ALL"
	if cfg.Propositional {
		logic = "QF_UF"
	}
	setup := []string{"(set-option :produce-models true)"}
	if cfg.Cores {
		setup = append(setup, "(set-option :produce-unsat-cores true)")
	}
	return append(setup, "(set-logic "+logic+")")
}

const leastResources = 20_000

// Limit uses the long name of the option: cvc5 1.0 refuses its other name, rlimit-per, between two
// checks. One of its units takes as much time as about 60 units of z3. It spends thousands on a
// theory before it considers the question, so with less than leastResources it would answer
// nothing.
func (c cvc5) Limit(rlimit int64) string {
	if rlimit > 0 {
		rlimit = max(rlimit/60, leastResources)
	}
	return fmt.Sprintf("(set-option :reproducible-resource-limit %d)", max(rlimit, 0))
}

func (c cvc5) Exhausted(reason string) bool {
	reason = strings.ToLower(reason)
	return strings.Contains(reason, "resourceout") || strings.Contains(reason, "timeout") ||
		strings.Contains(reason, "memout")
}

package smt

import (
	"fmt"
	"regexp"
	"strings"
)

var cvc5Product = product{
	name:    "cvc5",
	version: regexp.MustCompile(`cvc5 version (\d+(?:\.\d+)*)`),
	oldest:  "1.0.0",
	driver:  func(path, version string) Driver { return cvc5{path, version} },
}

// cvc5 proves by quantifier instantiation. It answers sat to quantified formulas only when told to look for finite models,
// and ends after the first error that it prints.
type cvc5 struct{ path, version string }

func (c cvc5) Name() string    { return "cvc5" }
func (c cvc5) Version() string { return c.version }
func (c cvc5) Macros() bool    { return false }
func (c cvc5) Spent() string   { return "" }

func (c cvc5) Command(cfg Config) (string, []string) {
	args := []string{"--lang=smt2", "--incremental", "-q", fmt.Sprintf("--seed=%d", cfg.Seed)}
	if cfg.Models {
		args = append(args, "--finite-model-find", "--fmf-bound")
	} else {
		args = append(args, "--full-saturate-quant")
	}
	return c.path, args
}

func (c cvc5) Setup(Config) []string {
	return []string{"(set-option :produce-models true)", "(set-logic ALL)"}
}

// Limit uses the long name of the option: cvc5 1.0 refuses its other name, rlimit-per, between two checks. One of its
// units costs as much time as about 60 units of z3.
func (c cvc5) Limit(rlimit int64) string {
	if rlimit > 0 {
		rlimit = max(rlimit/60, 1)
	}
	return fmt.Sprintf("(set-option :reproducible-resource-limit %d)", max(rlimit, 0))
}

func (c cvc5) Exhausted(reason string) bool {
	reason = strings.ToLower(reason)
	return strings.Contains(reason, "resourceout") || strings.Contains(reason, "timeout") || strings.Contains(reason, "memout")
}

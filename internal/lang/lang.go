// Package lang is the front end of erelong's own language, and of mypyvy's, which is part of it.
//
// In: the text of a file. Out: a validated system.System, or diagnostics with positions. The phases are in the packages
// syntax (text to trees), check (trees to IR) and format (text to tidy text).
package lang

import (
	"fmt"
	"os"
	"path/filepath"

	"erelong/internal/diag"
	"erelong/internal/lang/check"
	"erelong/internal/lang/syntax"
	"erelong/internal/system"
)

// Load reads a file. The error is a *diag.List when the text is at fault. Warnings come back in any case.
func Load(path string) (*system.System, *diag.List, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, &diag.List{}, fmt.Errorf("reading the specification: %w", err)
	}
	return Compile(filepath.ToSlash(path), string(text))
}

// Compile makes a system of a text; name is what messages call it, and its ending says whether mypyvy's restrictions hold.
func Compile(name, text string) (*system.System, *diag.List, error) {
	errs := &diag.List{}
	file := syntax.Parse(diag.NewSource(name, text), errs)
	if err := errs.Err(); err != nil {
		errs.Sort()
		return nil, errs, err
	}
	sys := check.Check(file, errs)
	errs.Sort()
	if err := errs.Err(); err != nil {
		return nil, errs, err
	}
	if err := system.Validate(sys); err != nil {
		return nil, errs, fmt.Errorf("internal error: the system made of %s is not well-formed: %w", name, err)
	}
	return sys, errs, nil
}

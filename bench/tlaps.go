package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// tlapsTable is the name of the table.
const tlapsTable = "tlaps"

var (
	tlapsProof = regexp.MustCompile(`(?m)^\s*(PROOF|BY|OBVIOUS|<\d+>)`)
	tlapsClaim = regexp.MustCompile(`(?m)^\s*(THEOREM|LEMMA|COROLLARY)\b`)
)

// versusTLAPS proves the modules that have proofs for TLAPS, without the proofs: first the theorems
// about all states with what the module defines (prove), then with invariants that are found
// (infer). A module is proved if all of its claims are. The figure beside them is the number of
// steps of the proof.
func versusTLAPS(program string, at *places) (out []Measured, err error) {
	clone := *at.folders[tlaExamples.Flag]
	if !tlaExamples.given(clone) {
		return nil, nil
	}
	modules, err := provedModules(filepath.Join(clone, "specifications"))
	if err != nil {
		return nil, err
	}
	proved := map[string]int{}
	fmt.Printf("%-62s %-6s %6s %-14s %8s\n", "", "", "steps", "verdict", "cpu s")
	for _, module := range modules {
		for _, command := range []string{"prove", "infer"} {
			m, err := module.measure(program, command, at)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", module.name, err)
			}
			if m.Verdict == "holds" {
				proved[command]++
			}
			out = append(out, m)
			fmt.Printf("%-62s %-6s %6d %-14s %8.2f\n",
				module.name, command, module.steps, m.Verdict, m.CPUSeconds)
		}
	}
	fmt.Printf("%d modules with proofs; proved without them: %d by prove, %d by infer\n",
		len(modules), proved["prove"], proved["infer"])
	return out, nil
}

// provedModule is a module with proofs, and the number of their steps.
type provedModule struct {
	name, path string
	steps      int
}

func provedModules(folder string) (out []provedModule, err error) {
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || err == nil && filepath.Ext(path) != ".tla" {
			return nil
		}
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("reading a module: %w", err)
		}
		steps := len(tlapsProof.FindAll(text, -1))
		if steps > 0 && tlapsClaim.Match(text) {
			name := filepath.ToSlash(strings.TrimPrefix(path, folder+string(filepath.Separator)))
			out = append(out, provedModule{name, path, steps})
		}
		return nil
	})
	return out, err
}

func (x *provedModule) measure(program, command string, at *places) (Measured, error) {
	m := Measured{Table: tlapsTable, Row: command + " " + x.name,
		Args:  []string{command, x.name, "--cache=off"},
		Paper: map[string]string{"steps of the proof": fmt.Sprint(x.steps)}}
	args := []string{command, x.path, "--cache=off"}
	if at.limit > 0 {
		args = append(args, "--timeout", at.limit.String())
	}
	got, err := m.execute(program, args)
	if err != nil { // a module that is not translated says why
		folder := strings.TrimSuffix(x.path, filepath.FromSlash(x.name))
		m.Verdict, m.Missing = "error", strings.ReplaceAll(err.Error(), folder, "")
		return m, nil
	}
	m.Verdict = "holds"
	if len(got.Results) == 0 {
		m.Verdict = "nothing claimed"
	}
	for _, r := range got.Results {
		if r.Verdict != "holds" {
			m.Verdict, m.Missing = r.Verdict, r.Property+" "+r.Reason.Text
			break
		}
	}
	return m, nil
}

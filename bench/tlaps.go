package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"erelong.dev/erelong/internal/result"
)

// tlapsTable is the name of the table.
const tlapsTable = "tlaps"

var (
	tlapsProof = regexp.MustCompile(`(?m)^\s*(PROOF|BY|OBVIOUS|<\d+>)`)
	tlapsClaim = regexp.MustCompile(`(?m)^\s*(THEOREM|LEMMA|COROLLARY)\b`)
)

// versusTLAPS proves the modules that have proofs for TLAPS, without the proofs: first the theorems
// about all states with what the module defines (prove), then with invariants that are found
// (infer), then what happens at some time (live). A module is proved if all of its claims are. The
// figure beside them is the number of steps of the proof. At the end the rows of the census are
// counted.
func versusTLAPS(program string, at *places) (out []Measured, err error) {
	clone := *at.folders[tlaExamples.Flag]
	if !tlaExamples.given(clone) {
		return nil, nil
	}
	rows, err := tlapsRows(tlapsCensus)
	if err != nil {
		return nil, err
	}
	modules, err := provedModules(filepath.Join(clone, "specifications"))
	if err != nil {
		return nil, err
	}
	proved := map[string]int{}
	by := map[string]map[string]outcome{"prove": {}, "infer": {}, "live": {}}
	fmt.Printf("%-62s %-6s %6s %-14s %8s  %s\n", "", "", "steps", "verdict", "cpu s",
		"checked again")
	for _, module := range modules {
		row := rowOf(rows, strings.TrimSuffix(module.name, ".tla"))
		if row == nil {
			fmt.Printf("%s is in no row of the census\n", module.name)
			row = &tlapsRow{}
		}
		commands := []string{"prove", "infer"}
		if row.isLive() {
			commands = append(commands, "live")
		}
		for _, command := range commands {
			m, got, err := module.measure(program, command, row, at)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", module.name, err)
			}
			if m.Verdict == "holds" {
				proved[command]++
			}
			if got != nil {
				by[command][strings.TrimSuffix(module.name, ".tla")] = *got
			}
			out = append(out, m)
			fmt.Printf("%-62s %-6s %6d %-14s %8.2f  %s\n",
				module.name, command, module.steps, m.Verdict, m.CPUSeconds, m.Rechecked)
		}
	}
	fmt.Printf("%d modules with proofs; proved without them: %d by prove, %d by infer\n",
		len(modules), proved["prove"], proved["infer"])
	fmt.Println(goals(rows, by))
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

// measure runs a command on a module of a row. The outcome is nil where there is no report.
func (x *provedModule) measure(
	program, command string, row *tlapsRow, at *places,
) (m Measured, got *outcome, err error) {
	m = Measured{Table: tlapsTable, Row: command + " " + x.name,
		Args:  []string{command, x.name, "--cache=off"},
		Paper: map[string]string{"steps of the proof": fmt.Sprint(x.steps)}}
	if row.lines > 0 {
		m.Paper["lines of the row's proof"] = fmt.Sprint(row.lines)
	}
	args := []string{command, x.path, "--cache=off"}
	if at.limit > 0 {
		args = append(args, "--timeout", at.limit.String())
	}
	var certificate string
	if command == "prove" {
		folder, err := os.MkdirTemp("", "tlaps")
		if err != nil {
			return m, nil, fmt.Errorf("making a folder: %w", err)
		}
		defer os.RemoveAll(folder)
		certificate = filepath.Join(folder, "proof.json")
		m.Args = append(m.Args, "--certificate", "proof.json")
		args = append(args, "--certificate", certificate)
	}
	answer, err := m.execute(program, args)
	if err != nil { // a module that is not translated says why
		folder := strings.TrimSuffix(x.path, filepath.FromSlash(x.name))
		m.Verdict, m.Missing = "error", strings.ReplaceAll(err.Error(), folder, "")
		return m, nil, nil
	}
	m.Verdict = "holds"
	if len(answer.Results) == 0 {
		m.Verdict = "nothing claimed"
	}
	for _, r := range answer.Results {
		if r.Verdict != "holds" {
			m.Verdict, m.Missing = r.Verdict, r.Property+" "+r.Reason.Text
			break
		}
	}
	o := row.sorted(answer.Results)
	m.Claims = map[string]string{}
	for what, t := range map[string]tally{"safety": o.safety, "steps": o.steps, "live": o.live} {
		if t.claims > 0 {
			m.Claims[what] = fmt.Sprintf("%d of %d hold", t.hold, t.claims)
		}
	}
	if _, err := os.Stat(certificate); certificate != "" && err == nil {
		m.Rechecked = rechecked(program, certificate, x.path, at)
	}
	return m, &o, nil
}

// rechecked says how many proofs of a certificate about a module another solver checks again.
func rechecked(program, certificate, module string, at *places) string {
	m := Measured{limit: at.limit}
	answer, err := m.execute(program, []string{"prove", "--recheck", certificate, module})
	if err != nil {
		return strings.ReplaceAll(err.Error(), certificate, "proof.json")
	}
	var all tally
	for _, r := range answer.Results {
		if r.Verdict != string(result.NothingChecked) { // of what was not proved
			all.note(r.Verdict == "holds")
		}
	}
	return fmt.Sprintf("%d of %d proofs, in %.1f s", all.hold, all.claims, m.CPUSeconds)
}

package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// thresholdTable is the name of the table.
const thresholdTable = "threshold"

var thresholdAutomata = &clone{Flag: "automata",
	What: "a clone of konnov/fault-tolerant-benchmarks, for threshold"}

var (
	claimOfByMC = regexp.MustCompile(`(?s)(\w+)\s*:\s*([^;:]*);`)
	commentOfC  = regexp.MustCompile(`(?s)/\*.*?\*/`)
)

// liveClaims are the names of the formulas of an automaton that say that something happens at some
// time, where the runs are fair: <> stands elsewhere than in <>[], the premise of fairness.
func liveClaims(text string) map[string]bool {
	text = commentOfC.ReplaceAllString(text, "")
	_, text, _ = strings.Cut(text, "specifications")
	out := map[string]bool{}
	for _, m := range claimOfByMC.FindAllStringSubmatch(text, -1) {
		formula := strings.Join(strings.Fields(m[2]), "")
		out[m[1]] = strings.Contains(strings.ReplaceAll(formula, "<>[]", ""), "<>")
	}
	return out
}

// decided counts automata: the ones with claims of safety, and with claims of liveness, and of both
// the ones of which all of these are decided.
type decided struct{ safe, safety, live, liveness int }

// note counts an automaton by the verdicts of its claims.
func (d *decided) note(verdicts map[string]string, live map[string]bool) {
	var some, open [2]bool // of safety and of liveness
	for claim, v := range verdicts {
		i := 0
		if live[claim] {
			i = 1
		}
		some[i] = true
		open[i] = open[i] || v != "holds" && v != "violated"
	}
	for i, of := range [][2]*int{{&d.safety, &d.safe}, {&d.liveness, &d.live}} {
		if some[i] {
			*of[0]++
			if !open[i] {
				*of[1]++
			}
		}
	}
}

func (d *decided) String() string {
	return fmt.Sprintf("all claims of safety are decided for %d of the %d automata that have "+
		"some, all claims of liveness for %d of %d", d.safe, d.safety, d.live, d.liveness)
}

// sketches are the automata without claims. It gives how many there are, and how many of them are
// read.
func sketches(program, folder string) (all, read int, err error) {
	err = filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".sk" {
			all++
			if exec.Command(program, "dump", path).Run() == nil {
				read++
			}
		}
		return err
	})
	return all, read, err
}

// versusByMC decides the claims of threshold automata for all values of the parameters. Automata
// with unknown coefficients, of which ByMC finds values, are about all of these values here, and
// most of their claims are violated for some.
func versusByMC(program string, at *places) (out []Measured, err error) {
	folder := *at.folders[thresholdAutomata.Flag]
	if !thresholdAutomata.given(folder) {
		return nil, nil
	}
	var files []string
	err = filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".ta" {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("looking for automata: %w", err)
	}
	whole, sum := 0, &decided{}
	claims := map[string]int{}
	fmt.Printf("%-70s %6s %8s %6s %8s\n", "", "hold", "violated", "open", "cpu s")
	for _, path := range files {
		name := filepath.ToSlash(strings.TrimPrefix(path, folder+string(filepath.Separator)))
		m := Measured{Table: thresholdTable, Row: name,
			Args: []string{"verify", name, "--cache=off"}}
		args := []string{"verify", path, "--cache=off"}
		if at.limit > 0 {
			args = append(args, "--timeout", at.limit.String())
		}
		got, err := m.execute(program, args)
		if err != nil {
			m.Verdict, m.Missing = "error", strings.ReplaceAll(err.Error(), path, name)
			out = append(out, m)
			continue
		}
		verdicts := map[string]string{} // a claim may have several results
		for _, r := range got.Results {
			if verdicts[r.Property] != "holds" && verdicts[r.Property] != "violated" {
				verdicts[r.Property] = r.Verdict
			}
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("reading an automaton: %w", err)
		}
		sum.note(verdicts, liveClaims(string(text)))
		counts := map[string]int{}
		var open []string
		for _, claim := range slices.Sorted(maps.Keys(verdicts)) {
			v := verdicts[claim]
			if v != "holds" && v != "violated" {
				v, open = "open", append(open, claim)
			}
			counts[v]++
			claims[v]++
		}
		m.Missing = strings.Join(open, ", ")
		m.Verdict = fmt.Sprintf("%d hold, %d violated, %d open", counts["holds"],
			counts["violated"], counts["open"])
		if counts["open"] == 0 {
			whole++
		}
		out = append(out, m)
		fmt.Printf("%-70s %6d %8d %6d %8.2f\n", name, counts["holds"], counts["violated"],
			counts["open"], m.CPUSeconds)
	}
	fmt.Printf("%d automata, %d decided whole; claims: %d hold, %d are violated, %d are open\n",
		len(files), whole, claims["holds"], claims["violated"], claims["open"])
	fmt.Println(sum)
	all, read, err := sketches(program, folder)
	if err != nil {
		return nil, fmt.Errorf("looking for sketches: %w", err)
	}
	fmt.Printf("%d of %d automata without claims (.sk) are read\n", read, all)
	return out, nil
}

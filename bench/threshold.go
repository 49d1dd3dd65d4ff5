package main

import (
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// thresholdTable is the name of the table.
const thresholdTable = "threshold"

var thresholdAutomata = &clone{Flag: "automata",
	What: "a clone of konnov/fault-tolerant-benchmarks, for threshold"}

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
	whole := 0
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
	return out, nil
}

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// clone is a folder with other people's models, which is named on the command line.
type clone struct {
	Flag, What string
}

var (
	authors = &clone{Flag: "forte", What: "a clone of banhday/FORTE2021-FD, for fast, ivy and tla"}
	uppaal  = &clone{Flag: "uppaal", What: "a folder with clones of Ndonio/logicaUppaal, " +
		"UPPAALModelChecker/docs.uppaal.org, UPPAALModelChecker/utap and " +
		"pablo-villarejo/TFG-UPPAAL, for timed-live"}
)

// given reports whether there is a folder; without one it says what is left out.
func (c *clone) given(folder string) bool {
	if folder == "" {
		fmt.Printf("left out: say with -%s FOLDER where this is: %s\n", c.Flag, c.What)
	}
	return folder != ""
}

// within returns the rows with their files in the folder. If one is missing, it prints the reason
// and returns none.
func (c *clone) within(folder string, rows []row) []row {
	if !c.given(folder) {
		return nil
	}
	var out []row
	for _, r := range rows {
		r.Args = slices.Clone(r.Args)
		for i, a := range r.Args {
			if slices.Contains([]string{".fst", ".ivy", ".xml"}, filepath.Ext(a)) {
				r.Args[i] = filepath.Join(folder, filepath.FromSlash(a))
				if _, err := os.Stat(r.Args[i]); err != nil {
					fmt.Printf("left out: %v\n", err)
					return nil
				}
			}
		}
		out = append(out, r)
	}
	return out
}

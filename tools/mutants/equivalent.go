package main

import (
	_ "embed"
	"fmt"
	"strings"
)

// equivalents is the list of faults that change nothing that a user or an engine sees: the key of
// the site on a line, and below it, indented, why.
//
//go:embed equivalent.txt
var equivalents string

// readEquivalents gives the reason for each key.
func readEquivalents(text string) (map[string]string, error) {
	out, key := map[string]string{}, ""
	for i, line := range strings.Split(text, "\n") {
		switch {
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
		case !strings.HasPrefix(line, " "):
			if key != "" && out[key] == "" {
				return nil, fmt.Errorf("line %d: no reason for %s", i, key)
			}
			key = line
			if _, twice := out[key]; twice {
				return nil, fmt.Errorf("line %d: %s stands twice", i+1, key)
			}
			out[key] = ""
		case key == "":
			return nil, fmt.Errorf("line %d: a reason without a fault", i+1)
		default:
			out[key] = strings.TrimSpace(out[key] + " " + strings.TrimSpace(line))
		}
	}
	if key != "" && out[key] == "" {
		return nil, fmt.Errorf("no reason for %s", key)
	}
	return out, nil
}

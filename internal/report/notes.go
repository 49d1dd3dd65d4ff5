package report

import (
	"fmt"
	"strings"

	"erelong.dev/erelong/internal/result"
)

// fewAlike is the number of instances that each have their note. What is said of more is said once.
const fewAlike = 2

// GroupNotes says once what notes say of several instances.
func GroupNotes(notes []string, instances []result.Instance) (out []string) {
	split := func(note string) (in, about string) {
		for i := range instances {
			if about, of := strings.CutPrefix(note, instances[i].Name+": "); of {
				return instances[i].Name, about
			}
		}
		return "", note
	}
	alike := map[string]int{}
	for _, note := range notes {
		if in, about := split(note); in != "" {
			alike[about]++
		}
	}
	said := map[string]bool{}
	for _, note := range notes {
		switch in, about := split(note); {
		case in == "" || alike[about] <= fewAlike:
			out = append(out, note)
		case !said[about]:
			said[about] = true
			out = append(out,
				fmt.Sprintf("%s and %d more instances: %s", in, alike[about]-1, about))
		}
	}
	return out
}

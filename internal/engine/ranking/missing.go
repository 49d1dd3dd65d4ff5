package ranking

import (
	"fmt"
	"strings"
)

// changed names the symbols of the user that a step of a part may change.
func (s *search) changed(part *part) (names []string) {
	for _, sym := range s.p.originals[part.action].Modifies {
		if !sym.Ghost {
			names = append(names, sym.Name)
		}
	}
	return names
}

// missing says what a proof lacks in steps in which nothing is known to decrease.
func (s *search) missing(part *part) string {
	names := s.changed(part)
	if len(names) == 0 {
		return fmt.Sprintf("%s changes nothing, so only a fair action that stays possible "+
			"meanwhile ends its steps: "+
			"choose names the values of one", part.action.Name)
	}
	which := "them"
	if len(names) == 1 {
		which = "it"
	}
	return fmt.Sprintf("%s changes %s: what is missing is a number made of %s that these steps "+
		"make smaller (variable, count), "+
		"or the values of a fair action that stays possible meanwhile (choose)", part.action.Name,
		strings.Join(names, ", "), which)
}

// skeleton is a rank to paste into the file, with a place to fill in.
func (s *search) skeleton(part *part) string {
	of := "the state"
	if names := s.changed(part); len(names) > 0 {
		of = strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s: to give a hint, begin with rank [%s] { variable 0; } and write in "+
		"place of 0 an integer made of %s "+
		"that is not negative, and that %s makes smaller; docs/liveness.md has the other hints",
		s.property, s.property, of, part.action.Name)
}

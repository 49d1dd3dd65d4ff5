package ere

import "testing"

// The word safety stands for a formula, and there is none yet where the sorts are resolved.
func TestSafetyInARange(t *testing.T) {
	for _, end := range []string{"safety", "(if safety then 1 else 2)"} {
		text := "mutable constant x: 0.." + end + "\nsafety [p] x = 0\n"
		if _, list, err := Read("x.ere", text); err == nil {
			t.Errorf("%s is accepted as the end of a range: %v", end, list)
		}
	}
}

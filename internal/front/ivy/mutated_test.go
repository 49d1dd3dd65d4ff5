package ivy

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/diag"
)

// Texts with a token left out, doubled or moved give a tree or an error with a position.
func TestMutated(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, p := range pairs {
		src := diag.NewSource("x.ivy", p.ivy)
		tokens := lexicon.Tokens(src, &diag.List{})
		for range 60 {
			words := make([]string, len(tokens))
			for i, tok := range tokens {
				words[i] = p.ivy[tok.Start:tok.End]
			}
			for range 1 + rng.IntN(3) {
				a, b := rng.IntN(len(words)), rng.IntN(len(words))
				switch rng.IntN(3) {
				case 0:
					words[a] = ""
				case 1:
					words[a] += " " + words[b]
				default:
					words[a], words[b] = words[b], words[a]
				}
			}
			text := "#lang ivy1.7\n" + strings.Join(words, " ")
			errs := &diag.List{}
			file := Tree("x.ivy", text, os.ReadFile, errs)
			if errs.Err() == nil && len(file.Decls) == 0 {
				t.Errorf("nothing was read\n%s", text)
			}
			for _, d := range errs.All {
				if d.Span.IsZero() || d.Message == "" {
					t.Errorf("no position: %v", d)
				}
			}
		}
	}
}

package referee

import (
	"fmt"
	"math/rand"
	"os"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/ere/flat/oracletest"
	"erelong.dev/erelong/internal/front/ere/rewrite"
	"erelong.dev/erelong/internal/system/systemtest"
)

// Generated specifications have the same states with less structure, or with more: a record is its
// fields, a set is a relation, a sequence is a function and a size.
func TestWordingStructure(t *testing.T) {
	w := &wording{t: t, tallies: map[string]*tally{}}
	for seed := range amount[int64](60, 300, 2000) {
		text := oracletest.Generate(rand.New(rand.NewSource(seed)))
		switch seed % 5 {
		case 3:
			text = generate(seed).String()
		case 4:
			text = systemtest.Processes(rand.New(rand.NewSource(seed)))
		}
		if _, _, err := ere.Compile("data.ere", text); err != nil {
			continue // some of what is generated is refused
		}
		w.compare(fmt.Sprint("data", seed, ".ere"), text, []command{checking}, rewrite.Data, seed)
		if t.Failed() {
			t.Log(text)
			break
		}
	}
	w.report()
	for _, r := range rewrite.Data {
		if n := w.tallies[r.Name]; n == nil || n.compared == 0 {
			t.Errorf("%s: nothing is compared", r.Name)
		}
	}
}

// Examples have the same states with less structure, or with more.
func TestWordingStructureExamples(t *testing.T) {
	w := &wording{t: t, tallies: map[string]*tally{}}
	for i, path := range specifications(t) {
		if i%amount(8, 3, 1) != 0 {
			continue
		}
		read, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		w.compare(path, string(read), []command{checking}, rewrite.Data, int64(i))
	}
	w.report()
}

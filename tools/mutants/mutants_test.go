package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// sample has a place for each kind of fault.
const sample = `package sample

import "fmt"

const limit = 10

var table = []int{1, 2}

type box struct{ lo, hi int }

func (b *box) holds(x, y int, list []int) bool {
	if x < b.lo && y > 0 {
		return true
	}
	b.hi = min(x, y)
	b.lo += 3
	for i, e := range list {
		list[i] = e + 1
	}
	for range list {
		x++
	}
	if err := fmt.Errorf("%d", 1+2); err != nil {
		panic("never")
	}
	return !b.holds(y, x, append(list, x, y))
}
`

func TestSites(t *testing.T) {
	sites, err := sitesIn("sample/sample.go", []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, s := range sites {
		keys = append(keys, strings.TrimPrefix(s.key(), "sample/sample.go"))
	}
	for _, want := range []string{
		": element left out: 2 => nothing",
		": constant: 1 => 0",
		" box.holds: comparison: x < b.lo => x <= b.lo",
		" box.holds: comparison: x < b.lo => x >= b.lo",
		" box.holds: connective: x < b.lo && y > 0 => (x < b.lo || y > 0)",
		" box.holds: operand left out: x < b.lo && y > 0 => y > 0",
		" box.holds: condition: x < b.lo && y > 0 => !(x < b.lo && y > 0)",
		" box.holds: truth value: true => false",
		" box.holds: statement left out: return true => nothing",
		" box.holds: statement left out: b.hi = min(x, y) => nothing",
		" box.holds: opposite: min => max",
		" box.holds: opposite: lo => hi (2)",
		" box.holds: arguments: y, x => x, y",
		" box.holds: direction: b.lo += 3 => b.lo -= 3",
		" box.holds: direction: x++ => x--",
		" box.holds: loop: range list => without the first",
		" box.holds: loop: range list => without the last (2)",
		" box.holds: arithmetic: e + 1 => (e - 1)",
		" box.holds: element left out: y => nothing",
		" box.holds: operator left out: !b.holds(y, x, append(list, x, y)) => b.holds(y, x, append(list, x, y))",
	} {
		if !slices.Contains(keys, want) {
			t.Errorf("there is no site %s in\n%s", want, strings.Join(keys, "\n"))
		}
	}
	for _, key := range keys {
		if strings.Contains(key, "1+2") || strings.Contains(key, "10") ||
			strings.Contains(key, "arguments: x, y") {
			t.Errorf("a fault in a message or a constant, or none: %s", key)
		}
	}
}

// Every site changes the text, the result is still a file of Go, and no two sites are the same.
func TestPlant(t *testing.T) {
	sites, err := sitesIn("sample/sample.go", []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	keys, texts := map[string]bool{}, map[string]string{}
	for _, s := range sites {
		text := string(s.plant([]byte(sample)))
		if _, err := parser.ParseFile(token.NewFileSet(), "sample.go", text, 0); err != nil {
			t.Errorf("%s: %v\n%s", s.key(), err, text)
		}
		if other, twice := texts[text]; text == sample || twice {
			t.Errorf("%s changes nothing, or the same as %s", s.key(), other)
		}
		if keys[s.key()] {
			t.Errorf("%s stands for two sites", s.key())
		}
		keys[s.key()], texts[text] = true, s.key()
	}
}

// The choice is spread over the files, depends on the seed, and moves little when code changes.
func TestPick(t *testing.T) {
	list := func(text string) []site {
		var all []site
		for _, name := range []string{"a.go", "b.go", "c.go"} {
			found, err := sitesIn(name, []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, found...)
		}
		return all
	}
	keys := func(text string, seed int) (out []string) {
		for _, s := range pick(list(text), seed)[:12] {
			out = append(out, s.key())
		}
		return out
	}
	first := keys(sample, 1)
	files := map[string]int{}
	for _, k := range first {
		files[k[:4]]++
	}
	for _, name := range []string{"a.go", "b.go", "c.go"} {
		if files[name] < 2 {
			t.Errorf("%d of 12 faults are in %s", files[name], name)
		}
	}
	if slices.Equal(first, keys(sample, 2)) {
		t.Error("another seed chooses the same faults")
	}
	same := 0
	for _, k := range keys(sample+"func more() bool { return 1 < 2 }\n", 1) {
		if slices.Contains(first, k) {
			same++
		}
	}
	if same < 6 {
		t.Errorf("only %d of 12 faults are chosen again after a change", same)
	}
}

func TestEquivalents(t *testing.T) {
	got, err := readEquivalents("# text\n\na.go f: x => y\n  one\n  two\nb.go g: x => y\n  three\n")
	if err != nil || got["a.go f: x => y"] != "one two" || got["b.go g: x => y"] != "three" {
		t.Errorf("%v %v", got, err)
	}
	for _, bad := range []string{"a\nb\n why\n", "  why\n", "a\n why\na\n why\n", "a\n"} {
		if _, err := readEquivalents(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// Every fault in the list of equivalent ones can still be planted, so that the list does not grow
// old, and every package in the list of targets is there.
func TestLists(t *testing.T) {
	reasons, err := readEquivalents(equivalents)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, target := range targets {
		sites, err := sitesOf(filepath.Join("..", ".."), target)
		if err != nil {
			t.Error(err)
		}
		for _, s := range sites {
			known[s.key()] = true
		}
	}
	for key := range reasons {
		if !known[key] {
			t.Errorf("equivalent.txt names a fault that cannot be planted: %s", key)
		}
	}
}

// A module with faults that are killed, that survive, that do not compile, and that end in an
// endless loop.
func TestFind(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.org/m\n\ngo 1.24\n",
		"m.go": `package m

func sum(n int) (s int) {
	for i := 0; i < n; i++ {
		s += i
	}
	return s
}

func sign(n int) string {
	if n > 0 && n+n > 1 {
		return "+" + ""
	}
	return ""
}
`,
		"m_test.go": `package m

import (
	"fmt"
	"testing"
)

func TestSum(t *testing.T) {
	for seed := range 5 {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			if sum(seed) != seed*(seed-1)/2 {
				t.Error("wrong")
			}
		})
	}
	if sign(1) != "+" || sign(0) != "" {
		t.Error("wrong sign")
	}
}
`,
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sites, err := sitesOf(root, target{pkg: "."})
	if err != nil {
		t.Fatal(err)
	}
	tests := suite{pkg: "."}
	p := &planter{root: root, dir: t.TempDir(), slack: time.Second, baseline: map[suite]effort{
		tests: {time.Second / 2, time.Minute}}}
	for _, want := range []finding{
		{Fault: "m.go sum: comparison: i < n => i <= n", Outcome: killed,
			By: ". TestSum/seed_1", Seed: "1"},
		{Fault: "m.go sum: direction: i++ => i--", Outcome: killed, By: ". (limit of time)", Late: true},
		{Fault: "m.go sign: operand left out: n > 0 && n+n > 1 => n > 0", Outcome: survived},
		{Fault: `m.go sign: arithmetic: "+" + "" => ("+" - "")`, Outcome: noProgram},
	} {
		t.Run(want.Fault, func(t *testing.T) {
			i := slices.IndexFunc(sites, func(s site) bool { return s.key() == want.Fault })
			if i < 0 {
				t.Fatal("no such site")
			}
			got, err := p.find(t.Context(), target{pkg: ".", suites: []suite{tests}}, sites[i])
			if err != nil {
				t.Fatal(err)
			}
			if got.Line = 0; got != want {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

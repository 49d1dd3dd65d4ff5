package syntax

import (
	"math/rand"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/diag"
)

// The parser accepts what docs/grammar.md generates.
func TestGrammar(t *testing.T) {
	g, text := readGrammar(t), grammarPage(t)
	for seed := range int64(500) {
		g.Rand, g.out, g.runs = rand.New(rand.NewSource(seed)), nil, false
		g.make("declaration", 0)
		source := strings.ReplaceAll(strings.Join(g.out, " "), " "+joint, "")
		errs := &diag.List{}
		Parse(diag.NewSource("grammar", source), errs)
		for _, d := range errs.All {
			t.Fatalf("seed %d: %s\n%s", seed, d, source)
		}
	}
	var reserved []string
	for w := range keywords {
		reserved = append(reserved, w)
	}
	slices.Sort(reserved)
	listed := regexp.MustCompile("(?s)cannot be names: `(.*?)`").FindStringSubmatch(text)
	if listed == nil || !slices.Equal(strings.Fields(listed[1]), reserved) {
		t.Errorf("the reserved words are %s", strings.Join(reserved, " "))
	}
}

func grammarPage(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", "grammar.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// readGrammar reads the productions of docs/grammar.md.
func readGrammar(t *testing.T) *grammar {
	t.Helper()
	blocks := regexp.MustCompile("(?s)```\n(.*?)```").FindAllStringSubmatch(grammarPage(t), -1)
	if len(blocks) != 2 {
		t.Fatalf("the grammar has %d blocks instead of 2", len(blocks))
	}
	g := &grammar{productions: map[string]string{}, ofRuns: map[string]string{}}
	read(g.productions, blocks[0][1])
	read(g.ofRuns, blocks[1][1])
	return g
}

// read finds the productions of a block.
func read(productions map[string]string, block string) {
	name := ""
	for line := range strings.Lines(block) {
		if left, right, ok := strings.Cut(line, " = "); ok && !strings.HasPrefix(line, " ") {
			name = strings.TrimSpace(left)
			productions[name] = right
		} else if name != "" {
			productions[name] += line
		}
	}
}

// joint stands before a token that follows the one before it without a blank.
const joint = "\x00"

type grammar struct {
	*rand.Rand
	productions, ofRuns map[string]string
	runs                bool // inside a liveness or temporal property
	out                 []string
}

// make appends a random text of a production.
func (g *grammar) make(name string, depth int) {
	right, ok := g.productions[name]
	if changed, other := g.ofRuns[name]; other && (g.runs || !ok) {
		right, g.runs = changed, true
	}
	if name == "far" { // it would swallow the following text
		g.out = append(g.out, "(")
		defer func() { g.out = append(g.out, ")") }()
	}
	start := len(g.out)
	g.alternatives(strings.Fields(right), depth+1)
	if named := start > 0 && slices.Contains(propertyWords, g.out[start-1]); named &&
		name == "formula" && g.out[start] == "[" { // a bracket behind the word is one of a label
		g.out = slices.Insert(g.out, start, "(")
		g.out = append(g.out, ")")
	}
	if name == "piece" {
		if g.out[start] == "." {
			g.out[start+1] = joint + g.out[start+1]
		}
		g.out[start] = joint + g.out[start]
	}
	if name == "declaration" {
		g.runs = false
	}
}

// alternatives chooses one of the alternatives of a production.
func (g *grammar) alternatives(symbols []string, depth int) {
	all := [][]string{nil}
	nesting := 0
	for _, s := range symbols {
		switch s {
		case "(", "[", "{":
			nesting++
		case ")", "]", "}":
			nesting--
		}
		if s == "|" && nesting == 0 {
			all = append(all, nil)
		} else {
			all[len(all)-1] = append(all[len(all)-1], s)
		}
	}
	choice := all[g.Intn(len(all))]
	if depth > 25 { // so that generation ends
		choice = all[0]
	}
	g.sequence(choice, depth)
}

func (g *grammar) sequence(symbols []string, depth int) {
	for i := 0; i < len(symbols); i++ {
		s := symbols[i]
		switch {
		case s == "(" || s == "[" || s == "{":
			end := i
			for nesting := 0; ; end++ {
				switch symbols[end] {
				case "(", "[", "{":
					nesting++
				case ")", "]", "}":
					nesting--
				}
				if nesting == 0 {
					break
				}
			}
			times := 1
			if s != "(" {
				times = g.Intn(map[string]int{"[": 2, "{": 3}[s])
			}
			if s != "(" && depth > 15 {
				times = 0
			}
			for range times {
				g.alternatives(symbols[i+1:end], depth)
			}
			i = end
		case strings.HasPrefix(s, `"`):
			g.out = append(g.out, strings.Trim(s, `"`))
		case s == "NAME":
			g.out = append(g.out, []string{"a", "b", "X", "c_1", "rest"}[g.Intn(5)])
		case s == "STRING":
			g.out = append(g.out, []string{`"a"`, `"at work"`, `"#"`, `""`}[g.Intn(4)])
		case s == "NUMBER":
			g.out = append(g.out, []string{"0", "1", "42"}[g.Intn(3)])
		case s == "DEPTH":
			g.out = append(g.out, []string{"1", "42", "64"}[g.Intn(3)])
		default:
			g.make(s, depth)
		}
	}
}

package erelong_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong"
	"erelong.dev/erelong/internal/front/tla"
	"erelong.dev/erelong/internal/front/tla/tlatest"
	"erelong.dev/erelong/internal/testkit"
)

// TestSaid says formulas of translations in TLA+: what is true in all states of the translation is
// true in all states of the module, where it reads nothing that has no value.
func TestSaid(t *testing.T) {
	for name, model := range map[string]func(uint64) tlatest.Model{
		"elements": tlatest.Typed, "ranges": tlatest.Ranged, "sums": tlatest.Summed,
		"keys": tlatest.Keyed, "numbers": tlatest.Indexed,
	} {
		t.Run(name, func(t *testing.T) {
			var c saidCount
			for seed := range uint64(testkit.Size(8, 150)) {
				c.compare(t, seed, model(seed))
			}
			t.Logf("%d said, of which %d are always true; why not: %v", c.said, c.held, c.why)
			if c.held < 5 { // few values of several kinds have a test in TLA+
				t.Errorf("%d said, %d held; the others: %v", c.said, c.held, c.why)
			}
		})
	}
}

// saidCount counts the formulas that are said, and the ones of them that are always true.
type saidCount struct {
	said, held int
	why        map[string]int
}

func (c *saidCount) compare(t *testing.T, seed uint64, m tlatest.Model) {
	t.Helper()
	if c.why == nil {
		c.why = map[string]int{}
	}
	files := map[string]string{"S.tla": m.Module, "T.tla": m.Inner, "S.cfg": m.Config}
	read := readFrom(files)
	text, err := tla.Text(t.Context(), "S.tla", m.Module, read)
	if err != nil {
		return
	}
	g := newSpeaker(seed, m.Module, text)
	var names, formulas []string
	for range 16 {
		formulas = append(formulas, g.formula())
	}
	for range 8 {
		if nested := g.nested(); nested != "" {
			formulas = append(formulas, nested)
		}
	}
	for i := range formulas {
		names = append(names, fmt.Sprint("f", i))
	}
	defs, err := tla.Say("S.tla", m.Module, read, names, formulas)
	if err != nil {
		t.Fatalf("%d: %v", seed, err)
	}
	module := ""
	for i, d := range defs {
		if d.Why != "" {
			c.why[d.Why]++
			continue
		}
		c.said++
		text += fmt.Sprintf("\nsafety [F%d] %s", i, formulas[i])
		module += fmt.Sprintf("\n%s == %s", d.Name, d.Text)
		files["S.cfg"] += "INVARIANT " + d.Name + "\n"
	}
	again := strings.Replace(m.Module, "\n====", module+"\n====", 1)
	want := resultsIn(t, &erelong.Loader{ReadFile: read}, "S.ere", text)
	got := resultsIn(t, &erelong.Loader{ReadFile: read}, "S.tla", again)
	for i, d := range defs {
		w := want[fmt.Sprint("F", i)]
		if d.Why != "" || w.Verdict != erelong.Holds {
			continue
		}
		c.held++
		if r := got[d.Name]; r.Verdict != erelong.Holds {
			t.Fatalf("%d: %s\nis true, but not %s\n%v %s\n%s\n%s", seed, formulas[i], d.Text,
				r.Verdict, r.Reason, again, text)
		}
	}
}

// speaker writes formulas about the symbols of a text.
type speaker struct {
	*rand.Rand
	symbols []spoken
	sets    map[string]string // sets of values of sorts, by the sorts
	types   map[string]bool   // the sorts of records and variants
	vars    map[string]string // the sorts of variables
}

// spoken is a symbol, a field or a test of a constructor, with what it is applied to.
type spoken struct {
	form string // %s stands for the arguments
	args []string
	sort string // bool for a formula
}

var (
	symbolLine   = regexp.MustCompile(`(?m)^(?:mutable|immutable) \w+ (\w+)(?:\(([^)]*)\))?(?:: (\w+))?$`)
	setLine      = regexp.MustCompile(`(?m)^mutable constant (\w+): set\[(\w+)\]$`)
	variableLine = regexp.MustCompile(`(?m)^VARIABLES.*$`)
	typeLine     = regexp.MustCompile(`(?m)^type (\w+) = (.*)$`)
	caseText     = regexp.MustCompile(`(\w+)(?:\(([^)]*)\))?`)
	simple       = regexp.MustCompile(`^\w+$`)
)

func newSpeaker(seed uint64, module, text string) *speaker {
	g := &speaker{Rand: rand.New(rand.NewPCG(seed, 31)), vars: map[string]string{},
		sets: map[string]string{}, types: map[string]bool{}}
	variables := variableLine.FindString(module)
	in := func(name string) bool {
		return regexp.MustCompile(`\b` + strings.TrimPrefix(name, "in_") + `\b`).MatchString(variables)
	}
	for _, m := range setLine.FindAllStringSubmatch(text, -1) {
		if in(m[1]) {
			g.sets[m[2]] = m[1]
		}
	}
	for _, m := range symbolLine.FindAllStringSubmatch(text, -1) {
		if strings.HasPrefix(m[0], "mutable") && !in(m[1]) ||
			m[1] == "unspecified" {
			continue
		}
		s := spoken{form: m[1], sort: m[3]}
		if m[2] != "" {
			s.args = strings.Split(m[2], ", ")
		}
		if s.sort == "" {
			s.sort = "bool"
		}
		g.symbols = append(g.symbols, s)
	}
	for _, m := range typeLine.FindAllStringSubmatch(text, -1) {
		g.types[m[1]] = true
		if strings.HasPrefix(m[2], "{") {
			continue
		}
		for _, c := range caseText.FindAllStringSubmatch(m[2], -1) {
			g.symbols = append(g.symbols, spoken{"%s is " + c[1], []string{m[1]}, "bool"})
			for _, f := range strings.Split(c[2], ", ") {
				if name, sort, ok := strings.Cut(f, ": "); ok && simple.MatchString(sort) {
					g.symbols = append(g.symbols, spoken{"%s." + name, []string{m[1]}, sort})
				}
			}
		}
	}
	return g
}

// formula is a formula about all elements, or a formula about some of them in one about all.
func (g *speaker) formula() string {
	clear(g.vars)
	return g.closed(g.part(2))
}

// nested is a formula about an argument that is read at another one, where that is known to be in
// the domain; empty where there is no such function.
func (g *speaker) nested() string {
	clear(g.vars)
	partial := func(s spoken) bool {
		return slices.ContainsFunc(g.symbols, func(in spoken) bool { return in.form == "in_"+s.form })
	}
	for range 100 {
		inner, outer := g.symbols[g.IntN(len(g.symbols))], g.symbols[g.IntN(len(g.symbols))]
		at := slices.IndexFunc(outer.args, func(sort string) bool {
			return sort == inner.sort || inner.sort == "int" && strings.Contains(sort, "..")
		})
		if at < 0 || !partial(inner) || strings.Contains(outer.form, "%s") {
			continue
		}
		key := g.applied(spoken{args: inner.args}, 1)
		value := inner.form + key
		if g.IntN(2) == 0 {
			value = "(if " + g.atom() + " then " + value + " else " + g.term(inner.sort, 0) + ")"
		}
		var args []string
		for i, a := range outer.args {
			if args = append(args, value); i != at {
				args[i] = g.term(a, 0)
			}
		}
		claim := outer.form + "(" + strings.Join(args, ", ") + ")"
		if outer.sort != "bool" {
			claim += " = " + g.term(outer.sort, 0)
		}
		return g.closed("in_" + inner.form + key + " -> " + claim)
	}
	return ""
}

// closed is a formula about all values of its variables, or some.
func (g *speaker) closed(body string) string {
	head := ""
	for _, v := range slices.Sorted(maps.Keys(g.vars)) {
		head += ", " + v + ": " + g.vars[v]
		if set := g.sets[g.vars[v]]; set != "" {
			body = v + " in " + set + " -> " + body
		}
	}
	if head == "" {
		return body
	}
	return [...]string{"forall ", "forall ", "forall ", "exists ", "!exists "}[g.IntN(5)] +
		head[2:] + ". " + body
}

func (g *speaker) part(d int) string {
	if d == 0 {
		return g.atom()
	}
	a, b := g.part(d-1), g.part(d-1)
	return "(" + [...]string{a + " -> " + b, a + " | " + b, a + " & " + b, "!" + a, a + " <-> " + b,
		a + " -> " + b}[g.IntN(6)] + ")"
}

func (g *speaker) atom() string {
	s := g.symbols[g.IntN(len(g.symbols))]
	x := g.applied(s, 1)
	switch {
	case s.sort == "bool":
		return "(" + x + ")"
	case s.sort == "int" && g.IntN(2) == 0:
		return "(" + x + [...]string{" = 0", " <= 1", " >= 0"}[g.IntN(3)] + ")"
	}
	return "(" + x + " = " + g.term(s.sort, 1) + ")"
}

func (g *speaker) applied(s spoken, d int) string {
	var args []string
	for _, a := range s.args {
		args = append(args, g.term(a, d-1))
	}
	switch {
	case strings.Contains(s.form, "%s"):
		return fmt.Sprintf(s.form, args[0])
	case len(args) > 0:
		return s.form + "(" + strings.Join(args, ", ") + ")"
	}
	return s.form
}

// term is a value of a sort.
func (g *speaker) term(sort string, d int) string {
	if known := g.types[sort] && g.sets[sort] == ""; known || d > 0 && g.IntN(3) > 0 {
		for range 20 {
			if s := g.symbols[g.IntN(len(g.symbols))]; s.sort == sort {
				return g.applied(s, d)
			}
		}
	}
	if sort == "int" { // all integers are not explored
		return fmt.Sprint(g.IntN(2))
	}
	if lo, _, ok := strings.Cut(sort, ".."); ok && g.IntN(3) == 0 { // some elements of a range
		sort = lo + ".." + lo
	}
	v := fmt.Sprintf("V%d", g.IntN(2))
	for _, r := range sort {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			v += string(r)
		}
	}
	g.vars[v] = sort
	return v
}

package derive_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/derive/oracletest"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

var (
	oracleSeed  = flag.Int("oracle.seed", 1, "seed of the first generated algorithm")
	oracleCount = flag.Int("oracle.count", 0, "how many algorithms are generated; 0 for the usual number")
	oracleShape = flag.String("oracle.shape", "", "only this shape")
)

// shapes are the kinds of generated cases, in turn.
var shapes = []struct {
	name string
	oracletest.Shape
}{
	{"plain", oracletest.Shape{}},
	{"gst", oracletest.Shape{Gst: true}},
	{"names", oracletest.Shape{Names: true, Gst: true}},
	{"untimed", oracletest.Shape{Untimed: true}},
	{"three", oracletest.Shape{Three: true}},
	{"starts", oracletest.Shape{Starts: true}},
}

// encodings are the ways to derive a system with one sender and one receiver.
var encodings = []derive.Options{
	{}, {KeepOld: true}, {BigSteps: true}, {Counter: true}, {KeepOld: true, BigSteps: true},
	{Counter: true, BigSteps: true},
	{Counter: true, KeepOld: true}, {Counter: true, KeepOld: true, BigSteps: true},
}

// carriers are properties that cause systems to be derived: of states and of runs, in which both
// processes, one, or possibly none are correct. Each names the process that has to be correct.
var carriers = []struct {
	text    string
	correct []int
}{
	{"safety [both] P != Q & correct(P) & correct(Q) -> %s", []int{0, 1}},
	{"safety [owner] P != Q & correct(P) -> %s", []int{0}},
	{"safety [peer] correct(Q) -> %s", []int{1}},
	{"temporal [finally_both] eventually always (P != Q & correct(P) & correct(Q) -> %s)",
		[]int{0, 1}},
	{"temporal [finally_owner] eventually always (correct(P) & crashed(Q) -> %s)", []int{0}},
	{"temporal [run] eventually (%s | crashed(P))", nil},
}

// Limits of the states of a system.
const (
	usualStates   = 1500
	untimedStates = 4000
)

// TestOracle compares every derived system with the oracle, on generated algorithms.
func TestOracle(t *testing.T) {
	o := &comparison{T: t, tally: map[string]int{}, most: usualStates}
	count := int(testkit.Size(15, 60))
	if testkit.Long() {
		count = 10_000
	}
	if *oracleCount > 0 {
		count = *oracleCount
	}
	for seed := *oracleSeed; seed < *oracleSeed+count; seed++ {
		shape := shapes[seed%len(shapes)]
		for _, s := range shapes {
			if s.name == *oracleShape {
				shape = s
			}
		}
		o.shape, o.seed = shape.name, seed
		if most := o.most; shape.Untimed {
			// Buffers without ages matter with two processes, whose systems are larger.
			o.most = max(most, untimedStates)
			o.compare(shape.Shape)
			o.most = most
			continue
		}
		o.compare(shape.Shape)
	}
	var keys []string
	for k := range o.tally {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		t.Logf("%6d %s", o.tally[k], k)
	}
}

// comparison compares derived systems with the oracle.
type comparison struct {
	*testing.T
	most  int // states of a system; the oracle, with several processes, may have twice as many
	tally map[string]int
	shape string
	seed  int
	text  string
}

func (o *comparison) count(what string) { o.tally[o.shape+" "+what]++ }

func (o *comparison) differs(format string, args ...any) {
	o.Helper()
	o.count("DIFFERS")
	o.Errorf("%s %d: %s\n%s", o.shape, o.seed, fmt.Sprintf(format, args...), o.text)
}

// compare generates an algorithm, and compares all systems that are derived from it with the
// oracle.
func (o *comparison) compare(s oracletest.Shape) {
	r := rand.New(rand.NewSource(int64(o.seed)))
	s.Properties = 4
	c := oracletest.Generate(r, s)
	p := oracletest.Parameters{Delta: r.Intn(3), Phi: 1 + r.Intn(2), Gst: r.Intn(5),
		Copies: 1 + r.Intn(2)}
	if r.Intn(4) == 0 {
		p.Phi = 3
	}
	graphs := map[int]*oracletest.Graph{} // by the number of processes, unless too large
	for n := 1; n <= 4 && c.Sender == 0; n++ {
		p.N = n
		g, err := oracletest.NewModel(c.Algorithm, p).Explore(2 * o.most)
		if errors.Is(err, oracletest.ErrTooLarge) {
			break
		}
		graphs[n] = g
	}
	if g := graphs[2]; g != nil {
		c.Properties = append(c.Properties, g.Sharp(r, 10)...)
	}
	instances := c.Instance("i", p, 0)
	if c.Sender != 0 {
		p.Starts = []int{c.Start, c.Sender - 1}
	}
	p.N, p.Pair = 2, true
	pair, err := oracletest.NewModel(c.Algorithm, p).Explore(2 * o.most)
	if err != nil {
		o.count("too large")
		return
	}
	o.count("algorithms")
	p.Pair = false
	for n := range graphs {
		instances += c.Instance(fmt.Sprintf("n%d", n), p, n)
	}
	o.cutoff(pair, graphs, c)
	o.runs(pair, graphs, c, instances, encodings[r.Intn(len(encodings))])
	if c.Sender == 0 { // with a sender's own start, properties of all processes are refused
		o.verdicts(graphs, c, instances)
		o.reductions(pair, c, instances, oracletest.Reductions(r, c))
	}
}

// cutoff compares the observations of two among several processes with the observations of two
// processes alone. It compares the observation of one process on its peer, too.
func (o *comparison) cutoff(
	pair *oracletest.Graph, graphs map[int]*oracletest.Graph, c *oracletest.Case,
) {
	if graphs[2] == nil {
		return
	}
	o.text = c.Text()
	d, err := oracletest.Difference(graphs[2].Pair(0, 1, false), pair.Pair(0, 1, false), 2*o.most)
	if err == nil {
		o.count("one of the pair")
	}
	// With a number of copies, a process that cannot send to one peer sends to none.
	if d != "" && !c.HasCopies {
		o.differs("two processes, and one of them: %s", d)
	}
	want := graphs[2].Pair(0, 1, true)
	for n, g := range graphs {
		if n <= 2 {
			continue
		}
		d, err := oracletest.Difference(want, g.Pair(0, n-1, true), 2*o.most)
		if err != nil {
			o.count("cutoff: too large")
			continue
		}
		o.count(fmt.Sprintf("cutoff: %d processes", n))
		if d != "" {
			o.differs("two processes and %d: %s", n, d)
		}
	}
}

// runs compares the observations on the runs of derived systems, which decide all of their
// properties.
func (o *comparison) runs(
	pair *oracletest.Graph, graphs map[int]*oracletest.Graph, c *oracletest.Case, instances string,
	e derive.Options,
) {
	about := "true"
	for _, v := range c.Variables {
		if v.Bool {
			about = v.Name + "(P, Q)"
		} else {
			about = fmt.Sprintf("%s(P, Q) = %d", v.Name, v.Lo)
		}
	}
	o.text = c.Algorithm.Text()
	for _, x := range carriers {
		o.text += fmt.Sprintf(x.text+"\n", about)
	}
	o.text += instances
	systems := o.derive(c, e)
	if c.Sender == 0 {
		systems = append(systems, o.derive(c, derive.Options{Unreduced: true})...)
	}
	for _, d := range systems {
		if d.Name != derive.Processes {
			o.oneWay(pair, c, d)
			continue
		}
		if c.Sender != 0 {
			o.count(d.Name + ": no sender")
			continue
		}
		for n, g := range graphs {
			inst := d.Spec.System.Instance("i")
			if (inst != nil) != (n == 2) || n > 3 {
				continue // with two processes it is the same system
			}
			if inst == nil {
				inst = d.Spec.System.Instance(fmt.Sprintf("n%d", n))
			}
			got, err := observe(o.Context(), o.most, d.Spec.System, inst, c, true)
			if !o.usable(d, err) {
				continue
			}
			o.sameRuns(d, fmt.Sprintf(" of %d", n), g.Pair(0, n-1, true), got)
		}
	}
}

// derive reads the text. A text with an error has no system. If nothing is received again and
// again, ages have no bound, and the encodings with exact ages are refused.
func (o *comparison) derive(c *oracletest.Case, e derive.Options) []*derive.Derived {
	ds, _, err := derive.Read(context.Background(), "generated.ere", o.text, e)
	switch {
	case err != nil && e.KeepOld && !c.Recurs(oracletest.Receive):
		o.count("refused with all ages")
	case err != nil && strings.Contains(err.Error(), "E0202"):
		o.count("a variable only in P != Q, so that its sort is not known")
	case err != nil:
		o.differs("%v", err)
	}
	return ds
}

func (o *comparison) usable(d *derive.Derived, err error) bool {
	switch {
	case errors.Is(err, errLarge):
		o.count(d.Name + ": too large")
	case err != nil:
		o.differs("%s: %v", d.Name, err)
	}
	return err == nil
}

func (o *comparison) sameRuns(d *derive.Derived, more string, want, got *oracletest.Observed) {
	diff, err := oracletest.Difference(want, got, 2*o.most)
	if err != nil {
		o.count(d.Name + more + ": runs: too many sets")
		return
	}
	o.count(d.Name + more + ": same runs")
	if diff != "" {
		o.differs("%s%s: the first is the oracle; seen by %s", d.Name, more, diff)
	}
}

// oneWay compares a system with one sender and one receiver. If it has no crash of a process, its
// properties are not about runs with one. A round that is one step hides the states within it, so
// then only recurring observations are compared.
func (o *comparison) oneWay(g *oracletest.Graph, c *oracletest.Case, d *derive.Derived) {
	sys := d.Spec.System
	var correct []int
	for i, who := range []string{"receiver_crashed", "sender_crashed"} {
		if !has(sys, who) {
			correct = append(correct, i)
		}
	}
	for _, name := range d.Properties {
		for _, x := range carriers {
			if strings.Contains(x.text, "["+name+"]") && !subset(correct, x.correct) {
				o.differs("%s decides %s, and there are crashes in it that it does not have",
					d.Name, name)
			}
		}
	}
	got, err := observe(o.Context(), o.most, sys, sys.Instance("i"), c, false)
	if !o.usable(d, err) {
		return
	}
	want := g.Pair(0, 1, false, correct...)
	if !strings.HasSuffix(d.Name, "_in_rounds") || len(correct) == 2 {
		o.sameRuns(d, "", want, got)
		return
	}
	for _, name := range d.Properties {
		if !strings.HasPrefix(name, "finally") {
			o.differs("%s decides %s", d.Name, name)
		}
	}
	o.count(d.Name + ": the same recurs")
	if a, b := want.Recurring(), got.Recurring(); !slices.Equal(a, b) {
		o.differs("%s: what recurs is %v, not %v", d.Name, b, a)
	}
}

func has(sys *system.System, symbol string) bool {
	return slices.ContainsFunc(sys.Symbols, func(s *logic.Symbol) bool { return s.Name == symbol })
}

func subset(a, b []int) bool {
	return !slices.ContainsFunc(a, func(x int) bool { return !slices.Contains(b, x) })
}

// verdicts compares the verdicts on generated properties of the systems that are derived for them.
func (o *comparison) verdicts(
	graphs map[int]*oracletest.Graph, c *oracletest.Case, instances string,
) {
	o.text = c.Text() + instances
	for _, e := range []derive.Options{{}, {Unreduced: true}} {
		for _, d := range o.derive(c, e) {
			reduced := d.Spec.System.Instance("i") != nil
			for n, g := range graphs {
				inst := d.Spec.System.Instance(fmt.Sprintf("n%d", n))
				if reduced {
					inst = d.Spec.System.Instance("i")
				}
				if reduced && n != 2 || e.Unreduced && n == 2 || n > 3 {
					continue
				}
				got, err := decide(o.Context(), o.most, d.Spec.System, inst, d.Properties)
				if !o.usable(d, err) {
					continue
				}
				for _, q := range c.Properties {
					if !slices.Contains(d.Properties, q.Name) {
						continue
					}
					if reduced && q.Processes() > 2 {
						o.differs("%s is reduced: %s", q.Name, q.Text())
					}
					want := g.Holds(q)
					kind := "usual"
					if strings.HasPrefix(q.Name, "sharp") {
						kind = "sharp"
					}
					o.count(fmt.Sprintf("%s, %s of %d: %v", kind, d.Name, n, want))
					if got[q.Name] != want {
						o.count(kind + " verdict is wrong")
						o.differs("%s n=%d: %s holds is %v", d.Name, n, q.Text(), got[q.Name])
					}
				}
			}
		}
	}
}

// reductions compares the consequences of properties of states with the oracle's verdict on the
// property of runs.
func (o *comparison) reductions(
	g *oracletest.Graph, c *oracletest.Case, instances string, reductions []oracletest.Reduction,
) {
	for _, x := range reductions {
		o.text = c.Algorithm.Text() + x.Text() + instances
		ds, _, err := derive.Read(context.Background(), "generated.ere", o.text, derive.Options{})
		if err != nil {
			o.count("reduction: refused")
			continue
		}
		for _, d := range ds {
			parts := d.Sufficient[x.Name]
			if len(parts) == 0 {
				o.differs("%s has no parts in %s", x.Name, d.Name)
				continue
			}
			got, err := decide(o.Context(), o.most, d.Spec.System, d.Spec.System.Instance("i"),
				parts)
			if !o.usable(d, err) {
				continue
			}
			follows := !slices.ContainsFunc(parts, func(p string) bool { return !got[p] })
			truth := g.HoldsOf(x.Formula, []int{0, 1})
			o.count(fmt.Sprintf("reduction (by: %v): follows %v, holds %v", x.By != "", follows,
				truth))
			if follows && !truth {
				o.differs("%s follows from %v, and does not hold", x.Name, parts)
			}
		}
	}
}

package diagram

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/result"
)

// told is a run of four rounds: a message arrives two rounds later, one is lost, one is in transit
// at the end, and a process crashes.
func told() *result.Trace {
	m := func(name string, age int) result.Message {
		return result.Message{Name: name, From: "p0", To: "p1", Age: age}
	}
	return &result.Trace{
		Loop:  -1,
		Steps: make([]result.Step, 5),
		Story: &result.Story{Variables: []string{"v"}, Processes: []string{"p0", "p1"},
			Segments: []result.StorySegment{
				{Round: 1, From: 0, To: 1, Sent: []result.Message{m("a", 0)},
					Open:   []result.Message{m("a", 0)},
					Events: []result.StoryEvent{{Text: "p0 sends a", Message: true}}},
				{Round: 2, From: 1, To: 2, Sent: []result.Message{m("b", 0)},
					Open: []result.Message{m("a", 1), m("b", 0)}, Events: []result.StoryEvent{{Text: "p1 waits"}}},
				{Round: 3, From: 2, To: 3, Received: []result.Message{m("a", 2)},
					Crashes: []string{"p1"}},
				{Round: 4, From: 3, To: 4, Sent: []result.Message{m("c", 0)},
					Open: []result.Message{m("c", 0)}},
			}},
	}
}

// TestStoryOfOneState: a run of an algorithm that ends in its initial state has nothing to draw.
func TestStoryOfOneState(t *testing.T) {
	trace := &result.Trace{Loop: -1, Steps: []result.Step{{}},
		Story: &result.Story{Processes: []string{"p0", "p1"}}}
	if c := ChartOf(trace, ""); c != nil {
		t.Errorf("%+v", c)
	}
}

func TestStoryChart(t *testing.T) {
	c := ChartOf(told(), "")
	want := []Arrow{
		{Name: "a", From: 0, To: 1, Sent: 1, Received: 3, Fate: Arrived},
		{Name: "b", From: 0, To: 1, Sent: 2, Received: 3, Fate: Lost},
		{Name: "c", From: 0, To: 1, Sent: 4, Received: 4, Fate: Transit},
	}
	if !slices.Equal(c.Arrows, want) {
		t.Errorf("the messages are %+v", c.Arrows)
	}
	if len(c.Rows) != 5 || c.Rows[2].Text != "p1 waits" ||
		!slices.Equal(c.Rows[3].Falls, []int{1}) || !slices.Equal(c.Rows[3].Dots, []int{1}) {
		t.Errorf("the rows are %+v", c.Rows)
	}
	text := c.SVG(Options{Title: "x", Link: func(n int) string {
		return fmt.Sprintf("#state-%d", n)
	}, At: 2})
	for _, want := range []string{`class="message lost"`, `class="message in-transit"`, `href="#state-3"`, "a: p0 to p1, arrived", `class="row here"`, `class="crash"`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in %s", want, text)
		}
	}
}

// The values of clocks stand beside the lanes, and can be hidden.
func TestClockValues(t *testing.T) {
	step := func(time, clock string, processes ...string) result.Step {
		return result.Step{Sync: &result.Sync{Time: time, Processes: processes},
			State: []result.Binding{
				{Name: "P", Value: result.Atom("location", "a")},
				{Name: "n", Value: result.Int("7")},
				{Name: "x", Value: result.Atom("time", clock)}, {Name: "y", Value: result.Atom("time", "0")},
			}}
	}
	trace := &result.Trace{Loop: -1,
		Steps: []result.Step{step("0", "0"), step("1/2", "1/2", "P"), step("3", "3", "P")}}
	c := ChartOf(trace, "")
	if !slices.Equal(c.Values, []string{"x", "y"}) ||
		!slices.Equal(c.Rows[1].Value, []string{"1/2", "0"}) {
		t.Errorf("the values are %v, and %v", c.Values, c.Rows[1].Value)
	}
	if svg := c.SVG(Options{Title: "x"}); strings.Count(svg, `class="value changed"`) != 2 ||
		wellFormed(t, svg)["line"] == 0 {
		t.Errorf("the drawing is %s", svg)
	}
	if c := c.Hide([]string{"x"}); !slices.Equal(c.Values, []string{"y"}) ||
		!slices.Equal(c.Rows[1].Value, []string{"0"}) {
		t.Errorf("without x the values are %v, and %v", c.Values, c.Rows[1].Value)
	}
}

// A message whose age has only a lower bound is the oldest that fits, and one without an age is the
// oldest.
func TestMatch(t *testing.T) {
	open := []sending{{message: result.Message{Name: "a"}, round: 1},
		{message: result.Message{Name: "a"}, round: 3},
		{message: result.Message{Name: "b"}, round: 2}}
	for _, c := range []struct {
		m    result.Message
		want int
	}{
		{result.Message{Name: "a", Age: 2}, 1}, {result.Message{Name: "a", Age: 3}, -1},
		{result.Message{Name: "a", Age: 2, Older: true}, 0},
		{result.Message{Name: "a", Age: -1}, 0}, {result.Message{Name: "b", Age: 3}, 2},
		{result.Message{Name: "c", Age: -1}, -1},
	} {
		if got := match(open, c.m, 5); got != c.want {
			t.Errorf("%+v is %d and not %d", c.m, got, c.want)
		}
	}
}

// Lanes are the elements of the sort that most steps name, or of the chosen one.
func TestElementChart(t *testing.T) {
	at := func(sort, name string) result.Binding {
		return result.Binding{Name: "x", Value: result.Atom(sort, name)}
	}
	trace := &result.Trace{
		Loop: 1,
		Universe: []result.Universe{{Sort: "value", Elements: []string{"v0"}},
			{Sort: "node", Elements: []string{"n0", "n1"}},
			{Sort: "unused", Elements: []string{"u"}}},
		Steps: []result.Step{{},
			{Action: "a", Args: []result.Binding{at("node", "n1"), at("value", "v0")}},
			{Action: "b", Args: []result.Binding{at("node", "n1"), at("node", "n0")}}},
	}
	c := ChartOf(trace, "")
	if !slices.Equal(c.Lanes, []string{"n0", "n1"}) ||
		!slices.Equal(c.By, []string{"value", "node"}) ||
		!slices.Equal(c.Rows[2].Dots, []int{1, 0}) || !c.Rows[2].Loop || c.Rows[1].Loop {
		t.Errorf("the chart is %+v", c)
	}
	if c := ChartOf(trace, "value"); !slices.Equal(c.Lanes, []string{"v0"}) ||
		len(c.Rows[2].Dots) != 0 {
		t.Errorf("by values, the chart is %+v", c)
	}
	if c := ChartOf(&result.Trace{Steps: []result.Step{{}, {Action: "tick"}}}, ""); c != nil {
		t.Errorf("a run without elements has the chart %+v", c)
	}
}

// wellFormed decodes a drawing, and gives its elements by name.
func wellFormed(t *testing.T, svg string) map[string]int {
	t.Helper()
	count := map[string]int{}
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return count
		}
		if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
		if start, ok := token.(xml.StartElement); ok {
			count[start.Name.Local]++
			for _, a := range start.Attr {
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") ||
					strings.HasPrefix(a.Name.Local, "on") {
					t.Fatalf("%s = %q in %s", a.Name.Local, a.Value, svg)
				}
			}
		}
	}
}

const evil = "\"><script>alert(1)</script>&\x00\u202e'"

// Names of a file cannot become elements of a drawing.
func TestDrawingsEscape(t *testing.T) {
	trace := told()
	trace.Story.Processes = []string{evil, "p1"}
	for i := range trace.Story.Segments {
		p := &trace.Story.Segments[i]
		p.Events = append(p.Events, result.StoryEvent{Text: evil})
		for _, list := range [][]result.Message{p.Sent, p.Received, p.Open} {
			for j := range list {
				list[j].From, list[j].Name = evil, evil
			}
		}
	}
	chart := ChartOf(trace, "").SVG(Options{Title: evil, Link: func(int) string { return evil }})
	g := &Graph{Nodes: []Node{{Label: evil, Title: evil, Link: evil, Initial: true}},
		Edges: []Edge{{0, 0, evil}}}
	for _, svg := range []string{chart, g.SVG(Options{Title: evil})} {
		if n := wellFormed(t, svg); n["script"] > 0 || strings.ContainsAny(svg, "\x00\u202e") {
			t.Errorf("the names are not escaped: %s", svg)
		}
	}
}

// In generated graphs every node and edge is drawn, no two nodes overlap, and layers are distances.
func TestGraphs(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	for range 200 {
		g := &Graph{}
		n := 1 + r.IntN(40)
		for i := range n {
			g.Nodes = append(g.Nodes,
				Node{Label: strings.Repeat("x", r.IntN(30)), Initial: i == 0 || r.IntN(10) == 0,
					Link: "#"})
		}
		for range r.IntN(80) {
			g.Edges = append(g.Edges, Edge{r.IntN(n), r.IntN(n), "step"})
		}
		svg := g.SVG(Options{Title: "graph"})
		count := wellFormed(t, svg)
		if count["rect"] != n || count["a"] != n ||
			strings.Count(svg, `class="edge"`) != len(g.Edges) {
			t.Fatalf("%d nodes and %d edges give %v", n, len(g.Edges), count)
		}
		depth := g.depths()
		for _, e := range g.Edges {
			if reachable := depth[e.From] > 0 ||
				g.Nodes[e.From].Initial; reachable && depth[e.To] > depth[e.From]+1 {
				t.Fatalf("an edge leads from layer %d to %d", depth[e.From], depth[e.To])
			}
		}
		var boxes [][3]float64
		for _, part := range strings.Split(svg, "<rect ")[1:] {
			var x, y, w float64
			if _, err := fmt.Sscanf(part, `x="%f" y="%f" width="%f"`, &x, &y, &w); err != nil {
				t.Fatal(err)
			}
			for _, b := range boxes {
				if b[1] == y && x < b[0]+b[2] && b[0] < x+w {
					t.Fatalf("nodes overlap in %s", svg)
				}
			}
			boxes = append(boxes, [3]float64{x, y, w})
		}
	}
}

func TestJoinEdges(t *testing.T) {
	got := JoinEdges([]Edge{{0, 1, "a"}, {1, 0, "b"}, {0, 1, "c"}, {0, 1, "a"}})
	if want := []Edge{{0, 1, "a, c"}, {1, 0, "b"}}; !slices.Equal(got, want) {
		t.Errorf("the edges are %v", got)
	}
}

// The picture of a step has the elements, what is true of them, and what changed.
func TestStepSVG(t *testing.T) {
	atom := func(name string) result.Value { return result.Atom("node", name) }
	set := func(keys ...[]result.Value) result.Value {
		v := result.Value{Kind: result.SetValue}
		for _, k := range keys {
			v.Rows = append(v.Rows, result.Row{Key: k})
		}
		return v
	}
	trace := &result.Trace{
		Universe: []result.Universe{{Sort: "node", Elements: []string{"n0", "n1"}}},
		Steps: []result.Step{
			{State: []result.Binding{{Name: "leader", Value: set([]result.Value{atom("n0")})},
				{Name: "next", Value: set([]result.Value{atom("n0"), atom("n1")})},
				{Name: "k", Value: result.Int("1")}}},
			{Action: "go",
				State: []result.Binding{{Name: "leader",
					Value: set([]result.Value{atom("n0")}, []result.Value{atom("n1")})},
					{Name: "next", Value: set([]result.Value{atom("n1"), atom("n1")})},
					{Name: "k", Value: result.Int("2")}}},
		},
	}
	svg := StepSVG(trace, 1, Options{Title: evil})
	count := wellFormed(t, svg)
	for _, want := range []string{"state 1: go", ">+ leader<", ">leader<", `class="pair removed"`, `class="pair added"`, ">− next<", ">+ k = 2<", ">− k = 1<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("%s is missing in %s", want, svg)
		}
	}
	if count["rect"] != 4 || count["script"] != 0 {
		t.Errorf("the picture has %v", count)
	}
	if svg := StepSVG(trace, 0, Options{}); wellFormed(t, svg)["rect"] != 2 {
		t.Errorf("the first state is %s", svg)
	}
	trace.Universe[0].Elements = make([]string, MostElements+1)
	if StepSVG(trace, 1, Options{}) != "" ||
		StepSVG(&result.Trace{Steps: trace.Steps}, 1, Options{}) != "" {
		t.Error("too many elements, or none, are drawn")
	}
}

package diagram

import (
	"html"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// A message that takes no time is an arrow, a late one is told where it is sent and drawn where it
// arrives, and what is lost or in transit is named.
func TestSequences(t *testing.T) {
	c := ChartOf(told(), "")
	for name, want := range map[string][2]string{
		"mermaid": {c.Mermaid(), `sequenceDiagram
participant p0 as p0
participant p1 as p1
Note over p0,p1: start
Note over p0,p1: round 1
Note over p0,p0: sends a to p1
Note over p0,p1: round 2: p1 waits
p0-xp1: b, lost
Note over p0,p1: round 3
Note over p1,p1: crashes
p0-->>p1: a, sent in round 1
Note over p0,p1: round 4
p0-)p1: c, in transit
`},
		"plantuml": {c.PlantUML(), `@startuml
participant "p0" as p0
participant "p1" as p1
note over p0, p1 : start
note over p0, p1 : round 1
note over p0, p0 : sends a to p1
note over p0, p1 : round 2: p1 waits
p0 ->x p1 : b, lost
note over p0, p1 : round 3
note over p1, p1 : crashes
p0 --> p1 : a, sent in round 1
note over p0, p1 : round 4
p0 ->o p1 : c, in transit
@enduml
`},
	} {
		if want[0] != want[1] {
			t.Errorf("%s:\n%s", name, want[0])
		}
	}
}

// odd has names that would mean something in the languages of diagrams.
func odd() *Chart {
	names := []string{`a;b#c`, `end`, `**x** __y__ //z//`, `"q" <b>&lt;</b>`, `\n%%{init}%%`, "@enduml"}
	c := &Chart{Lanes: names,
		Rows: []Row{{Label: "0"}, {Label: "1", Text: "f(end); # g", Loop: true}}}
	for i := range names[1:] {
		c.Arrows = append(c.Arrows, Arrow{Name: names[i], From: i, To: i + 1, Sent: 1, Received: 1,
			Fate: Arrived})
	}
	return c
}

// PlantUML itself reads what is written, and shows every text as it is. (Mermaid is asked in the
// tests in the browser.)
func TestPlantUML(t *testing.T) {
	program, err := exec.LookPath("plantuml")
	if err != nil {
		t.Skip("there is no plantuml")
	}
	for name, c := range map[string]*Chart{"told": ChartOf(told(), ""), "odd": odd()} {
		cmd := exec.CommandContext(t.Context(), program, "-Djava.awt.headless=true", "-pipe", "-tsvg")
		cmd.Stdin = strings.NewReader(c.PlantUML())
		drawn, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s\n%s", name, err, drawn, c.PlantUML())
			continue
		}
		shown := html.UnescapeString(
			regexp.MustCompile(`(?s)<!--.*?-->|<[^>]*>`).ReplaceAllString(string(drawn), "\n"))
		for _, lane := range c.Lanes {
			if !strings.Contains(shown, "\n"+lane+"\n") {
				t.Errorf("%s: the drawing does not show %s: %s", name, lane, shown)
			}
		}
	}
}

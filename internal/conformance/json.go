package conformance

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"io"

	"erelong.dev/erelong/internal/report"
)

//go:embed schema/trace-1.schema.json
var schema []byte

// Schema is the JSON schema of what WriteJSON writes.
func Schema() []byte { return bytes.Clone(schema) }

type jsonResult struct {
	Schema   string            `json:"schema"`
	Spec     string            `json:"spec"`
	Log      string            `json:"log"`
	Instance string            `json:"instance"`
	Answer   Answer            `json:"answer"`
	Reason   string            `json:"reason,omitempty"`
	Order    string            `json:"order"`
	Events   int               `json:"events"`
	Ignored  int               `json:"ignored"`
	Prefix   int               `json:"prefix"`
	Silent   *int              `json:"silentAtMost,omitempty"`
	Sequence int64             `json:"sequencesAtMost,omitempty"`
	Steps    int               `json:"steps"`
	States   int               `json:"states"`
	Stuck    [][]jsonCandidate `json:"stuck,omitempty"`
	Nodes    []jsonStuckNode   `json:"stuckNodes,omitempty"`
	Coverage *jsonCoverage     `json:"coverage,omitempty"`
	Mutants  *jsonMutants      `json:"changedLogs,omitempty"`
	Notes    []string          `json:"notes,omitempty"`
}

type jsonStuckNode struct {
	Node   string        `json:"node"`
	Before int           `json:"before"`
	Way    jsonCandidate `json:"way"`
}

type jsonCandidate struct {
	File    string      `json:"file,omitempty"`
	Line    int         `json:"line"`
	Event   string      `json:"event"`
	Steps   string      `json:"steps"`
	Blocks  []jsonBlock `json:"falseRequirements,omitempty"`
	Differs []jsonDiff  `json:"differences,omitempty"`
	Why     string      `json:"why,omitempty"`
}

type jsonBlock struct {
	Line        int      `json:"line,omitempty"`
	Explanation []string `json:"explanation"`
}

type jsonDiff struct {
	Observation string `json:"observation"`
	Model       string `json:"model,omitempty"`
	Log         string `json:"log,omitempty"`
}

type jsonCoverage struct {
	Actions              map[string]int `json:"actions"`
	SilentSteps          int            `json:"silentSteps"`
	Observations         int            `json:"observations"`
	Declared             map[string]int `json:"declaredObservations,omitempty"`
	DecisiveObservations int            `json:"decisiveObservations"`
	DecisiveRequirements int            `json:"decisiveRequirements"`
}

type jsonMutants struct {
	Tried     int          `json:"tried"`
	Rejected  int          `json:"rejected"`
	Same      int          `json:"sameState"`
	Within    int          `json:"amongFirst"`
	Of        int          `json:"ofFirst,omitempty"`
	Undecided int          `json:"undecided,omitempty"`
	Accepted  []jsonMutant `json:"accepted,omitempty"`
}

type jsonMutant struct {
	File string `json:"file,omitempty"`
	Line int    `json:"line"`
	What string `json:"what"`
}

// WriteJSON writes a result as one JSON object.
func WriteJSON(w io.Writer, r *Result, c Context) error {
	out := jsonResult{
		Schema: "erelong/trace/1", Spec: c.Spec, Log: c.Log, Instance: c.Instance, Answer: r.Answer,
		Reason: r.Reason,
		Order:  string(r.Order), Events: r.Events, Ignored: r.Ignored, Prefix: r.Prefix,
		Sequence: r.SequenceMost,
		Steps:    r.Steps, States: r.States, Notes: r.Notes,
	}
	if r.SilentMost >= 0 {
		out.Silent = &r.SilentMost
	}
	for _, s := range r.DeadEnds {
		ways := []jsonCandidate{}
		for _, x := range s.Candidates {
			ways = append(ways, jsonCandidateOf(x))
		}
		out.Stuck = append(out.Stuck, ways)
	}
	for _, s := range r.Stuck {
		out.Nodes = append(out.Nodes, jsonStuckNode{s.Node, s.Before, jsonCandidateOf(s.Candidate)})
	}
	if r.Answer == Accepted {
		out.Coverage = &jsonCoverage{
			Actions: map[string]int{}, SilentSteps: r.Coverage.Silent,
			Observations:         r.Coverage.Made,
			DecisiveObservations: r.Coverage.DecisiveObservations,
			DecisiveRequirements: r.Coverage.DecisiveRequirements,
		}
		for _, t := range r.Coverage.Taken {
			out.Coverage.Actions[t.Name] = t.N
		}
		for _, o := range r.Coverage.Observations {
			if out.Coverage.Declared == nil {
				out.Coverage.Declared = map[string]int{}
			}
			out.Coverage.Declared[o.Name] = o.N
		}
	}
	if m := r.Mutants; m != nil {
		out.Mutants = &jsonMutants{Tried: m.Tried, Rejected: m.Rejected, Same: m.Same,
			Within: m.Within, Of: m.Of, Undecided: m.Undecided}
		for _, k := range m.Kept {
			out.Mutants.Accepted = append(out.Mutants.Accepted,
				jsonMutant{k.Event.File, k.Event.Line, k.What})
		}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(out)
}

func jsonCandidateOf(x Candidate) jsonCandidate {
	way := jsonCandidate{Line: x.Event.Line, File: x.Event.File, Event: x.Event.Name,
		Steps: x.Call, Why: x.Why}
	for _, d := range x.Differs {
		way.Differs = append(way.Differs, jsonDiff{d.What, d.Expected, d.Seen})
	}
	for _, k := range x.Blocks {
		block := jsonBlock{Line: k.Line}
		for _, l := range report.Explanation(k.Why) {
			block.Explanation = append(block.Explanation, l.Text)
		}
		way.Blocks = append(way.Blocks, block)
	}
	return way
}

package report

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/result"
)

// sarifRequired has what SARIF 2.1.0 requires of the objects that are written, and the words that
// it allows (sections 3.13 to 3.38 of the standard). ERELONG_SARIF_SCHEMA names a file with the
// whole schema, which is then checked, too.
const sarifRequired = `{
  "type": "object", "required": ["version", "runs"],
  "properties": {
    "$schema": {"type": "string"},
    "version": {"const": "2.1.0"},
    "runs": {"type": "array", "minItems": 1, "items": {
      "type": "object", "required": ["tool", "results"],
      "properties": {
        "tool": {"required": ["driver"], "properties": {"driver": {"required": ["name"], "properties": {
          "rules": {"type": "array", "items": {"required": ["id"], "properties": {"shortDescription": {"$ref": "#/$defs/message"}}}}}}}},
        "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
        "invocations": {"items": {"required": ["executionSuccessful"]}},
        "results": {"type": "array", "items": {"$ref": "#/$defs/result"}}
      }
    }}
  },
  "$defs": {
    "message": {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}},
    "location": {"type": "object", "properties": {
      "message": {"$ref": "#/$defs/message"},
      "physicalLocation": {"required": ["artifactLocation"], "properties": {
        "artifactLocation": {"required": ["uri"], "properties": {"uri": {"type": "string", "format": "uri-reference"}}},
        "region": {"required": ["startLine"], "properties": {
          "startLine": {"type": "integer", "minimum": 1}, "startColumn": {"type": "integer", "minimum": 1},
          "endColumn": {"type": "integer", "minimum": 1}}}}}}},
    "result": {
      "type": "object", "required": ["message", "ruleId", "ruleIndex", "kind", "level"],
      "properties": {
        "kind": {"enum": ["notApplicable", "pass", "fail", "review", "open", "informational"]},
        "level": {"enum": ["none", "note", "warning", "error"]},
        "message": {"$ref": "#/$defs/message"},
        "locations": {"type": "array", "items": {"$ref": "#/$defs/location"}},
        "suppressions": {"items": {"required": ["kind"], "properties": {"kind": {"enum": ["inSource", "external"]}}}},
        "partialFingerprints": {"additionalProperties": {"type": "string"}},
        "codeFlows": {"items": {"required": ["threadFlows"], "properties": {"threadFlows": {"minItems": 1, "items": {
          "required": ["locations"], "properties": {"locations": {"minItems": 1, "items": {
            "properties": {"location": {"$ref": "#/$defs/location"}, "executionOrder": {"type": "integer", "minimum": 0},
              "state": {"type": "object", "additionalProperties": {"$ref": "#/$defs/message"}}}}}}}}}}}
      },
      "if": {"properties": {"kind": {"const": "fail"}}},
      "then": {"properties": {"level": {"enum": ["note", "warning", "error"]}}},
      "else": {"properties": {"level": {"const": "none"}}}
    }
  }
}`

func sarifSchemas(t *testing.T) (out []*jsonschema.Schema) {
	t.Helper()
	texts := []string{sarifRequired}
	if path := os.Getenv("ERELONG_SARIF_SCHEMA"); path != "" {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	for _, text := range texts {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		if err := c.AddResource("sarif.json", doc); err != nil {
			t.Fatal(err)
		}
		s, err := c.Compile("sarif.json")
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

// allVerdicts is a report with each verdict, with an expectation that is met and one that is not.
func allVerdicts() *Report {
	r := &Report{Version: "v1", File: "dir name/lock.ere", Command: "verify",
		Actions: map[string]int{"acquire": 12}}
	for i, v := range result.All {
		r.Results = append(r.Results, result.Result{Property: "p" + string(rune('0'+i)),
			Kind: result.Safety, Verdict: v, Scope: "all", Line: i})
	}
	r.Expectations = []Expectation{
		{Property: "p3", Want: "violated", Got: "violated", Met: true},
		{Property: "p0", Want: "violated", Got: "holds"},
	}
	src := diag.NewSource("lock.ere", "sort node\nrelation\n")
	list := &diag.List{}
	list.Warnf(diag.UnresolvedName, diag.Span{Source: src, Start: 5, End: 9},
		"a warning").Suggest("A fix.")
	r.Warnings = list.All
	return r
}

func sarifOf(t *testing.T, r *Report) string {
	t.Helper()
	var b strings.Builder
	if err := WriteSARIF(&b, r, Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestSARIFFitsSchema(t *testing.T) {
	schemas := sarifSchemas(t)
	all := reports()
	all["verdicts"] = allVerdicts()
	src, list := diag.NewSource("lock.ere", "sort\n"), &diag.List{}
	list.Errorf(diag.Syntax, diag.Span{Source: src, Start: 4, End: 5}, "expected a name")
	all["broken"] = &Report{File: "lock.ere", Warnings: list.All}
	for name, r := range all {
		for _, s := range schemas {
			if err := validate(t, s, sarifOf(t, r)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestSARIFText(t *testing.T) {
	r := allVerdicts()
	trace := lockTrace()
	r.Results[3].Trace = trace
	var log sarifLog
	if err := json.Unmarshal([]byte(sarifOf(t, r)), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if len(run.Results) != len(result.All)+2 {
		t.Fatalf("%d results", len(run.Results))
	}
	for _, x := range run.Results {
		if run.Tool.Driver.Rules[x.RuleIndex].ID != x.RuleID {
			t.Errorf("rule %d is not %s", x.RuleIndex, x.RuleID)
		}
	}
	bad := run.Results[3]
	if bad.Level != "error" || len(bad.Suppressions) != 1 ||
		bad.Locations[0].Physical.Artifact.URI != "dir%20name/lock.ere" {
		t.Errorf("violated: %+v", bad)
	}
	steps := bad.CodeFlows[0].ThreadFlows[0].Locations
	if len(steps) != len(trace.Steps) {
		t.Fatalf("%d steps", len(steps))
	}
	for i, s := range trace.Steps {
		region := steps[i].Location.Physical.Region
		if line := r.Actions[s.Action]; line > 0 && (region == nil || region.StartLine != line) ||
			line == 0 && region != nil {
			t.Errorf("step %d (%s): %+v", i, s.Action, region)
		}
	}
	if unmet := run.Results[len(result.All)]; unmet.Level != "error" ||
		unmet.RuleID != "expectation" {
		t.Errorf("expectation: %+v", unmet)
	}
	if w := run.Results[len(result.All)+1]; w.Level != "warning" ||
		*w.Locations[0].Physical.Region != (sarifRegion{1, 6, 10}) {
		t.Errorf("warning: %+v", w)
	}
}

func TestFileURI(t *testing.T) {
	for name, want := range map[string]string{
		"lock.ere": "lock.ere", "./a/b.ere": "a/b.ere", "/tmp/a b.ere": "file:///tmp/a%20b.ere",
		`C:\x\l.ere`: "file:///C:/x/l.ere",
		"a#b%.ere":   "a%23b%25.ere",
	} {
		if got := fileURI(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

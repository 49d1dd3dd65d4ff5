package erelong_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"erelong.dev/erelong"
)

// files are specifications in every language, with the files beside them.
var files = fstest.MapFS{
	"lock.ere": {Data: []byte(lock)},
	"lock.pyv": {Data: []byte(`
sort client
mutable relation holds(client)
init !holds(C)
transition grant(c: client)
  modifies holds
  (forall C. !holds(C)) & (forall C. new(holds(C)) <-> C = c)
safety [mutex] holds(A) & holds(B) -> A = B
`)},
	"free.ivy": {Data: []byte(`#lang ivy1.7
type node
relation free(X:node)
`)},
	"lock.ivy": {Data: []byte(`#lang ivy1.7
include free
relation granted(X:node)
after init { free(X) := true; granted(X) := false }
action grant(x:node) = {
    if free(x) { free(X) := false; granted(x) := true }
}
export grant
invariant [exclusive] granted(X) & granted(Y) -> X = Y
`)},
	"up.fst": {Data: []byte(`model up {
  var x;
  states a;
  transition up := { from := a; to := a; guard := x < 3; action := x' = x + 1; };
}
strategy s {
  Region init := {state = a && x = 0};
  Transitions t := {up};
  Region reach := post*(init, t);
  boolean small := isEmpty(reach && {x > 3});
  print(reach);
}
`)},
	"timer.xta": {Data: []byte(`const int N = 5;
clock x;
process Timer() {
  state off, on { x <= N };
  init off;
  trans off -> on { assign x := 0; }, on -> off { guard x == N; };
}
timer = Timer();
system timer;
`)},
	"timer.q": {Data: []byte("A[] x <= 5 or timer.off\n")},
	"other.q": {Data: []byte("E<> timer.on and x == 7\n")},
}

// read reads a file as the command finds it on a disk.
func read(path string) ([]byte, error) { return fs.ReadFile(files, path) }

// A specification in each language is read and decided, with the files that belong to it.
func TestLanguages(t *testing.T) {
	for _, c := range []struct {
		file, language, property string
		queries                  string
		options                  erelong.Options
		verdict                  erelong.Verdict
	}{
		{"lock.ere", "erelong", "mutex", "", erelong.Options{NoProof: true}, erelong.Holds},
		{"lock.pyv", "erelong", "mutex", "",
			erelong.Options{NoProof: true, Instances: []string{"client = 2"}}, erelong.Holds},
		{"lock.ivy", "Ivy", "exclusive", "",
			erelong.Options{NoProof: true, Instances: []string{"node = 2"}}, erelong.Holds},
		{"up.fst", "FAST", "small", "", erelong.Options{NoProof: true}, erelong.Holds},
		{"timer.xta", "UPPAAL", "A[] x <= 5 or timer.off", "", erelong.Options{}, erelong.Holds},
		{"timer.xta", "UPPAAL", "A[] x <= 5 or timer.off", "",
			erelong.Options{Instances: []string{"N = 6"}}, erelong.Violated},
		{"timer.xta", "UPPAAL", "E<> timer.on and x == 7", "other.q", erelong.Options{},
			erelong.NoRun},
		{"timer.xta", "UPPAAL", "E<> timer.on and x == 7", "other.q",
			erelong.Options{Instances: []string{"N = 9"}}, erelong.Holds},
	} {
		loader := erelong.Loader{ReadFile: read, Queries: c.queries}
		spec, err := loader.Load(t.Context(), c.file)
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		if spec.Language() != c.language || !slices.Contains(spec.Properties(), c.property) {
			t.Errorf("%s is read as %s, with the properties %q", c.file, spec.Language(),
				spec.Properties())
		}
		report, err := spec.Verify(t.Context(), c.options)
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		i := slices.IndexFunc(report.Properties, func(p erelong.Outcome) bool {
			return p.Property == c.property
		})
		if i < 0 || report.Properties[i].Verdict != c.verdict {
			t.Errorf("%s: %s is not %s, but %+v", c.file, c.property, c.verdict, report.Properties)
		}
	}
}

// The verdict about a model as it stands is about all of its runs, the one about other constants
// about an instance.
func TestModelsHaveOneInstance(t *testing.T) {
	loader := erelong.Loader{ReadFile: read}
	spec, err := loader.Load(t.Context(), "timer.xta")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		instances []string
		instance  string
	}{{nil, ""}, {[]string{"N=4"}, "N=4"}} {
		report, err := spec.Verify(t.Context(), erelong.Options{Instances: c.instances})
		if err != nil {
			t.Fatal(err)
		}
		all := c.instance == ""
		if r := report.Results[0]; r.Instance != c.instance || r.ForAll != all {
			t.Errorf("%v: %+v", c.instances, r)
		}
		if err := report.ProofErr(); (err == nil) != all {
			t.Errorf("%v: %v", c.instances, err)
		}
	}
}

// Expectations of a file are compared, also the verdicts that a model of UPPAAL records.
func TestExpectations(t *testing.T) {
	const recorded = `<?xml version="1.0" encoding="utf-8"?>
<nta><declaration>clock x;</declaration>
<template><name>T</name><location id="id0"><name>off</name></location><init ref="id0"/></template>
<system>system T;</system>
<queries><query><formula>A[] T.off</formula><result outcome="failure" type="quality"/></query>
</queries></nta>`
	for _, c := range []struct {
		name, text string
		options    erelong.Options
		compared   int
		want       string // of the error, empty for none
	}{
		{"met.ere", lock + "expect [mutex] holds in three states 4 depth 2\n",
			erelong.Options{NoProof: true}, 1, ""},
		{"unmet.ere", lock + "expect [mutex] holds in three states 5\n",
			erelong.Options{NoProof: true}, 1,
			"mutex: holds states 4 instead of holds states 5 in three"},
		{"whole.ere", lock + "expect [mutex] holds\n", erelong.Options{NoProof: true}, 0,
			"no expectation was compared"},
		{"symmetry.ere", lock + "expect [mutex] holds in three states 4\n", erelong.Options{
			NoProof: true, Exploration: erelong.Exploration{Symmetry: true}}, 0,
			"no expectation was compared"},
		{"recorded.xml", recorded, erelong.Options{}, 1, "A[] T.off: holds instead of violated"},
	} {
		report := verified(c.name, c.text, c.options)
		err := report.ExpectationErr()
		var unmet *erelong.ExpectationError
		if len(report.Expectations) != c.compared || (err == nil) != (c.want == "") ||
			err != nil && (!errors.As(err, &unmet) || !contains(err, c.want)) {
			t.Errorf("%s: %v: %+v", c.name, err, report.Expectations)
		}
	}
}

// The strategies of a file of FAST are carried out, and what they print is a note.
func TestStrategies(t *testing.T) {
	loader := erelong.Loader{ReadFile: read}
	spec, err := loader.Load(t.Context(), "up.fst")
	if err != nil {
		t.Fatal(err)
	}
	report, err := spec.Verify(t.Context(), erelong.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(report.Notes, func(note string) bool {
		return note == "strategy s prints: state = a && x <= 3"
	}) {
		t.Errorf("the notes are %q", report.Notes)
	}
}

// A specification stays as it was read: a verification reads no file anew.
func TestFilesAreReadOnce(t *testing.T) {
	count := map[string]int{}
	loader := erelong.Loader{ReadFile: func(path string) ([]byte, error) {
		count[path]++
		return read(path)
	}}
	for _, file := range []string{"timer.xta", "lock.ivy"} {
		spec, err := loader.Load(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := spec.Verify(t.Context(), erelong.Options{NoProof: true}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for path, n := range count {
		if n != 1 {
			t.Errorf("%s is read %d times", path, n)
		}
	}
	if len(count) != 4 {
		t.Errorf("%v is read", count)
	}
}

// An instance that gives the number of processes of an algorithm is explored with all of them.
func TestProcessesOfAnAlgorithm(t *testing.T) {
	spec, err := erelong.Parse(t.Context(), "flood.ere", `
algorithm flood {
  message m
  var heard: bool = false
  timing synchrony
  send m at first { }
  receive at second { heard := heard | received(m); }
}
safety [never] correct(P) & correct(Q) -> !heard(P, Q)
instance two { process = 2 }
`)
	if err != nil {
		t.Fatal(err)
	}
	report, err := spec.Verify(t.Context(),
		erelong.Options{NoProof: true, Instances: []string{"process = 3"}})
	if err != nil {
		t.Fatal(err)
	}
	if p := report.Violations(); len(p) != 1 || len(p[0].Trace.Sorts["process"]) != 3 {
		t.Errorf("the violations are %+v", p)
	}
}

// Where a file cannot be read, the error says so, and says what to read instead.
func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	queries := filepath.Join(dir, "a.q")
	if err := os.WriteFile(queries, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir:     "is a folder: give the files in it",
		queries: "holds queries: give the model",
	} {
		if _, err := erelong.Load(t.Context(), path); err == nil || !contains(err, want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := erelong.Load(t.Context(), "none.ere"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there gives %v", err)
	}
	for _, c := range []struct{ file, queries, want string }{
		{"none.ivy", "", "none.ivy"}, {"lock.ere", "other.q", "Loader.Queries"},
		{"timer.xta", "none.q", "none.q"},
	} {
		loader := erelong.Loader{ReadFile: read, Queries: c.queries}
		if _, err := loader.Load(t.Context(), c.file); err == nil || !contains(err, c.want) {
			t.Errorf("%s with %q: %v", c.file, c.queries, err)
		}
	}
}

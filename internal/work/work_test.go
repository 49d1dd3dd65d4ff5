package work

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/front"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system/systemtest/computed"
	"erelong.dev/erelong/internal/verify"
)

// source reads an example.
func source(t *testing.T, name string) *Source {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", name))
	if err != nil {
		t.Fatal(err)
	}
	systems, _, err := front.Systems(t.Context(), name, string(text), front.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &Source{Name: name, Text: string(text), Systems: systems}
}

// explore is the task of exploring an instance of the file.
func explore(t *testing.T, s *Source, instance string) *engine.Task {
	t.Helper()
	sys := s.Systems[0].Spec.System
	claims, err := engine.Claims(sys, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &engine.Task{Method: engine.Explore, System: sys, Instance: sys.Instance(instance),
		Claims: claims}
}

// A worker reads the texts that came with a job and no other file, which may be another one where
// it is.
func TestIncluded(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "include \"low.ere\"\nsafety [small] x < 9\n"
	low := "mutable constant x: 0..9\ninit x = 0\naction up() { require x < 8; x := x + 1; }\n" +
		"instance one { }\n"
	if err := os.WriteFile("low.ere", []byte(low), 0o600); err != nil {
		t.Fatal(err)
	}
	text += "instance all { }\n"
	systems, _, err := front.Systems(t.Context(), "up.ere", text, front.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &Source{Name: "up.ere", Text: text, Systems: systems}
	job, err := s.Job("test", "explicit", explore(t, s, "all"), verify.Default())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("low.ere", []byte("sort other\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		read, err := new(Sources).read(t.Context(), job)
		if err != nil || read[0].Spec.System.Property("small") == nil {
			t.Fatalf("the job is read as %v, %v", read, err)
		}
	}
	job.Others = nil
	if _, err := job.systems(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "'low.ere' cannot be read") {
		t.Errorf("a job without a file that it includes: %v", err)
	}
}

// A model whose steps are computed is not sent to workers: its text alone does not say what it is.
func TestComputed(t *testing.T) {
	s := source(t, "peterson.ere")
	task := explore(t, s, s.Systems[0].Spec.System.Instances[0].Name)
	same, err := computed.Of(task.System, task.Instance)
	if err != nil {
		t.Fatal(err)
	}
	task.System = same
	if _, err := s.Job("test", "explicit", task, verify.Default()); err == nil ||
		!strings.Contains(err.Error(), computed.Language) {
		t.Errorf("%v", err)
	}
}

// Findings are the same after a journey as text as what an engine gives here.
func TestFindingsComeBack(t *testing.T) {
	for _, c := range []struct{ file, instance, engine string }{
		{"lease.ere", "two", "explicit"}, {"mutex_starvation.ere", "two", "temporal"}, {"failure_detector/small_timeout.ere", "d2p4", "explicit"},
	} {
		s := source(t, c.file)
		task := explore(t, s, c.instance)
		want, err := verify.RunTask(t.Context(), c.engine, task, verify.Default(), engine.Sink{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Read(t.Context(), travel(t, s, c.engine, task), task)
		if err != nil {
			t.Fatalf("%s: %v", c.file, err)
		}
		for _, f := range []*engine.Findings{want, got} {
			for i := range f.Results {
				f.Results[i].Elapsed = 0
			}
		}
		if !reflect.DeepEqual(want.Results, got.Results) ||
			!reflect.DeepEqual(want.Notes, got.Notes) || want.Summary != got.Summary ||
			want.Seen.Complete != got.Seen.Complete || len(want.Seen.Shown) != len(got.Seen.Shown) {
			t.Errorf("%s: %+v\nwant %+v", c.file, got, want)
		}
		for i := range want.Seen.Shown {
			if !want.Seen.Shown[i].Equal(got.Seen.Shown[i]) {
				t.Errorf("%s: sign %d differs", c.file, i)
			}
		}
	}
}

// What a machine with little memory cannot decide is no answer for others, and neither is what a
// solver did not answer.
func TestLasting(t *testing.T) {
	s := source(t, "mutex_starvation.ere")
	task := explore(t, s, "two")
	if !travelTo(t, s, "temporal", task, Here{}).Lasting() {
		t.Error("a verdict does not last")
	}
	short := travelTo(t, s, "temporal", task, Here{Memory: 1})
	if short.Results[0].Verdict == result.Violated || short.Lasting() {
		t.Errorf("without memory: %s lasts", short.Results[0].Verdict)
	}
	for code, want := range map[result.Code]bool{result.Bounded: true, result.NotProved: false,
		result.PropertyOutOfTime: false, result.RestsOnUnproved: true} {
		f := &Findings{Results: []result.Result{{Verdict: result.Unknown,
			Reason: result.Because(code, "so")}}}
		if f.Lasting() != want {
			t.Errorf("%s lasts: %t", code, !want)
		}
	}
}

// travel carries a task out as a worker does: from text to text.
func travel(t *testing.T, s *Source, name string, task *engine.Task) *Findings {
	t.Helper()
	return travelTo(t, s, name, task, Here{})
}

// travelTo does the same with the settings of the worker.
func travelTo(t *testing.T, s *Source, name string, task *engine.Task, h Here) *Findings {
	t.Helper()
	j, err := s.Job("v1", name, task, verify.Default())
	if err != nil {
		t.Fatal(err)
	}
	sent, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	there := &Job{}
	if err := json.Unmarshal(sent, there); err != nil {
		t.Fatal(err)
	}
	if there.ID() != j.ID() {
		t.Error("the name of a job changed on the way")
	}
	found, err := there.Do(t.Context(), h, engine.Sink{})
	if err != nil {
		t.Fatal(err)
	}
	back, err := json.Marshal(found)
	if err != nil {
		t.Fatal(err)
	}
	out := &Findings{}
	if err := json.Unmarshal(back, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// Whatever findings depend on is in the name of a job.
func TestNamesOfJobs(t *testing.T) {
	s := source(t, "lease.ere")
	name := func(build, engine string, t2 *engine.Task, o verify.Options) string {
		j, err := s.Job(build, engine, t2, o)
		if err != nil {
			t.Fatal(err)
		}
		return j.ID()
	}
	o := verify.Default()
	other := o
	other.Explicit.Symmetry = true
	base := name("v1", "explicit", explore(t, s, "two"), o)
	if again := name("v1", "explicit", explore(t, s, "two"), o); again != base {
		t.Error("one job has two names")
	}
	for what, id := range map[string]string{
		"build":    name("v2", "explicit", explore(t, s, "two"), o),
		"engine":   name("v1", "temporal", explore(t, s, "two"), o),
		"instance": name("v1", "explicit", explore(t, s, "three"), o), "options": name("v1", "explicit", explore(t, s, "two"), other),
	} {
		if id == base {
			t.Errorf("another %s has the same name", what)
		}
	}
}

// Findings that cannot be right are refused: a run is replayed, and a result is about its task.
func TestFalseFindings(t *testing.T) {
	s := source(t, "failure_detector/small_timeout.ere")
	task := explore(t, s, "d2p4")
	good := travel(t, s, "explicit", task)
	violated := -1
	for i, r := range good.Results {
		if r.Verdict == result.Violated {
			violated = i
		}
	}
	if violated < 0 {
		t.Fatal("nothing is violated")
	}
	for want, spoil := range map[string]func(*Findings, *result.Result){
		"without a run": func(_ *Findings, r *result.Result) { r.Trace = nil },
		"replay": func(_ *Findings, r *result.Result) {
			r.Trace.Steps = r.Trace.Steps[:len(r.Trace.Steps)-1]
		},
		"does not follow": func(_ *Findings, r *result.Result) {
			r.Trace.Steps = append(r.Trace.Steps[:5:5], r.Trace.Steps[6:]...)
		},
		"its scope is": func(_ *Findings, r *result.Result) { r.Scope = "d4p4" },
		"its kind is": func(_ *Findings, r *result.Result) {
			r.Kind, r.Trace = result.Theorem, nil
		},
		"has no property": func(_ *Findings, r *result.Result) { r.Property, r.Trace.Violates = "other", "other" },
		"no verdict":      func(_ *Findings, r *result.Result) { r.Verdict = "fine" },
		"its run":         func(_ *Findings, r *result.Result) { r.Trace.Violates = "other" },
		"has no sign":     func(f *Findings, _ *result.Result) { f.Seen = &Seen{Shown: []int{99}} },
	} {
		bad := travel(t, s, "explicit", task)
		spoil(bad, &bad.Results[violated])
		if _, err := s.Read(context.Background(), bad, task); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// A job about one instance is the same whichever other instances the run is about: it is as small,
// and its result is found again.
func TestJobIsAboutItsInstance(t *testing.T) {
	s := source(t, "lease.ere")
	task := explore(t, s, "two")
	o := verify.Default()
	alone, err := s.Job("test", "explicit", task, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Instances = task.System.Instances
	among, err := s.Job("test", "explicit", task, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Instances) < 2 || alone.ID() != among.ID() {
		t.Errorf("among %d instances the job is another one", len(o.Instances))
	}
}

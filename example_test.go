package erelong_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"testing/fstest"

	"erelong.dev/erelong"
)

// A lock that is granted and released by messages; see examples/tutorial.
const lock = `
sort client
mutable relation holds(client)
init !holds(C)

action grant(c: client) {
    require forall C. !holds(C);
    holds(c) := true;
}
action release(c: client) {
    require holds(c);
    holds(c) := false;
}
safety [mutex] holds(A) & holds(B) -> A = B
instance three { client = 3 }
`

// A specification without errors that is verified without errors, for the examples.
func verified(name, text string, o erelong.Options) *erelong.Report {
	ctx := context.Background()
	spec, err := erelong.Parse(ctx, name, text)
	if err != nil {
		log.Fatal(err)
	}
	report, err := spec.Verify(ctx, o)
	if err != nil {
		log.Fatal(err)
	}
	return report
}

// Verify explores the instances of a specification.
func Example() {
	ctx := context.Background()
	spec, err := erelong.Parse(ctx, "lock.ere", lock)
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := spec.Verify(ctx, erelong.Options{NoProof: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range report.Results {
		fmt.Println(r.Property, r.Verdict, "in", r.Instance, "with", r.States, "states")
	}
	fmt.Println(report.Err())
	// Output:
	// mutex holds in three with 4 states
	// <nil>
}

// With an SMT solver, a property is proved for every instance. Where a proof lacks an invariant, a
// search finds it.
func ExampleSpec_Verify_proof() {
	report := verified("counter.ere", `
sort node
mutable relation asked(node)
mutable relation served(node)
mutable relation done(node)
init !asked(N) & !served(N) & !done(N)
action ask(n: node) { asked(n) := true; }
action serve(n: node) { require asked(n); served(n) := true; }
action finish(n: node) { require served(n); done(n) := true; }
safety [in_order] done(N) -> asked(N)
`, erelong.Options{NoExplore: true})
	fmt.Println(report.ProofErr())
	for _, lemma := range report.Lemmas {
		fmt.Println(lemma.For, "needs", lemma.Formula)
	}
	// Output:
	// <nil>
	// in_order needs forall Node:node. served(Node) -> asked(Node)
}

// A proof of liveness has ranking functions. They bound the number of steps, and the bound is
// compared with the longest run of each instance.
func ExampleLiveness_proof() {
	report := verified("countdown.ere", `
immutable constant limit: int
axiom limit >= 1
mutable constant left: int
init left = limit
fair action tick() { require left > 0; left := left - 1; }
invariant [natural] left >= 0
liveness [ends] true ~> left = 0
instance five { limit = 5 }
`, erelong.Options{
		Properties: []string{"ends", "natural"},
		Liveness:   erelong.Liveness{Bounds: true},
	})
	for _, r := range report.Results {
		if r.Proof == nil || r.Proof.Ranking == nil {
			continue
		}
		fmt.Println("at most", r.Proof.Ranking.Steps, "steps")
		for _, o := range r.Proof.Ranking.Observed {
			fmt.Println(o.Steps, "of at most", o.Bound, "steps in", o.Instance)
		}
	}
	// Output:
	// at most left + 1 steps
	// 5 of at most 6 steps in five
}

// A violation comes with a shortest run, which can be printed, walked through, and written in the
// Informal Trace Format.
func ExampleReport_Violations() {
	report := verified("lock.ere", lock+"\nsafety [nobody] !holds(C)\n",
		erelong.Options{NoProof: true})
	for _, r := range report.Violations() {
		for _, step := range r.Trace.Steps[1:] {
			fmt.Println(step.Action, step.Arguments, "leads to", step.State)
		}
	}
	fmt.Println(report.Err())
	// Output:
	// grant [c = client0] leads to [holds = {client0}]
	// lock.ere: nobody: violated
}

// The error of a report lists the properties that do not hold.
func ExampleVerdictError() {
	report := verified("lock.ere", lock+"\nsafety [nobody] !holds(C)\n",
		erelong.Options{NoProof: true})
	var bad *erelong.VerdictError
	if errors.As(report.Err(), &bad) {
		fmt.Println(bad.Violated())
		for _, p := range bad.Properties {
			fmt.Println(p.Property, p.Verdict)
		}
	}
	// Output:
	// true
	// nobody violated
}

// A specification may expect violations. Then its expectations decide whether it is as it should
// be.
func ExampleReport_ExpectationErr() {
	report := verified("lock.ere", lock+`
safety [nobody] !holds(C)
expect [mutex] holds in three states 4
expect [nobody] violated in three
`, erelong.Options{NoProof: true})
	fmt.Println(report.Err())
	fmt.Println(report.ExpectationErr())
	// Output:
	// lock.ere: nobody: violated
	// <nil>
}

// A value knows its kind. A relation is the set of tuples of which it is true.
func ExampleValue() {
	report := verified("lock.ere", lock+"\nsafety [nobody] !holds(C)\n",
		erelong.Options{NoProof: true})
	trace := report.Violations()[0].Trace
	last := trace.Steps[len(trace.Steps)-1]
	client, holds := last.Argument("c"), last.Get("holds")
	fmt.Println(client, "is an", client.Kind(), "of sort", client.Sort())
	fmt.Println(holds, "is a", holds.Kind(), "that is", holds.At(client), "of it")
	// Output:
	// client0 is an element of sort client
	// {client0} is a relation that is true of it
}

// Settings that contradict each other are refused, and so are ones without an effect.
func ExampleOptionError() {
	ctx := context.Background()
	spec, err := erelong.Parse(ctx, "lock.ere", lock)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = spec.Verify(ctx, erelong.Options{
		NoProof:   true,
		Induction: erelong.Induction{States: 3},
	})
	var option *erelong.OptionError
	fmt.Println(errors.As(err, &option))
	fmt.Println(err)
	// Output:
	// true
	// Options.Induction: would have no effect: NoProof is set
}

// A loader reads files from anywhere, here a model of timed automata from a file system in memory.
func ExampleLoader() {
	files := fstest.MapFS{
		"train.xta": {Data: []byte("clock x;\nprocess Train() {\n  state far, near { x <= 5 };\n" +
			"  init far;\n  trans far -> near { assign x := 0; };\n}\n" +
			"train = Train();\nsystem train;\n")},
		"train.q": {Data: []byte("E<> train.near and x == 5\n")},
	}
	loader := erelong.Loader{ReadFile: func(path string) ([]byte, error) {
		return fs.ReadFile(files, path)
	}}
	ctx := context.Background()
	spec, err := loader.Load(ctx, "train.xta")
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := spec.Verify(ctx, erelong.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range report.Results {
		fmt.Println(spec.Language(), r.Property, r.Verdict)
		for _, step := range r.Trace.Steps[1:] {
			fmt.Println("at", step.Time.RatString(), step.Action)
		}
	}
	// Output:
	// UPPAAL E<> train.near and x == 5 holds
	// at 0 train far -> near
	// at 5 wait
}

// An error in a specification has positions, a code, and often a suggestion.
func ExampleError() {
	_, err := erelong.Parse(context.Background(), "lock.ere", "sort client\ninit !hold(C)\n")
	var bad *erelong.Error
	if errors.As(err, &bad) {
		for _, d := range bad.Diagnostics {
			fmt.Println(d.File, d.Line, d.Column, d.Code)
		}
	}
	// Output:
	// lock.ere 2 7 E0101
}

// Other tools can read a run.
func ExampleTrace_WriteITF() {
	report := verified("counter.ere", `mutable constant n: int
init n = 0
action up() { n := n + 1; }
safety [small] n < 1
instance one {}
`, erelong.Options{NoProof: true})
	if err := report.Violations()[0].Trace.WriteITF(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {
	//   "#meta": {"format":"ITF","format-description":"https://apalache-mc.org/docs/adr/015adr-trace.html","description":"A counterexample of erelong","kind":"counterexample","instance":"one","violates":"small","line":4,"universe":[],"varTypes":{"n":"Int"}},
	//   "vars": ["n","mbt::actionTaken","mbt::nondetPicks"],
	//   "states": [
	//     {"#meta":{"index":0},"n":{"#bigint":"0"},"mbt::actionTaken":"init","mbt::nondetPicks":{}},
	//     {"#meta":{"index":1,"action":"up"},"n":{"#bigint":"1"},"mbt::actionTaken":"up","mbt::nondetPicks":{}}
	//   ]
	// }
}

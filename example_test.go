package erelong_test

import (
	"context"
	"errors"
	"fmt"
	"os"

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

// A violation comes with a shortest run, which can be printed, walked through, and written in the
// Informal Trace Format.
func ExampleReport_Violations() {
	ctx := context.Background()
	broken := lock + "\nsafety [nobody] !holds(C)\n"
	spec, err := erelong.Parse(ctx, "lock.ere", broken)
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := spec.Verify(ctx, erelong.Options{NoProof: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range report.Violations() {
		for _, step := range r.Trace.Steps[1:] {
			fmt.Println(step.Action, step.Arguments, "leads to", step.State)
		}
	}
	fmt.Println(report.Err())
	// Output:
	// grant [{c client0}] leads to [{holds {client0}}]
	// lock.ere: nobody: violated
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
	ctx := context.Background()
	spec, err := erelong.Parse(ctx, "counter.ere", "mutable constant n: int\ninit n = 0\naction up() { n := n + 1; }\nsafety [small] n < 1\ninstance one {}\n")
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := spec.Verify(ctx, erelong.Options{NoProof: true})
	if err != nil {
		fmt.Println(err)
		return
	}
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

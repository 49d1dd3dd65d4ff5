package main

// suite is tests of a package: the ones that match run, if it is given, and do not match skip.
type suite struct{ pkg, run, skip string }

// target is a package into which faults are planted. Its suites are asked one after another: its
// own tests, then tests of packages that depend on it.
type target struct {
	pkg      string
	suites   []suite
	leaveOut []string // files that write what is found, and decide nothing
	only     []string // the files that are looked at; all if empty
}

// examples are files of the folder examples, which meet their own expectations.
func examples(names string) suite {
	return suite{pkg: "internal/cli", run: "TestExamples/^(" + names + ")"}
}

var scripts = suite{pkg: "internal/cli", run: "TestScript"}
var referee = suite{pkg: "internal/referee"}

// slowRanking are tests that take most of the time of their package.
const slowRanking = "TestNeverHolds|TestAFirstValue|TestProofOfAnother|TestGuess|TestNumbered"

// targets begin with the packages that a proof hangs on.
var targets = []target{
	{pkg: "internal/bounds", suites: []suite{{pkg: "internal/bounds"},
		{pkg: "internal/certificate"}, {pkg: "internal/engine/induction"},
		examples("strong_accuracy|eventual_accuracy|completeness")}},
	{pkg: "internal/vc", suites: []suite{{pkg: "internal/vc"}, {pkg: "internal/engine/induction"},
		{pkg: "internal/engine/bmc"}, {pkg: "internal/engine/fbii"}, {pkg: "internal/certificate"},
		examples("lease|ticket_lock|two_phase")}},
	{pkg: "internal/certificate", suites: []suite{{pkg: "internal/certificate"},
		{pkg: "internal/cli", run: "TestScript|Certificate"}}},
	{pkg: "internal/derive", suites: []suite{{pkg: "internal/derive"},
		examples("chandra_toueg|ring_detector"), scripts},
		leaveOut: []string{"story.go", "story_oneway.go", "story_processes.go"}},
	{pkg: "internal/symmetry", suites: []suite{{pkg: "internal/symmetry"},
		{pkg: "internal/engine/explicit"}}},
	{pkg: "internal/por", suites: []suite{{pkg: "internal/por"}, {pkg: "internal/engine/explicit"},
		{pkg: "internal/engine/temporal"}}},
	// The files that state obligations. What the others search for is not trusted.
	{pkg: "internal/engine/ranking", only: []string{"assumed.go", "bound.go", "change.go",
		"countdown.go", "cyclic.go", "enabled.go", "extremum.go", "impossible.go", "integers.go",
		"lexicographic.go", "partition.go", "possible.go", "problem.go", "proof.go", "ranking.go",
		"steps.go", "validate.go", "variable.go"}, suites: []suite{
		{pkg: "internal/engine/ranking", skip: slowRanking},
		{pkg: "internal/engine/ranking", run: slowRanking},
		{pkg: "internal/certificate"},
		examples("alternating_bit|lease|peterson|railway|readers|sliding|ticket_lock|token")}},
	{pkg: "internal/presburger", suites: []suite{{pkg: "internal/presburger"},
		{pkg: "internal/engine/accel"}}},
	{pkg: "internal/engine/accel", suites: []suite{{pkg: "internal/engine/accel"},
		{pkg: "internal/front/fast"}}},
	{pkg: "internal/engine/horn", suites: []suite{{pkg: "internal/engine/horn"},
		{pkg: "internal/engine/infer"}}},
	{pkg: "internal/engine/zone", suites: []suite{{pkg: "internal/engine/zone"},
		{pkg: "internal/front/uppaal"}}},
	{pkg: "internal/compile", suites: []suite{{pkg: "internal/compile"},
		{pkg: "internal/engine/explicit"}, {pkg: "internal/engine/temporal"}, referee}},
	{pkg: "internal/conformance", suites: []suite{{pkg: "internal/conformance"}, scripts},
		leaveOut: []string{"html.go", "picture.go", "text.go", "json.go"}},
	{pkg: "internal/front/ere/check", suites: []suite{{pkg: "internal/front/ere"}, referee,
		{pkg: "internal/system"}, {pkg: "internal/interp"}, scripts}},
	{pkg: "internal/front/ivy", suites: []suite{{pkg: "internal/front/ivy"}, scripts}},
	{pkg: "internal/front/fast", suites: []suite{{pkg: "internal/front/fast"},
		{pkg: "internal/engine/accel"}, scripts}},
	{pkg: "internal/front/uppaal", suites: []suite{{pkg: "internal/front/uppaal"},
		{pkg: "internal/engine/zone"}, scripts}},
	{pkg: "internal/front/tla/syntax", suites: []suite{{pkg: "internal/front/tla/syntax"}},
		leaveOut: []string{"mend.go"}},
}

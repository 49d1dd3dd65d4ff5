package main

// suite is tests of a package, all of them if no pattern is given.
type suite struct{ pkg, run string }

// target is a package into which faults are planted. Its suites are asked one after another: its
// own tests, then tests of packages that depend on it.
type target struct {
	pkg      string
	suites   []suite
	leaveOut []string // files that write what is found, and decide nothing
}

// examples are files of the folder examples, which meet their own expectations.
func examples(names string) suite {
	return suite{"internal/cli", "TestExamples/^(" + names + ")"}
}

var scripts = suite{"internal/cli", "TestScript"}
var referee = suite{"internal/referee", ""}

// targets begin with the packages that a proof hangs on.
var targets = []target{
	{pkg: "internal/bounds", suites: []suite{{"internal/bounds", ""}, {"internal/certificate", ""},
		{"internal/engine/induction", ""},
		examples("strong_accuracy|eventual_accuracy|completeness")}},
	{pkg: "internal/vc", suites: []suite{{"internal/vc", ""}, {"internal/engine/induction", ""},
		{"internal/engine/bmc", ""}, {"internal/engine/fbii", ""}, {"internal/certificate", ""},
		examples("lease|ticket_lock|two_phase")}},
	{pkg: "internal/certificate", suites: []suite{{"internal/certificate", ""},
		{"internal/cli", "TestScript|Certificate"}}},
	{pkg: "internal/derive", suites: []suite{{"internal/derive", ""},
		examples("chandra_toueg|ring_detector"), scripts},
		leaveOut: []string{"story.go", "story_oneway.go", "story_processes.go"}},
	{pkg: "internal/symmetry", suites: []suite{{"internal/symmetry", ""},
		{"internal/engine/explicit", ""}}},
	{pkg: "internal/por", suites: []suite{{"internal/por", ""}, {"internal/engine/explicit", ""},
		{"internal/engine/temporal", ""}}},
	{pkg: "internal/engine/ranking", suites: []suite{{"internal/engine/ranking", ""},
		{"internal/certificate", ""},
		examples("alternating_bit|lease|peterson|railway|readers|sliding|ticket_lock|token")}},
	{pkg: "internal/presburger", suites: []suite{{"internal/presburger", ""},
		{"internal/engine/accel", ""}}},
	{pkg: "internal/engine/accel", suites: []suite{{"internal/engine/accel", ""},
		{"internal/front/fast", ""}}},
	{pkg: "internal/engine/horn", suites: []suite{{"internal/engine/horn", ""},
		{"internal/engine/infer", ""}}},
	{pkg: "internal/engine/zone", suites: []suite{{"internal/engine/zone", ""},
		{"internal/front/uppaal", ""}}},
	{pkg: "internal/compile", suites: []suite{{"internal/compile", ""},
		{"internal/engine/explicit", ""}, {"internal/engine/temporal", ""}, referee}},
	{pkg: "internal/conformance", suites: []suite{{"internal/conformance", ""}, scripts},
		leaveOut: []string{"html.go", "picture.go", "text.go", "json.go"}},
	{pkg: "internal/front/ere/check", suites: []suite{{"internal/front/ere", ""}, referee,
		{"internal/system", ""}, {"internal/interp", ""}, scripts}},
	{pkg: "internal/front/ivy", suites: []suite{{"internal/front/ivy", ""}, scripts}},
	{pkg: "internal/front/fast", suites: []suite{{"internal/front/fast", ""},
		{"internal/engine/accel", ""}, scripts}},
	{pkg: "internal/front/uppaal", suites: []suite{{"internal/front/uppaal", ""},
		{"internal/engine/zone", ""}, scripts}},
}

package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/testkit"
)

// ivyList has files of the lists of tests that Ivy's authors keep beside them (ivy_tests.py), with
// what becomes of them here.
var ivyList = []struct {
	what   string
	args   []string
	code   int
	says   string // in what is printed
	folder string
	files  string
}{
	{"all of it holds", []string{"prove"}, ExitHolds, "", "doc/examples",
		`account account2 account3 arrayset arrayset2 arrayset3 client_server_example
		leader_election_ring_repl leader_election_ring_udp leader_election_ring_udp2 lesstrivnet
		list_reverse modparam_example pingpong pingpongclock trivnet`},
	{"all of it holds", []string{"prove"}, ExitHolds, "", "doc/examples/cav2020",
		`cav-18/german_inv leader_tutorial liveness liveness/ticket liveness/ticket_nested modular
		tactic`},
	{"all of it holds", []string{"prove"}, ExitHolds, "", "test",
		`fba ifstar1 oddeven oddeven2 oddeven3 oddeven4 whileexists1 whilesome1 whilesome2`},
	{"invariants are found", []string{"verify"}, ExitHolds, "", "doc/examples",
		`cav2020/modular_mc testing/pingpong`},
	{"nothing is claimed", []string{"prove"}, ExitNothingChecked, "", "doc/examples",
		`cav2020/natural_deduction helloworld interference2 interference3 interference4
		object_example paraminit paraminit2 paraminit3 po_example timeout_test udp_test udp_test2`},
	{"nothing is claimed", []string{"prove"}, ExitNothingChecked, "", "test",
		`ded1 frag1 frag11 frag12 frag13 frag16 frag17 frag18 frag19 frag3 frag5 frag6`},
	{"an interpreted symbol over a variable", []string{"prove"}, ExitNothingChecked,
		"W0803: an interpreted symbol is applied to a universally quantified variable", "test",
		`frag10 frag14 frag15 frag2 frag4 frag7 frag8 frag9`},
	{"outside of the fragment", []string{"prove"}, ExitHolds, "W0803: this may instantiate", "test",
		"strat1"},
	{"a guarantee fails", []string{"prove"}, ExitSafety, "assert:54 is violated", "doc/examples",
		"counter_example"},
	{"a guarantee fails", []string{"prove"}, ExitSafety, "violated", "doc/examples/cav2020",
		"german_bmc_bug german_mc_bug"},
	{"a guarantee fails", []string{"prove"}, ExitNotInductive, ":114", "doc/examples",
		"leader_election_ring"},
	{"a guarantee fails", []string{"prove"}, ExitNotInductive, "not inductive", "doc/examples",
		"cav2020/leader_tutorial_without_proof"},
	{"a guarantee fails", []string{"prove"}, ExitNotInductive, "not inductive", "test",
		"learning_switch1 skolem1"},
	{"a free variable", []string{"prove"}, ExitFile, ":5:19: error E0101", "test", "fundef1"},
	{"a parameter twice", []string{"prove"}, ExitFile, ":5:16: error E0103", "test", "fundef2"},
	{"an interpreted symbol", []string{"prove"}, ExitFile, ":5:27: error E0103", "test",
		"interpdef1"},
}

// Files of Ivy's own tests have the result that Ivy's authors expect. ERELONG_IVY is the folder of
// a clone of kenmcmil/ivy.
func TestIvyList(t *testing.T) {
	folder := os.Getenv("ERELONG_IVY")
	if folder == "" || !testkit.CI() {
		t.Skip("this is for make test-ci, with ERELONG_IVY as the folder of a clone of Ivy")
	}
	testkit.Solvers(t)
	for _, x := range ivyList {
		for file := range slices.Values(strings.Fields(x.files)) {
			t.Run(file, func(t *testing.T) {
				path := filepath.Join(folder, filepath.FromSlash(x.folder), file+".ivy")
				var out bytes.Buffer
				args := append(slices.Clone(x.args), "--cache=off", "-q", path)
				code := Main(t.Context(), args, io.LimitReader(nil, 0), &out, &out)
				if code != x.code || !strings.Contains(out.String(), x.says) {
					t.Errorf("%s: exit code %d instead of %d\n%s", x.what, code, x.code, &out)
				}
			})
		}
	}
}

package ranking

import (
	"strings"
	"testing"

	"erelong.dev/erelong/internal/testkit"
)

const rounds = `
	sort node
	sort round
	immutable relation le(round, round)
	axiom le(R, R) & (le(R1, R2) | le(R2, R1))
	axiom le(R1, R2) & le(R2, R1) -> R1 = R2
	axiom le(R1, R2) & le(R2, R3) -> le(R1, R3)
	immutable relation member(node)
	axiom exists N. member(N)
	immutable constant last: round
	mutable relation started(round)
	mutable relation promised(node, round)
	mutable relation heard(round, node)
	mutable relation lost(node, round)
	init !started(R) & !promised(N, R) & !heard(R, N) & !lost(N, R)
	action start(r: round) { require le(r, last); started(r) := true; }
	action lose(n: node, r: round) { require !(r = last & member(n)); lost(n, r) := true; }
	action promise(n: node, r: round) { require started(r); promised(n, r) := true; }
	action hear(r: round, n: node) { require promised(n, r) & !lost(n, r); heard(r, n) := true; }
	liveness [live] true ~> started(last)
	instance one { node = 1, round = 2 }`

// Relations of different values, and with constants in place of some, are compared. In the instance
// no message of the last round is lost, and every node is a member.
func TestImplied(t *testing.T) {
	for _, test := range []struct {
		name, old, changed string
		want, not          []string
	}{
		{name: "as it is", want: []string{
			"started(R) -> le(R, last)",
			"promised(N, R) -> started(R)",
			"heard(R, N) -> promised(N, R)",
			"lost(N, last) -> !member(N)",
		}},
		{"a promise of any round", "require started(r); promised", "promised", []string{
			"heard(R, N) -> promised(N, R)"}, []string{"promised(N, R) -> started(R)"}},
		{"whatever is sent is lost", "require !(r = last & member(n));", "", nil,
			[]string{"lost(N, last) -> !member(N)"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			sys := testkit.Compile(t, strings.Replace(rounds, test.old, test.changed, 1))
			found, err := Simple(t.Context(), sys, sys.Property("live"), sys.Instances,
				options(t).Options)
			if err != nil {
				t.Fatal(err)
			}
			var all []string
			for _, p := range found {
				text := p.Term.Args[0].String()
				for _, v := range p.Term.Vars {
					text = strings.ReplaceAll(text, v.Name, map[string]string{"node": "N",
						"round": "R"}[v.Sort.Name])
				}
				all = append(all, text)
			}
			compareFound(t, all, test.want, test.not)
		})
	}
}

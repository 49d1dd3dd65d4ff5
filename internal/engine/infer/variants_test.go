package infer

import (
	"os"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// variant is a model of mypyvy with a part of its text replaced, mostly by nothing, which breaks
// it.
type variant struct {
	model, what, part, by string
	slow                  bool // its violation takes more than a moment
}

const (
	intersection = "axiom forall Q1, Q2. exists N. member(N, Q1) & member(N, Q2)\n"
	highest      = "(forall N,MAXR,V. (member(N, q) & !le(r,MAXR) & vote(N,MAXR,V)) -> le(MAXR,maxr))"
)

var variants = []variant{
	{"lockserv", "the server need not have the lock", "  server_holds_lock &\n", "", false},
	{"lockserv", "an unlock message stays", "unlock_msg(N) & N != n", "unlock_msg(N)", false},
	{"lockserv", "unlock keeps the lock", "holds_lock(N) & N != n", "holds_lock(N)", false},
	{"toy_consensus_epr", "quorums need not intersect", intersection, "", false},
	{"toy_consensus_epr", "a node votes twice", "& !voted(n)\n", "", false},
	{"toy_leader_consensus_epr", "a node votes twice", "!voted(src) & ", "", true},
	{"toy_leader_consensus_forall", "a leader decides twice", " & !decided(n, V)", "", false},
	{"toy_leader_consensus_forall", "quorums need not intersect", intersection, "", false},
	{"client_server_db_ae", "the database answers without a request", "& db_request_sent(i,r)\n", "", false},
	{"client_server_db_ae", "an id is used twice", "& (forall N. !t(i,N))\n", "", false},
	{"sharded_kv", "any node puts", "  owner(n, k) &\n", "  true &\n", false},
	{"sharded_kv", "a transfer message stays",
		"transfer_msg(N, K, V) & !(N = n & K = k & V = v)", "transfer_msg(N, K, V)", false},
	{"ring_leader_election", "every id is forwarded", "if le(idn(n), v)", "if le(v, v)", false},
	{"ring_leader_election", "ids are not unique", "axiom idn(X) = idn(Y) -> X = Y", "", false},
	{"ticket", "nobody waits for the service", "  & le(k, service)\n", "", false},
	{"ticket", "the ticket is not compared with one's own", "& m(t,k)", "", false},
	{"learning_switch_forall", "known routes are learned again",
		"    (forall W. W != sw1 -> !table(T, sw1, W)) &\n", "", true},
	{"ironfleet_distributed_lock", "an old epoch is accepted",
		"  & sent_msgs(h, e)\n  & ~le(e, host_epoch(h))\n", "  & sent_msgs(h, e)\n", false},
	{"ironfleet_distributed_lock", "the lock is granted and kept",
		"(holds_lock(H) & H != h)", "holds_lock(H)", false},
	{"paxos_epr", "quorums need not intersect", intersection, "", false},
	{"paxos_epr", "a round has two proposals", "  (forall V. !proposal(r, V)) &\n", "", false},
	{"paxos_epr", "one vote is enough", "(forall N. member(N, q) -> vote(N, r, v))",
		"(exists N. member(N, q) & vote(N, r, v))", true},
	{"paxos_epr", "one promise is enough", "(forall N. member(N, q) -> one_b(N, r))",
		"(exists N. member(N, q) & one_b(N, r))", true},
	{"paxos_epr", "a node votes in a round that it left",
		"  !left_round(n, r) &\n  proposal(r, v) &\n", "  proposal(r, v) &\n", true},
	{"paxos_epr", "any earlier vote is taken, not the latest", highest, "true", true},
	{"paxos_epr", "earlier votes are ignored",
		"forall N,MAXR,V. !(member(N, q) & !le(r,MAXR) & vote(N,MAXR,V))", "true", true},
	{"flexible_paxos_epr", "the quorums of a phase intersect, the ones of two do not",
		"axiom forall Q1, Q2. exists N. member_1(N, Q1) & member_2(N, Q2)",
		"axiom forall Q1, Q2. exists N. member_2(N, Q1) & member_2(N, Q2)", true},
	{"paxos_forall", "to join leaves no round", "left_round(N, R) | N = n & !le(r, R)",
		"left_round(N, R)", true},
}

// A violation that is too deep for the first look at small instances is seen where larger ones are
// explored by random walks, and its run has no needless steps.
func TestDeepViolation(t *testing.T) {
	sys := testkit.Compile(t, `
sort node
enum phase { a, b, c, d, e, f, g, h }
mutable function at(node): phase
mutable relation told(node, node), asked(node, node)
init at(N) = a & !told(N, M) & !asked(N, M)
action tell(n: node, m: node) { told(n, m) := !told(n, m); }
action ask(n: node, m: node) { asked(n, m) := !asked(n, m); }
action go(n: node) {
  if at(n) = a { at(n) := b; }
  else if at(n) = b { at(n) := c; }
  else if at(n) = c { at(n) := d; }
  else if at(n) = d { at(n) := e; }
  else if at(n) = e { at(n) := f; }
  else if at(n) = f { at(n) := g; }
  else { at(n) := h; }
}
safety at(N) = h & at(M) = h -> N = M
`)
	out, err := Find(t.Context(), sys, options(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Results) != 1 || out.Results[0].Trace == nil || out.Results[0].Engine != Name {
		t.Fatalf("no violation was found by this engine: %s, %v", out.Reason, out.Results)
	}
	if n := len(out.Results[0].Trace.Steps); n != 15 {
		t.Errorf("the run has %d states, not 15", n)
	}
}

// Of a broken model a violation is shown, not a search without an end.
func TestVariants(t *testing.T) {
	opts := options(t)
	for _, v := range variants {
		t.Run(v.model+", "+v.what, func(t *testing.T) {
			path := testkit.Shared(t, "models", "mypyvy", "examples", v.model+".pyv")
			if v.slow {
				testkit.InLong(t)
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Count(string(text), v.part) == 0 {
				t.Fatalf("the model does not have %q", v.part)
			}
			sys, list, err := ere.Compile(path, strings.Replace(string(text), v.part, v.by, 1))
			if err != nil {
				t.Fatal(err, list)
			}
			out, err := Find(t.Context(), sys, opts)
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(out.Results, func(r result.Result) bool {
				return r.Verdict == result.Violated && r.Trace != nil
			})
			if i < 0 {
				t.Fatalf("proved is %v, and no violation was found: %s", out.Proved, out.Reason)
			}
			r := out.Results[i]
			err = interp.Replay(t.Context(), sys, r.Trace, sys.Property(r.Property))
			if err != nil {
				t.Error(err)
			}
		})
	}
}

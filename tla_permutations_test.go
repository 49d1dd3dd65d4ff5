package erelong_test

import (
	"strings"
	"testing"

	"erelong.dev/erelong"
	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/front/tla"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// queueModule puts jobs into a queue, in any order of the ones that wait.
const queueModule = `---- MODULE Queue ----
EXTENDS Naturals, Sequences
CONSTANTS Job
VARIABLES wait, queue, last
vars == <<wait, queue, last>>
Orders(S) == LET perms[ss \in SUBSET S] == IF ss = {} THEN {<< >>}
                   ELSE LET ps == [x \in ss |-> {Append(sq, x) : sq \in perms[ss \ {x}]}]
                        IN UNION {ps[x] : x \in ss}
             IN perms[S]
InQueue == {queue[i] : i \in DOMAIN queue}
Init == wait = {} /\ queue = << >> /\ last = << >>
Come(j) == j \notin wait /\ j \notin InQueue /\ wait' = wait \cup {j} /\ UNCHANGED <<queue, last>>
Plan == /\ wait # {}
        /\ \E sq \in Orders(wait) : queue' = queue \o sq /\ last' = sq
        /\ wait' = {}
Do == queue # << >> /\ queue' = Tail(queue) /\ UNCHANGED <<wait, last>>
Next == Plan \/ Do \/ \E j \in Job : Come(j)
Spec == Init /\ [][Next]_vars
Apart == /\ \A i \in DOMAIN queue : queue[i] \notin wait
         /\ \A i, j \in DOMAIN queue : queue[i] = queue[j] => i = j
         /\ \A i, j \in DOMAIN last : last[i] = last[j] => i = j
Claim == CLAIM
====
`

// queueClaims are true or false of the module.
var queueClaims = map[string]erelong.Verdict{
	`\A i, j \in DOMAIN queue : i # j => queue[i] # queue[j]`:      erelong.Holds,
	`\A i \in DOMAIN queue : queue[i] \notin wait`:                 erelong.Holds,
	`\A i, j \in DOMAIN last : i # j => last[i] # last[j]`:         erelong.Holds,
	`last \in Orders({last[i] : i \in DOMAIN last})`:               erelong.Holds,
	`last \in Orders(InQueue) => \A j \in InQueue : j \notin wait`: erelong.Holds,
	`\A i \in DOMAIN queue : i = 1`:                                erelong.Violated,
	`\A i, j \in DOMAIN last : last[i] = last[j]`:                  erelong.Violated,
	`last # << >> => last \in Orders(InQueue)`:                     erelong.Violated,
	`last \in Orders(wait)`:                                        erelong.Violated,
}

// queueForms are other ways to write the same.
var queueForms = [][2]string{
	{"", ""},
	{"LET ps == [x \\in ss |-> {Append(sq, x) : sq \\in perms[ss \\ {x}]}]\n" +
		"                        IN UNION {ps[x] : x \\in ss}",
		"UNION {{<<y>> \\o p : p \\in perms[ss \\ {y}]} : y \\in ss}"},
	{"Append(sq, x)", "sq \\o <<x>>"},
	{"Orders(wait) : q", "Orders({j \\in Job : j \\in wait}) : q"}, // of a set that may be infinite
}

func queue(module, claim string) (l *erelong.Loader, text string) {
	module = strings.Replace(module, "CLAIM", claim, 1)
	files := map[string]string{"Queue.tla": module, "Queue.cfg": "SPECIFICATION Spec\n" +
		"INVARIANT Claim Apart\nCHECK_DEADLOCK FALSE\nCONSTANT Job = {a, b, c}\n"}
	return &erelong.Loader{ReadFile: readFrom(files)}, module
}

// TestPermutations explores a module with permutations, and proves what is true of it for all
// constants, and nothing that is false.
func TestPermutations(t *testing.T) {
	testkit.InCI(t)
	for i, form := range queueForms {
		if i > 0 && !testkit.CI() {
			break
		}
		if !strings.Contains(queueModule, form[0]) {
			t.Fatalf("no %q", form[0])
		}
		for claim, verdict := range queueClaims {
			if i > 0 && !strings.Contains(claim, "i = 1") &&
				(!testkit.CI() || !strings.Contains(claim, "i # j => queue")) {
				continue
			}
			l, module := queue(strings.Replace(queueModule, form[0], form[1], 1), claim)
			if r := claimIn(t, l, "Queue.tla", module); r.Verdict != verdict {
				t.Errorf("%s: %v, not %v", claim, r.Verdict, verdict)
			}
			text, err := tla.Text(t.Context(), "Queue.tla", module, l.ReadFile)
			if err != nil {
				t.Fatalf("%s: %v", claim, err)
			}
			const premise = "if these sets are finite: Job"
			if supposed := strings.Contains(form[1], "Job"); supposed !=
				strings.Contains(text, premise) {
				t.Errorf("%q: %v\n%s", premise, !supposed, text)
			}
			results, err := induction.Prove(testkit.Solving(t), testkit.Compile(t, text),
				induction.Options{Options: discharge.Options{Solving: discharge.Solving{
					Rlimit: claimLimit(verdict)}}})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range results {
				if r.Property == "Claim" &&
					(r.Verdict == result.Holds) != (verdict == erelong.Holds) {
					t.Errorf("%s: %v by proof, %s\n%s", claim, r.Verdict, r.Reason.Text, text)
				}
			}
		}
	}
}

// TestNoPermutations refuses recursive functions that list something else.
func TestNoPermutations(t *testing.T) {
	for _, change := range [][2]string{
		{"perms[ss \\ {x}]}", "perms[ss]}"},
		{"Append(sq, x)", "Append(sq, Head(sq))"},
		{"Append(sq, x)", "sq"},
		{"{<< >>}", "{<< >>, <<CHOOSE j \\in Job : TRUE>>}"},
		{"UNION {ps[x] : x \\in ss}", "UNION {ps[x] : x \\in S}"},
		{"IN perms[S]", "IN perms[S \\cup Job]"},
	} {
		if !strings.Contains(queueModule, change[0]) {
			t.Fatalf("no %q", change[0])
		}
		l, module := queue(strings.Replace(queueModule, change[0], change[1], 1), "TRUE")
		if text, err := tla.Text(t.Context(), "Queue.tla", module, l.ReadFile); err == nil {
			t.Errorf("%v is translated\n%s", change, text)
		}
	}
}

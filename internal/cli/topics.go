package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/verify"
)

// topic is a text that erelong help shows beside the commands. It is made when it is asked for,
// since no other command needs it.
type topic struct {
	name, short string
	text        func() string
}

// topics are all topics. A page with the name of another topic follows the text of the topic.
func topics(root *cobra.Command) []topic {
	out := []topic{
		{"exit-codes", "The exit codes", func() string { return exitCodes }},
		{"limits", "What ends a run before its time, and the defaults", limitsText},
		{"exploration", "The flags of explorations",
			func() string { return explorations + rareFlags(root, "exploration") }},
		{"solvers", "The flags of proofs",
			func() string { return proofs + rareFlags(root, "solvers") }},
		{"workers", "The flags of work on several machines",
			func() string { return several + rareFlags(root, "workers") }},
	}
	for _, page := range pageTopics() {
		i := slices.IndexFunc(out, func(t topic) bool { return t.name == page.name })
		if i < 0 {
			out = append(out, page)
			continue
		}
		own := out[i].text
		out[i].text = func() string { return own() + "\n\n" + page.text() }
	}
	return out
}

// addTopics gives the program its topics.
func addTopics(root *cobra.Command) {
	for _, t := range topics(root) {
		c := &cobra.Command{Use: t.name, Short: t.short}
		show := root.HelpFunc()
		c.SetHelpFunc(func(c *cobra.Command, args []string) {
			c.Long = t.text()
			show(c, args)
		})
		root.AddCommand(c)
	}
}

// helpCommand has erelong help name the nearest command or topic where there is none.
func helpCommand(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, err := root.Find([]string{"help"})
	if err != nil {
		return
	}
	help.RunE = func(_ *cobra.Command, args []string) error {
		c, rest, err := root.Find(args)
		if err == nil && len(rest) == 0 {
			c.InitDefaultHelpFlag()
			return c.Help()
		}
		var names []string
		for _, c := range root.Commands() {
			names = append(names, c.Name())
		}
		text := fmt.Sprintf("there is no command or topic %q", strings.Join(args, " "))
		if near := diag.Closest(args[0], names); near != "" {
			return usage("%s; did you mean %q?", text, near)
		}
		return usage("%s; erelong help lists them", text)
	}
}

const exitCodes = `The exit code says what was found. If several apply, it is the first of these:

    1  internal error, or verdicts that contradict each other
    2  usage: a wrong option or argument
    3  an error in the file; where it shows only in a state, the codes 11 to 14 come first
    4  a solver is missing or unfit
   12  safety violated: a safety property, invariant, range or theorem, or an unsat trace
   13  liveness violated
   11  deadlock
   14  a run that a scenario (sat trace) or a query E<> asks for does not exist; a log is no run (trace)
   20  not inductive
   30  unknown: a limit was reached, or there is no proof with --require-proof
   31  nothing checked
    5  all hold, but a file that was asked for could not be written
    0  all hold

   10  with --expect, and where all hold: an expectation of the file is not met
  130  interrupted; what was finished is reported

With several files it is the first in this order among the codes of all files, where 10 follows 14 and 130 comes first.`

const explorations = `An exploration visits the states of an instance, level by level. States that do not fit into memory go to disk. A saved
exploration goes on with --resume. erelong help limits has figures.

`

const proofs = `A proof asks solvers questions, several at a time, and keeps what was proved for the next run.
erelong help trust says what a proof rests on.

`

const several = `The work of a run can be done by processes on this machine (--workers local:4), or by workers that share a NATS server.
erelong help machines shows how. erelong worker --help and erelong jobs --help have the flags of the other side.

`

func limitsText() string {
	return fmt.Sprintf(`Only these limits end a run. The verdict is then unknown, or holds up to k, and the reason names the limit.

  --timeout D              the whole run; default: none
  --limit-per-property D   a property; default: none
  --max-states N           the states of an exploration; default: none
  --max-depth N            the states of a run that is explored; default: none
  --memory SIZE            states in memory, more go to disk; default: three quarters of the machine's
  --depth N                of bmc: the steps of the runs; default: %d
  --rlimit N               of one query to a solver, in units of z3; default: %d, which stands for 2 to 20 seconds;
                           a thirtieth where a step has hundreds of branches in a row; one minute as a guard
  --effort N               a search for invariants or ranking functions, in million units of resources of z3; default: %d
                           in verify, none in infer and live
  --walks, --walk-length   of --search random; default: 1000 each

A variable without a range that takes many values ends an exploration at %d states, unless --max-states is given.

If the file names no instance, one with two elements in every sort is explored, for at most %d states (%d if there are no
sorts) and %.0f seconds of processor time; --instance chooses another one, without these limits. If there is none to choose,
solvers search runs of at most %d steps.

The explanation of a property that is not inductive has limits of its own. They count work, so that the same file gives the
same answer; behind some stands a minute of processor time as a guard.`,
		bmc.DefaultDepth, discharge.DefaultRlimit, verify.Effort/effort.Million,
		compile.GrownStates, verify.GuessStates,
		verify.WholeShare*verify.GuessStates, verify.GuessTime.Seconds(), verify.GuessDepth)
}

// elsewhere names the command that corresponds to a command of another program; empty if there is
// none.
func elsewhere(name string) string {
	if strings.HasPrefix(name, "pd-") {
		name = "updr"
	}
	return map[string]string{
		// mypyvy
		"updr": "infer FILE", "fol-ic3": "infer FILE", "sep": "infer FILE",
		"typecheck": "dump FILE", "fbii": "prove FILE",
		"trace": "prove FILE", "theorem": "prove FILE", "pretty": "fmt FILE",
		// others
		"houdini": "infer FILE", "ic3": "infer FILE", "pdr": "infer FILE", "parse": "dump FILE",
		"lint": "dump FILE",
		"mc":   "check FILE", "model-check": "check FILE", "explore": "check FILE",
		"tlc": "check FILE", "simulate": "sim FILE",
		"simulator": "sim FILE", "run": "verify FILE", "test": "verify --expect FILE",
		"format": "fmt FILE", "translate": "convert FILE",
		"recheck": "prove --recheck CERTIFICATE",
	}[name]
}

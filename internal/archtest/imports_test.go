// Package archtest holds no code: its tests keep the rules of the house: imports in one direction,
// links, plain words.
package archtest

import (
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// module is the path of the module.
const module = "erelong.dev/erelong"

// update has the picture in ARCHITECTURE.md drawn anew.
var update = flag.Bool("update", false, "draw the layers in ARCHITECTURE.md")

// room is a package, and what it is for.
type room struct{ path, what string }

// layers lists the packages from top to bottom. A package may import only packages of layers below
// its own. The picture in ARCHITECTURE.md is drawn from this list.
var layers = [][]room{
	{
		{"cmd/erelong", "wiring: signals, exit code"},
		{"bench", "the tables of the papers, ours beside theirs"},
		{"tools/embedz3", "fetches z3 as WebAssembly"},
		{"tools/manual", "manual pages, and completion for shells"},
		{"tools/licences", "collects the licences of what is part of the program"},
		{"tools/playground", "makes the folder of the playground"},
		{"tools/release", "makes what a version is published as"},
		{"tools/site", "the documentation as a site, with a search"},
		{"tools/playground/worker", "the program of the playground, as WebAssembly"},
		{"tools/mutants", "plants small faults, and reports which of them the tests notice"},
		{"tools/terminal", "draws what a terminal shows, as SVG"},
		{"tools/strip", "takes away from a specification what helps a proof"},
		{"tools/rewrite", "says a specification in other words"},
	},
	{
		{"trace/drive", "the public package that leads programs through runs of their specifications"},
		{"internal/cli", "one file a command: flags to options, outcomes to reports"},
		{".", "the public package: load, verify, results, traces, diagnostics"},
	},
	{
		{"internal/serve", "the page in the browser, behind a server on loopback"},
	},
	{
		{"internal/explorer", "the answers to a page: files, engines, states of runs"},
		{"internal/screen", "the simulator on the whole screen of a terminal"},
	},
	{
		{"internal/work/queue", "jobs on NATS: a queue, workers, results, a server inside the program"},
	},
	{
		{"internal/work",
			"tasks of engines as jobs for other processes, and their findings as data"},
	},
	{
		{"internal/lsp", "the language server"},
		{"internal/sim", "stepping through a specification, by commands or by addresses"},
		{"internal/conformance", "is a recorded run of a program a run of a specification"},
	},
	{
		{"internal/certificate", "proofs written down, and checked again"},
		{"internal/report", "terminal table, traces, JSON, HTML"},
		{"internal/verify", "chooses engines, runs them side by side"},
	},
	{
		{"internal/engine/cti", "counterexamples to induction: is the property violated, which invariant is missing"},
		{"internal/engine/infer",
			"invariants found, from samples and counterexamples to induction"},
		{"internal/engine/ranking", "liveness by ranking functions"},
	},
	{
		{"internal/engine/refute", "violations in small instances of many shapes"},
		{"internal/engine/ranking/synth", "ranking functions that fit the graphs of small instances"},
	},
	{
		{"internal/engine/accel", "exactly the reachable states of counter systems"},
		{"internal/engine/horn", "invariants from a solver of Horn clauses"},
		{"internal/engine/bmc", "bounded search over solvers"},
		{"internal/engine/explicit", "finite instances, state by state"},
		{"internal/engine/fbii", "proofs by forward-backward induction with prophecy"},
		{"internal/engine/induction", "proofs by induction over solvers"},
		{"internal/engine/steady", "runs of counters in pieces in which no guard changes"},
		{"internal/engine/temporal", "LTL with fairness on finite instances"},
		{"internal/engine/zone", "timed automata: difference bound matrices"},
		{"internal/export", "specifications for mypyvy"},
	},
	{
		{"internal/engine/explore", "the states of a finite instance in rounds and levels, for observers"},
	},
	{
		{"internal/engine/explore/program", "programs that give the successors of packed states"},
		{"internal/engine", "the contract of all engines: tasks, claims, findings"},
		{"internal/front", "the door for files: which front end reads one"},
	},
	{
		{"internal/front/quint", "reads specifications in Quint"},
	},
	{
		{"internal/testkit", "for tests: systems from text, the solvers that are there, other people's models"},
		{"internal/system/systemtest/computed", "for tests: systems as ones whose steps a front end computes"},
		{"internal/system/systemtest/states", "for tests: a state of generated formulas with every operator"},
		{"internal/compile", "a finite instance to WebAssembly: successors of packed states"},
		{"internal/symmetry", "representatives of orbits"},
		{"internal/front/tla", "reads TLA+ specifications with TLC's configurations"},
		{"internal/front/ivy", "reads protocol models of Ivy"},
		{"internal/front/fast", "reads counter systems of FAST"},
		{"internal/front/threshold", "reads threshold automata of ByMC"},
		{"internal/derive", "algorithms of processes, and the systems derived from them"},
		{"internal/por", "which steps of a finite instance can be put off"},
		{"trace/partial", "the public package that runs programs under partial synchrony"},
		{"trace", "the public package that writes logs of programs, for erelong trace"},
		{"internal/testgen", "runs that cover the actions of an instance"},
		{"internal/explain", "the parts of a formula that decide its value"},
		{"internal/front/ere/rewrite", "the same specification in other words, for tests"},
		{"internal/discharge", "proof obligations: solvers, portfolio, small models"},
		{"internal/vacuity", "what ought to be possible, and which assumptions exclude each other"},
	},
	{
		{"internal/engine/explore/store", "packed states, in memory and on disk"},
		{"internal/conformance/bounds", "Delta and Phi of a recorded run"},
		{"internal/conformance/observe", "declarations that relate events of a log to a specification"},
		{"internal/interp", "the interpreter: oracle of every engine"},
		{"internal/bounds", "bounds of linear expressions after steps with many branches"},
		{"internal/border", "the condition on numbers under which something holds"},
		{"internal/vc", "runs in logic: theories over copies of the symbols"},
		{"internal/front/ere", "the language: a text becomes a system"},
		{"internal/front/ere/flat/oracletest",
			"for tests: structured data without flattening, and generated files"},
		{"internal/front/ere/printer", "syntax trees as text"},
		{"internal/front/ere/strip", "a file without its help for proofs"},
		{"internal/front/uppaal", "reads models of UPPAAL: XTA, XML"},
		{"internal/front/tla/translate", "a TLA+ specification in erelong's language"},
		{"internal/front/tla/eval", "computes what a TLA+ model says: initial states, steps, formulas"},
	},
	{
		{"internal/smt", "solvers, SMT-LIB"},
		{"internal/conformance/runlog", "recorded runs of programs, line by line"},
		{"internal/front/tla/tlatest", "for tests: generated models in TLA+"},
		{"internal/front/tla/names", "what each name of a file in TLA+ stands for"},
		{"internal/front/tla/types", "types of the expressions of a TLA+ specification"},
		{"internal/front/ere/check", "names, sorts, the IR"},
		{"internal/front/ere/flat", "structured data as relations and functions"},
		{"internal/front/ere/format", "layout"},
		{"internal/front/ere/lint", "what is allowed and rarely meant"},
		{"internal/front/ere/names", "what each name of a file stands for"},
		{"internal/system/systemtest", "generated systems, for tests"},
	},
	{
		{"internal/front/ere/build", "makes syntax trees"},
		{"internal/front/tla/core", "one expression for each formula of a TLA+ specification"},
	},
	{
		{"internal/diagram", "charts of runs and graphs of states, as text and as SVG"},
		{"internal/itf", "traces in files"},
		{"internal/project", "the settings of a project, in erelong.toml"},
		{"internal/front/ere/syntax", "tokens, parser, tree"},
		{"internal/front/tla/syntax", "tokens, parser, tree of TLA+ and of TLC's configurations"},
		{"internal/system", "THE IR: a typed transition system, the two renderings of actions, validation, dump"},
		{"internal/smt/wasmz3", "z3 inside the program"},
	},
	{
		{"internal/logic", "sorted first-order terms"},
		{"internal/front/parse", "what parsers share: tokens, a cursor over them, the end at an error"},
		{"internal/result", "verdicts, traces, evidence"},
		{"internal/wasm/unwind", "C++ exceptions of a module without a host"},
		{"internal/timed", "networks of timed automata: their steps, and the check of timed runs"},
	},
	{
		{"internal/presburger", "sets of integer vectors as automata over digits"},
		{"internal/value", "values of untyped set theory, as TLA+ has them"},
		{"internal/effort", "the work of a search, counted, and its limit"},
		{"internal/slab", "values allocated many at a time"},
		{"internal/sat", "propositional formulas, for many small questions"},
		{"docs", "the pages for users, as part of the program"},
		{"internal/diag", "positions, error codes and their catalogue, messages"},
		{"internal/wasm", "an encoder of modules"},
		{"internal/derive/roundstest",
			"the oracle of protocols: rounds as they are stated, for tests"},
		{"internal/derive/oracletest",
			"the oracle of algorithms: the paper as it stands, for tests"},
	},
}

func TestImportsGoDownwards(t *testing.T) {
	level := map[string]int{}
	for i, packages := range layers {
		for _, p := range packages {
			level[path.Join(module, p.path)] = i
		}
	}
	root := filepath.Join("..", "..")
	seen := 0
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && name != root {
			if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil {
				return fs.SkipDir // another module
			}
		}
		if err != nil || d.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(name))
		if err != nil {
			return err
		}
		self := path.Join(module, filepath.ToSlash(rel))
		from, ok := level[self]
		if !ok {
			t.Errorf("%s is not in the list of layers", self)
			return nil
		}
		seen++
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range file.Imports {
			imported, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			if !strings.HasPrefix(imported, module+"/") {
				continue
			}
			if to, ok := level[imported]; !ok || to <= from {
				t.Errorf("%s imports %s, which is not below it", name, imported)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen == 0 {
		t.Error("no files found")
	}
}

// The picture of the layers in ARCHITECTURE.md is that of the list, which the imports obey.
func TestPictureOfLayers(t *testing.T) {
	var picture strings.Builder
	for i, packages := range layers {
		if i > 0 {
			picture.WriteString("────\n")
		}
		for _, p := range packages {
			name := p.path
			if name == "." {
				name = "(root)"
			}
			fmt.Fprintf(&picture, "%-30s  %s\n", name, p.what)
		}
	}
	file := filepath.Join("..", "..", "ARCHITECTURE.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), "```\n")
	drawn, after, closed := strings.Cut(rest, "```\n")
	if !found || !closed {
		t.Fatal("ARCHITECTURE.md has no picture")
	}
	if *update {
		if err := os.WriteFile(file, []byte(before+"```\n"+picture.String()+"```\n"+after),
			0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if drawn != picture.String() {
		t.Error("the picture in ARCHITECTURE.md is not that of the layers: go test ./internal/archtest -update")
	}
}

// Command mutants plants small faults into packages and reports which of them the tests notice.
//
// In: packages of the module (without any, the ones of targets.go). Out: a table by package, the
// faults that survived, and with -json everything. A fault is one change of one place: a comparison
// weakened or inverted, a connective exchanged, a condition negated, a constant off by one, a
// statement or an element left out, a loop without its first or last element, another truth value,
// a function replaced by its dual, two arguments exchanged. The faults are chosen by a seed, spread
// over the files of the package.
//
// The score of a test suite by planted faults is mutation analysis (DeMillo, Lipton and Sayward,
// Hints on test data selection, 1978). A fault that cannot change what the program does counts
// neither way; equivalent.txt lists them, with the reason.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
	"time"
)

// options are the flags of the command.
type options struct {
	count int
	seed  int
	site  *regexp.Regexp
	list  bool
	json  string
	own   bool
}

func main() {
	o := options{}
	flag.IntVar(&o.count, "n", 30, "how many faults are planted in each package")
	flag.IntVar(&o.seed, "seed", 1, "chooses the faults")
	flag.BoolVar(&o.list, "list", false, "list the faults that would be planted")
	flag.StringVar(&o.json, "json", "", "write all findings to this file")
	flag.BoolVar(&o.own, "own", false, "ask only the tests of the package itself")
	site := flag.String("site", "", "plant only the faults whose description matches, all of them")
	flag.Parse()
	var err error
	if *site != "" {
		o.site, err = regexp.Compile(*site)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err == nil {
		err = all(ctx, o, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func all(ctx context.Context, o options, packages []string) error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	reasons, err := readEquivalents(equivalents)
	if err != nil {
		return fmt.Errorf("equivalent.txt: %w", err)
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p := &planter{root: root, dir: dir, slack: 10 * time.Second,
		baseline: map[suite]effort{}}
	var scores []score
	for _, t := range targets {
		if len(packages) > 0 && !slices.Contains(packages, t.pkg) {
			continue
		}
		if o.own {
			t.suites = slices.DeleteFunc(slices.Clone(t.suites), func(s suite) bool {
				return s.pkg != t.suites[0].pkg
			})
		}
		s, err := p.score(ctx, o, t, reasons)
		scores = append(scores, s)
		if err != nil {
			return err
		}
	}
	if o.list {
		return nil
	}
	for _, s := range scores {
		details(os.Stdout, s)
	}
	table(os.Stdout, scores)
	if o.json == "" {
		return nil
	}
	data, err := json.MarshalIndent(scores, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Clean(o.json), data, 0o644)
}

// score plants the faults of one package. A fault that does not compile is replaced by the next.
func (p *planter) score(ctx context.Context, o options, t target,
	reasons map[string]string) (score, error) {
	sites, err := sitesOf(p.root, t)
	out := score{Package: t.pkg, Places: len(sites)}
	if err != nil {
		return out, err
	}
	planted := 0
	for _, s := range pick(sites, o.seed) {
		switch {
		case o.site != nil && !o.site.MatchString(s.key()):
			continue
		case o.site == nil && planted == o.count:
			return out, nil
		case o.list:
			fmt.Printf("%s (line %d)\n", s.key(), s.line)
			planted++
			continue
		}
		found := finding{Fault: s.key(), Line: s.line, Outcome: equivalent, Why: reasons[s.key()]}
		if found.Why == "" {
			if found, err = p.find(ctx, t, s); err != nil {
				return out, err
			}
		}
		if found.Outcome != noProgram {
			planted++
		}
		fmt.Printf("%2d %s: %s (line %d) %s %s\n", planted, found.Outcome, found.Fault, found.Line,
			found.By, found.Seed)
		out.Findings = append(out.Findings, found)
	}
	return out, nil
}

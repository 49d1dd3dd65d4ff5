// Command bench measures the tables of the papers and prints erelong's figures beside theirs.
//
// In: the program to measure (-erelong), and which tables (-table). Out: text tables, and a JSON
// file with the date, the processor count and the versions. Each row is one run of the program in a
// process of its own, so that the operating system measures CPU time and peak memory. States,
// depths and verdicts are compared with known values; a difference fails the run. The speed of the
// machine does not: compare times in ratios within one run.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	program := flag.String("erelong", "bin/erelong", "the program to measure")
	only := flag.String("table", "", "names of tables, separated by commas; all if empty")
	out := flag.String("out", "", "where the JSON goes; bench/results/DATE.json if empty")
	at := &places{folders: map[string]*string{}}
	flag.StringVar(&at.mypyvy, "mypyvy", "", "a clone of mypyvy, for the table of that name")
	for _, c := range []*clone{authors, uppaal, tlaExamples, thresholdAutomata} {
		at.folders[c.Flag] = flag.String(c.Flag, "", c.What)
	}
	flag.StringVar(&at.figures, "tlc-figures", "../shared/golden/tla",
		"a folder with TLC's recorded figures, for tla")
	flag.StringVar(&at.tlc, "tlc", "", "the class path of TLC, to measure it beside erelong in tla")
	flag.DurationVar(&at.limit, "limit", 0, "how long a row of tla may take; no limit if it is 0")
	older := flag.String("compare", "", "another program, to run the rows of the tables with both "+
		"in turn and say which changed by more than noise")
	list := flag.Bool("list", false, "list the tables")
	flag.Parse()
	if *list {
		for _, t := range tables {
			fmt.Printf("%-14s %s\n", t.Name, t.Title)
		}
		return
	}
	if *older != "" {
		wanted, err := chosen(*only)
		if err == nil {
			err = compare(*older, *program, wanted)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(*program, *only, *out, at); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// comparison is what the program writes: the measured rows, and what measured them.
type comparison struct {
	Date    string     `json:"date"`
	CPUs    int        `json:"cpus"`
	Go      string     `json:"go"`
	System  string     `json:"system"`
	Version string     `json:"version"`
	Solvers []string   `json:"solvers"`
	Inside  string     `json:"inside"` // doctor's line on the solver inside the program
	Size    int64      `json:"size"`   // of the program, in bytes
	Rows    []Measured `json:"rows"`
}

// places are where the files and programs of others are.
type places struct {
	folders      map[string]*string // by the flags of clones
	mypyvy       string
	figures, tlc string
	limit        time.Duration
}

func run(program, only, out string, at *places) error {
	wanted, err := chosen(only)
	if err != nil {
		return err
	}
	report := describe(program)
	fmt.Printf("%s: %.1f MB; %s\n", program, float64(report.Size)/1e6, report.Inside)
	for _, t := range wanted {
		fmt.Printf("\n%s\n", t.Title)
		switch {
		case t.Long && only == "":
			fmt.Printf("left out: it takes long; run it with: go run ./bench -table %s\n", t.Name)
			continue
		case t.Inside && !strings.Contains(report.Inside, "self-test passed"):
			fmt.Println("left out: this program has no z3 inside; build it with: make build-embed")
			continue
		case t.Clone != nil:
			if t.Rows = t.Clone.within(*at.folders[t.Clone.Flag], t.Rows); t.Rows == nil {
				continue
			}
		}
		measureTable := t.measure
		if t.Own != nil {
			measureTable = func(program string) ([]Measured, error) { return t.Own(program, at) }
		}
		rows, err := measureTable(program)
		if err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		report.Rows = append(report.Rows, rows...)
	}
	if err := report.write(out); err != nil {
		return err
	}
	wrong := 0
	for _, m := range report.Rows {
		if m.Wrong != "" {
			wrong++
		}
	}
	if wrong > 0 {
		return fmt.Errorf("%d rows differ from what is known to be right", wrong)
	}
	return nil
}

// chosen are the tables with the names, all if there are none.
func chosen(only string) (out []table, err error) {
	names := strings.FieldsFunc(only, func(r rune) bool { return r == ',' })
	for _, n := range names {
		if !slices.ContainsFunc(tables, func(t table) bool { return t.Name == n }) {
			return nil, fmt.Errorf("there is no table %q; -list shows them", n)
		}
	}
	for _, t := range tables {
		if len(names) == 0 || slices.Contains(names, t.Name) {
			out = append(out, t)
		}
	}
	return out, nil
}

// describe says what is measured, and where.
func describe(program string) *comparison {
	c := &comparison{
		Date: time.Now().UTC().Format(time.RFC3339), CPUs: runtime.NumCPU(), Go: runtime.Version(),
		System: runtime.GOOS + "/" + runtime.GOARCH, Version: firstLine(program, "version"),
	}
	for _, s := range []string{"z3", "cvc5"} {
		if v := firstLine(s, "--version"); v != "" {
			c.Solvers = append(c.Solvers, v)
		}
	}
	if text, err := exec.Command(program, "doctor").Output(); err == nil {
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, "z3-wasm") {
				c.Inside = strings.Join(strings.Fields(line), " ")
			}
		}
	}
	if info, err := os.Stat(program); err == nil {
		c.Size = info.Size()
	}
	return c
}

func (c *comparison) write(out string) error {
	if out == "" {
		out = filepath.Join("bench", "results", time.Now().UTC().Format("2006-01-02")+".json")
	}
	text, err := json.MarshalIndent(c, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(out, append(text, '\n'), 0o644); err != nil {
		return err
	}
	fmt.Printf("\nwritten to %s\n", filepath.ToSlash(out))
	return nil
}

// measure runs the rows of a table and prints each as it is measured.
func (t table) measure(program string) (out []Measured, err error) {
	if len(t.Rows) == 0 {
		fmt.Println("its files are not there")
		return nil, nil
	}
	switch r := t.Rows[0]; {
	case r.Stripped:
		fmt.Printf("%-36s %-14s %9s %7s %12s %10s\n", "", "verdict", "cpu s", "lemmas",
			t.Paper[0], t.Paper[1])
	case r.Live != nil:
		liveHeader()
	case r.Of != nil:
		unaidedHeader()
	default:
		printRow(append([]string{"", "verdict", "states", "depth", "seconds", "cpu s",
			"st/cpu s", "B/state", "proved", "solver s"}, t.Paper...))
	}
	var reachability Measured
	for _, r := range t.Rows {
		m, err := measure(program, t, r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Name, err)
		}
		if r.Spin != nil {
			figures, err := r.Spin.run()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", r.Name, err)
			}
			r.Paper, m.Paper["Spin"] = []string{figures}, figures
		}
		if r.Reaches {
			reachability = m
		} else if t.Ratio {
			ratio := fmt.Sprintf("%.2f", m.CPUSeconds/reachability.CPUSeconds)
			r.Paper, m.Paper[t.Paper[0]] = []string{ratio}, ratio
		}
		out = append(out, m)
		switch {
		case r.Stripped:
			inferRow(m, r.Paper)
		case r.Live != nil:
			liveRows(m, r.Live)
		case r.Of != nil:
			unaidedRow(m, r.Of)
		default:
			printRow(append(cells(m), r.Paper...))
		}
		if m.Wrong != "" {
			fmt.Printf("  WRONG: %s\n", m.Wrong)
		}
	}
	return out, nil
}

// printRow prints columns of fixed widths, so that rows can appear as they are measured.
func printRow(cells []string) {
	widths := []int{-33, -13, 12, 6, 9, 9, 9, 8, 9, 9}
	var b strings.Builder
	for i, c := range cells {
		if i < len(widths) {
			fmt.Fprintf(&b, "%*s ", widths[i], c)
		} else {
			fmt.Fprintf(&b, " %-20s ", c)
		}
	}
	fmt.Println(strings.TrimRight(b.String(), " "))
}

func cells(m Measured) []string {
	rate, size, states, depth, proved, solver := "-", "-", "-", "-", "-", "-"
	if m.Obligations > 0 {
		proved, solver = fmt.Sprintf("%d/%d", m.Proved, m.Obligations),
			fmt.Sprintf("%.2f", m.SolverTime)
	}
	if m.Depth > 0 {
		depth = strconv.FormatInt(m.Depth, 10)
	}
	if m.States > 0 {
		states = strconv.FormatInt(m.States, 10)
		size = fmt.Sprintf("%.0f", float64(m.PeakBytes)/float64(m.States))
		if m.CPUSeconds > 0 {
			rate = fmt.Sprintf("%.2fM", float64(m.States)/m.CPUSeconds/1e6)
		}
	}
	return []string{m.Row, m.Verdict, states, depth, fmt.Sprintf("%.2f", m.WallSeconds),
		fmt.Sprintf("%.2f", m.CPUSeconds), rate, size, proved, solver}
}

func firstLine(program string, args ...string) string {
	text, err := exec.Command(program, args...).Output()
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return line
}

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
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	program := flag.String("erelong", "bin/erelong", "the program to measure")
	only := flag.String("table", "", "names of tables, separated by commas; all if empty")
	out := flag.String("out", "", "where the JSON goes; bench/results/DATE.json if empty")
	mypyvy := flag.String("mypyvy", "", "a clone of mypyvy, for the table of that name")
	folders := map[string]*string{}
	for _, c := range []*clone{authors, uppaal} {
		folders[c.Flag] = flag.String(c.Flag, "", c.What)
	}
	list := flag.Bool("list", false, "list the tables")
	flag.Parse()
	if *list {
		for _, t := range tables {
			fmt.Printf("%-14s %s\n", t.Name, t.Title)
		}
		return
	}
	if err := run(*program, *only, *out, *mypyvy, folders); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// Measured is one row's outcome.
type Measured struct {
	Table       string   `json:"table"`
	Row         string   `json:"row"`
	Args        []string `json:"args"`
	Verdict     string   `json:"verdict"`
	States      int64    `json:"states"`
	Transitions int64    `json:"transitions"`
	Depth       int64    `json:"depth"`
	Queries     int64    `json:"queries"`
	// Obligations of all properties: the row's property and its invariants.
	Proved      int64 `json:"proved"`
	Obligations int64 `json:"obligations"`
	// The sum over the obligations, some of which run in parallel.
	SolverTime  float64           `json:"solver_seconds"`
	WallSeconds float64           `json:"wall_seconds"`
	CPUSeconds  float64           `json:"cpu_seconds"`
	PeakBytes   int64             `json:"peak_bytes"`
	Paper       map[string]string `json:"paper,omitempty"`
	Wrong       string            `json:"wrong,omitempty"`
	Lemmas      int               `json:"lemmas,omitempty"`  // that were found
	Missing     string            `json:"missing,omitempty"` // where a row is not proved without help
	// Of liveness.
	Hints          map[string]int     `json:"hints,omitempty"`
	InvariantLines int                `json:"invariant_lines,omitempty"`
	Stages         map[string]float64 `json:"stage_seconds,omitempty"`
}

func run(program, only, out, mypyvy string, folders map[string]*string) error {
	report := struct {
		Date    string     `json:"date"`
		CPUs    int        `json:"cpus"`
		Go      string     `json:"go"`
		System  string     `json:"system"`
		Version string     `json:"version"`
		Solvers []string   `json:"solvers"`
		Inside  string     `json:"inside"` // doctor's line on the solver inside the program
		Size    int64      `json:"size"`   // of the program, in bytes
		Rows    []Measured `json:"rows"`
	}{
		Date: time.Now().UTC().Format(time.RFC3339), CPUs: runtime.NumCPU(), Go: runtime.Version(),
		System: runtime.GOOS + "/" + runtime.GOARCH, Version: firstLine(program, "version"),
	}
	for _, s := range []string{"z3", "cvc5"} {
		if v := firstLine(s, "--version"); v != "" {
			report.Solvers = append(report.Solvers, v)
		}
	}
	if text, err := exec.Command(program, "doctor").Output(); err == nil {
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, "z3-wasm") {
				report.Inside = strings.Join(strings.Fields(line), " ")
			}
		}
	}
	if info, err := os.Stat(program); err == nil {
		report.Size = info.Size()
	}
	fmt.Printf("%s: %.1f MB; %s\n", program, float64(report.Size)/1e6, report.Inside)
	wanted := strings.FieldsFunc(only, func(r rune) bool { return r == ',' })
	for _, w := range wanted {
		if !slices.ContainsFunc(tables, func(t table) bool { return t.Name == w }) {
			return fmt.Errorf("there is no table %q; -list shows them", w)
		}
	}
	wrong := 0
	for _, t := range tables {
		if len(wanted) > 0 && !slices.Contains(wanted, t.Name) {
			continue
		}
		fmt.Printf("\n%s\n", t.Title)
		if t.Long && len(wanted) == 0 {
			fmt.Printf("left out: it takes long; run it with: go run ./bench -table %s\n", t.Name)
			continue
		}
		if t.Inside && !strings.Contains(report.Inside, "self-test passed") {
			fmt.Println("left out: this program has no z3 inside; build it with: make build-embed")
			continue
		}
		if t.Name == mypyvyTable {
			rows, err := versusMypyvy(program, mypyvy)
			if err != nil {
				return fmt.Errorf("%s: %w", t.Name, err)
			}
			report.Rows = append(report.Rows, rows...)
			for _, m := range rows {
				if m.Wrong != "" {
					wrong++
				}
			}
			continue
		}
		if t.Clone != nil {
			if t.Rows = t.Clone.within(*folders[t.Clone.Flag], t.Rows); t.Rows == nil {
				continue
			}
		}
		if len(t.Rows) == 0 {
			fmt.Println("its files are not there")
			continue
		}
		if t.Rows[0].Stripped {
			fmt.Printf("%-36s %-14s %9s %7s %12s %10s\n", "", "verdict", "cpu s", "lemmas",
				t.Paper[0], t.Paper[1])
		} else if t.Rows[0].Live != nil {
			liveHeader()
		} else if t.Rows[0].Of != nil {
			unaidedHeader()
		} else {
			printRow(append([]string{"", "verdict", "states", "depth", "seconds", "cpu s",
				"st/cpu s", "B/state", "proved", "solver s"}, t.Paper...))
		}
		var reachability Measured
		for _, r := range t.Rows {
			m, err := measure(program, t, r)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", t.Name, r.Name, err)
			}
			if r.Spin != nil {
				figures, err := r.Spin.run()
				if err != nil {
					return fmt.Errorf("%s, %s: %w", t.Name, r.Name, err)
				}
				r.Paper, m.Paper["Spin"] = []string{figures}, figures
			}
			if r.Reaches {
				reachability = m
			} else if t.Ratio {
				ratio := fmt.Sprintf("%.2f", m.CPUSeconds/reachability.CPUSeconds)
				r.Paper, m.Paper[t.Paper[0]] = []string{ratio}, ratio
			}
			report.Rows = append(report.Rows, m)
			if r.Stripped {
				inferRow(m, r.Paper)
			} else if r.Live != nil {
				liveRows(m, r.Live)
			} else if r.Of != nil {
				unaidedRow(m, r.Of)
			} else {
				printRow(append(cells(m), r.Paper...))
			}
			if m.Wrong != "" {
				wrong++
				fmt.Printf("  WRONG: %s\n", m.Wrong)
			}
		}
	}
	if out == "" {
		out = filepath.Join("bench", "results", time.Now().UTC().Format("2006-01-02")+".json")
	}
	text, err := json.MarshalIndent(report, "", " ")
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
	if wrong > 0 {
		return fmt.Errorf("%d rows differ from what is known to be right", wrong)
	}
	return nil
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

// measure runs one row.
func measure(program string, t table, r row) (Measured, error) {
	m := Measured{Table: t.Name, Row: r.Name, Args: r.Args, Paper: map[string]string{}}
	for i, p := range t.Paper {
		if i < len(r.Paper) {
			m.Paper[p] = r.Paper[i]
		}
	}
	if r.Live != nil {
		var err error
		if m.Hints, m.InvariantLines, err = r.Live.guidance(); err != nil {
			return m, err
		}
	}
	args := r.Args
	if r.Stripped || r.Without != "" {
		with, remove, err := stripped(args, r.Without == hintsOnly)
		if err != nil {
			return m, err
		}
		defer remove()
		args = with
	}
	cmd := exec.Command(program, append(slices.Clone(args), "--format", "json", "-q")...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	begin := time.Now()
	text, err := cmd.Output()
	m.WallSeconds = time.Since(begin).Seconds()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return m, err
	}
	m.CPUSeconds = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		m.PeakBytes = usage.Maxrss * 1024
	}
	var got struct {
		Lemmas  []struct{}
		Results []struct {
			Property, Verdict, Kind, Scope      string
			Reason                              struct{ Text string }
			States, Transitions, Depth, Queries int64
			Evidence                            struct {
				Obligations []struct {
					Verdict string
					Seconds float64
				}
				Search struct {
					Stages []struct {
						Name    string
						Seconds float64
					}
				}
			}
		}
	}
	if err := json.Unmarshal(text, &got); err != nil {
		return m, fmt.Errorf("its output is no report (%w): %s%s", err, text, stderr.String())
	}
	if len(got.Results) == 0 {
		return m, fmt.Errorf("no results: %s", stderr.String())
	}
	for _, x := range got.Results {
		m.Queries += x.Queries
		for _, o := range x.Evidence.Obligations {
			m.Obligations++
			m.SolverTime += o.Seconds
			if o.Verdict == "holds" {
				m.Proved++
			}
		}
	}
	m.Lemmas = len(got.Lemmas)
	x := got.Results[0]
	for _, y := range got.Results {
		// Whatever another engine says of the same property; a search has to prove all of them.
		if y.Verdict == "violated" || r.Stripped && y.Verdict != "holds" {
			x = y
			break
		}
	}
	if r.Without != "" { // the row is about liveness
		for _, y := range got.Results {
			if y.Kind == "liveness" && y.Scope == "all" {
				x = y
			}
		}
	}
	if r.Without != "" && x.Verdict != "holds" {
		m.Missing = x.Reason.Text
	}
	for _, s := range x.Evidence.Search.Stages {
		if m.Stages == nil {
			m.Stages = map[string]float64{}
		}
		m.Stages[s.Name] = s.Seconds
	}
	m.Verdict, m.States, m.Transitions, m.Depth = x.Verdict, x.States, x.Transitions, x.Depth
	var wrong []string
	differs := func(what string, got, want int64) {
		if want != 0 && got != want {
			wrong = append(wrong, fmt.Sprintf("%d %s instead of %d", got, what, want))
		}
	}
	differs("states", m.States, r.States)
	differs("transitions", m.Transitions, r.Transitions)
	differs("states deep", m.Depth, r.Depth)
	if r.Verdict != "" && m.Verdict != r.Verdict {
		wrong = append(wrong,
			fmt.Sprintf("%s (%s) instead of %s", m.Verdict, x.Reason.Text, r.Verdict))
	}
	m.Wrong = strings.Join(wrong, ", ")
	return m, nil
}

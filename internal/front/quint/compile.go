package quint

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"erelong.dev/erelong/internal/diag"
)

// candidate is a module of a text that may be the one that is meant.
type candidate struct {
	*file
	chosen bool // the compiler chooses it
	claims bool // it claims something, or a module does that it imports
}

// rank says how well a module serves, by a number of at least 1: one that does not compile has 0.
type rank func(candidate) int

// best is the rank of a module than which none serves better.
const best = 4

// compile has the program quint compile the module of a text that serves best. It gives the places
// of its nodes, too.
func compile(ctx context.Context, name string, serves rank) (compiled, places string, err error) {
	program, err := exec.LookPath("quint")
	if err != nil {
		return "", "", fmt.Errorf("%s is a text, which the program quint compiles, and there is "+
			"none on the PATH: install it with npm i -g @informalsystems/quint, or give what it "+
			"compiled elsewhere: quint compile --target json %s > %[1]s.json", name,
			filepath.Base(name))
	}
	dir, err := os.MkdirTemp("", "erelong-quint-")
	if err != nil {
		return "", "", fmt.Errorf("compiling %s: %w", name, err)
	}
	defer os.RemoveAll(dir)
	at, tree := filepath.Join(dir, "places.json"), filepath.Join(dir, "tree.json")
	parsed := make(chan error, 1)
	go func() {
		_, err := run(ctx, program, filepath.Join(dir, "parsed"), "parse", "--source-map", at,
			"--out", tree, name)
		parsed <- err
	}()
	c := &compiler{program: program, name: name, file: filepath.Join(dir, "out.json")}
	c.tree = sync.OnceValue(func() *output {
		if <-parsed == nil {
			if text, err := os.ReadFile(tree); err == nil {
				if out, err := decode(string(text)); err == nil {
					return out
				}
			}
		}
		return &output{}
	})
	out, options, err := c.machine(ctx, serves)
	c.tree()
	if err != nil {
		return "", "", err
	}
	if text, err := os.ReadFile(at); err == nil {
		places = string(text)
	}
	return c.claiming(ctx, out, options), places, nil
}

// compiler compiles a text. It writes to a file, since it ends before all of a long output is in a
// pipe.
type compiler struct {
	program, name, file string
	tree                func() *output // the modules as they are written; none where it is broken
}

// machine compiles the state machine of a text by its usual names. A text without one may have
// runs: their definitions are compiled with a machine that does nothing. It takes the first module
// that serves best, and gives the options for it, too.
func (c *compiler) machine(ctx context.Context, serves rank) (out string, by []string, err error) {
	text, err := os.ReadFile(c.name)
	if err != nil {
		return "", nil, fmt.Errorf("reading the text: %w", err)
	}
	mains := mains(string(text), strings.TrimSuffix(filepath.Base(c.name), ".qnt"))
	most := -1
	for _, main := range mains {
		text, options, e := c.named(ctx, main)
		if ctx.Err() != nil {
			return "", nil, e
		}
		r := 0
		if o, broken := decode(text); e == nil && broken == nil {
			f := newFile(o, &places{}, &diag.List{})
			r = serves(candidate{f, main == nil, f.main != nil &&
				(len(f.claims()) > 0 || len(imported(c.tree(), f.main.Name)) > 0)})
		}
		if r > most {
			out, by, err, most = text, options, e, r
		}
		if most >= best {
			break
		}
	}
	return out, by, err
}

// mains are the options that choose the modules of a text, in the order in which they are tried:
// the one that the compiler chooses, which has the name of the file; then the ones whose names
// begin with it, as its instances and tests do; and then all others. They go from the last to the
// first.
func mains(text, chosen string) [][]string {
	var first, named, others [][]string
	found := moduleName.FindAllStringSubmatch(text, -1)
	for _, m := range slices.Backward(found) {
		switch main := m[1]; {
		case len(found) == 1 || main == chosen:
			first = [][]string{nil}
		case strings.HasPrefix(main, chosen):
			named = append(named, []string{"--main", main})
		default:
			others = append(others, []string{"--main", main})
		}
	}
	if len(found) == 0 {
		return [][]string{nil} // the compiler says what is wrong
	}
	return slices.Concat(first, named, others)
}

// claiming is what is compiled with the claims of the modules that the main one imports, if there
// are some: the compiler leaves out what nothing uses.
func (c *compiler) claiming(ctx context.Context, out string, options []string) string {
	compiled, err := decode(out)
	if err != nil {
		return out
	}
	f := newFile(compiled, &places{}, &diag.List{})
	if f.main == nil || !f.stateful() {
		return out
	}
	more := imported(c.tree(), f.main.Name)
	if len(more) == 0 {
		return out
	}
	for name, option := range f.claims() {
		more[name] = option
	}
	for range 2 { // types are known when it is compiled: some of them may be no formulas
		text, wrong := c.with(ctx, more, options)
		if len(wrong) == 0 {
			return cmp.Or(text, out)
		}
		for _, name := range wrong {
			delete(more, name)
		}
	}
	return out
}

// with compiles a module with claims. It gives the ones that are no formulas.
func (c *compiler) with(
	ctx context.Context, claims map[string]string, options []string,
) (out string, wrong []string) {
	names := map[string][]string{}
	for name, option := range claims {
		names[option] = append(names[option], name)
	}
	for _, o := range [][2]string{{"--invariant", invariant}, {"--temporal", properties}} {
		if of := names[o[1]]; len(of) > 0 {
			slices.Sort(of)
			options = append(options, o[0], strings.Join(of, ","))
		}
	}
	out, err := run(ctx, c.program, c.file, append(options, c.name)...)
	if err != nil {
		return "", nil
	}
	compiled, err := decode(out)
	if err != nil {
		return "", nil
	}
	f := newFile(compiled, &places{}, &diag.List{})
	for option, of := range names {
		if d := f.defs[option]; d != nil {
			for i, x := range d.Expr.Args {
				if _, ok := f.named(x); !ok && i < len(of) {
					wrong = append(wrong, of[i])
				}
			}
		}
	}
	return out, wrong
}

// named compiles a module whose initial states and steps have one of the usual pairs of names.
func (c *compiler) named(
	ctx context.Context, main []string,
) (out string, options []string, err error) {
	for _, names := range [][2]string{{"init", "step"}, {"Init", "Next"}, {"true", "true"}} {
		options = slices.Concat([]string{"compile", "--target", "json", "--init", names[0],
			"--step", names[1]}, main)
		out, err = run(ctx, c.program, c.file, append(options, c.name)...)
		if f := new(failure); !errors.As(err, &f) || !slices.Contains(f.codes, unknownName) {
			break
		}
	}
	return out, slices.Clip(options), err
}

// unknownName is the compiler's code of a name that is not there.
const unknownName = "QNT404"

// failure is what the compiler says of a text, with the codes of its errors.
type failure struct {
	text  string
	codes []string
}

func (f *failure) Error() string { return f.text }

var errorCode = regexp.MustCompile(`QNT\d+`)

var moduleName = regexp.MustCompile(`(?m)^[ \t]*module[ \t]+(\w+)`)

// run runs the program, and gives what it writes, which is in a file for a while.
func run(ctx context.Context, program, file string, args ...string) (string, error) {
	fail := func(err error) (string, error) {
		return "", fmt.Errorf("quint %s: %w", args[0], err)
	}
	out, err := os.Create(file)
	if err != nil {
		return fail(err)
	}
	defer out.Close()
	var errs bytes.Buffer
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdout, cmd.Stderr = out, &errs
	if err := cmd.Run(); err != nil {
		var failed *exec.ExitError
		if errors.As(err, &failed) && ctx.Err() == nil {
			text := strings.TrimSpace(errs.String())
			return fail(&failure{text, errorCode.FindAllString(text, -1)})
		}
		return fail(errors.Join(err, ctx.Err()))
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return fail(err)
	}
	return string(text), nil
}

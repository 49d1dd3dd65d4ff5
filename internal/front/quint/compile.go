package quint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// compile has the program quint compile a text. It gives the places of its nodes, too.
func compile(ctx context.Context, name string) (compiled, places string, err error) {
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
	at := filepath.Join(dir, "places.json")
	parsed := make(chan error, 1)
	go func() {
		_, err := run(ctx, program, filepath.Join(dir, "parsed"), "parse", "--source-map", at, name)
		parsed <- err
	}()
	out, err := machine(ctx, program, name, filepath.Join(dir, "out.json"))
	if e := <-parsed; e == nil && err == nil {
		if text, err := os.ReadFile(at); err == nil {
			places = string(text)
		}
	}
	return out, places, err
}

// machine compiles the state machine of a text by its usual names. A text without one may have
// runs: their definitions are compiled with a machine that does nothing. Where the module that the
// compiler chooses is not there, or leaves constants open, this is the last one of the text. The
// compiler writes to a file, since it ends before all of a long output is in a pipe.
func machine(ctx context.Context, program, name, file string) (out string, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("reading the text: %w", err)
	}
	var modules []string
	for _, m := range moduleName.FindAllSubmatch(text, -1) {
		modules = append(modules, string(m[1]))
	}
	options := [][]string{nil}
	if len(modules) > 1 {
		options = append(options, []string{"--main", modules[len(modules)-1]})
		if !slices.Contains(modules, strings.TrimSuffix(filepath.Base(name), ".qnt")) {
			options = options[1:]
		}
	}
	for _, main := range options {
		for _, names := range [][2]string{{"init", "step"}, {"Init", "Next"}, {"true", "true"}} {
			out, err = run(ctx, program, file, slices.Concat([]string{"compile", "--target",
				"json", "--init", names[0], "--step", names[1]}, main, []string{name})...)
			if f := new(failure); !errors.As(err, &f) || !slices.Contains(f.codes, unknownName) {
				break
			}
		}
		if err != nil || !open(out) {
			break
		}
	}
	return out, err
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

// open reports whether a compiled module has constants without values.
func open(compiled string) bool {
	out, err := decode(compiled)
	return err == nil && out.main() != nil && slices.ContainsFunc(out.main().Declarations,
		func(d *declaration) bool { return d.Kind == "const" })
}

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

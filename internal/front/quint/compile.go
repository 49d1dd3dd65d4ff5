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

	"erelong.dev/erelong/internal/diag"
)

// compile has the program quint compile a text, of which it takes a module that serves, if there is
// one. It gives the places of its nodes, too.
func compile(
	ctx context.Context, name string, serves func(*file) bool,
) (compiled, places string, err error) {
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
	out, err := machine(ctx, program, name, filepath.Join(dir, "out.json"), serves)
	if e := <-parsed; e == nil && err == nil {
		if text, err := os.ReadFile(at); err == nil {
			places = string(text)
		}
	}
	return out, places, err
}

// machine compiles the state machine of a text by its usual names. A text without one may have
// runs: their definitions are compiled with a machine that does nothing. The modules that it tries
// are the one that the compiler chooses, and then all from the last one to the first: it takes the
// first one that serves, or else one that compiles, with values for its constants if possible. The
// compiler writes to a file, since it ends before all of a long output is in a pipe.
func machine(
	ctx context.Context, program, name, file string, serves func(*file) bool,
) (out string, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("reading the text: %w", err)
	}
	chosen := strings.TrimSuffix(filepath.Base(name), ".qnt")
	var options [][]string
	found := moduleName.FindAllSubmatch(text, -1)
	for _, m := range slices.Backward(found) {
		if main := string(m[1]); len(found) == 1 || main == chosen {
			options = slices.Insert(options, 0, nil)
		} else {
			options = append(options, []string{"--main", main})
		}
	}
	if len(found) == 0 {
		options = [][]string{nil} // the compiler says what is wrong
	}
	compiled, closed := false, false // out is there, and has no open constants
	for _, main := range options {
		text, e := named(ctx, program, name, file, main)
		if ctx.Err() != nil {
			return "", e
		}
		whole := false
		if o, broken := decode(text); e == nil && broken == nil {
			f := newFile(o, &places{}, &diag.List{})
			if serves(f) {
				return text, nil
			}
			whole = f.main != nil && len(f.constants()) == 0
		}
		if !compiled || whole && !closed {
			out, err, compiled, closed = text, e, e == nil, whole
		}
	}
	return out, err
}

// named compiles a module whose initial states and steps have one of the usual pairs of names.
func named(
	ctx context.Context, program, name, file string, main []string,
) (out string, err error) {
	for _, names := range [][2]string{{"init", "step"}, {"Init", "Next"}, {"true", "true"}} {
		out, err = run(ctx, program, file, slices.Concat([]string{"compile", "--target",
			"json", "--init", names[0], "--step", names[1]}, main, []string{name})...)
		if f := new(failure); !errors.As(err, &f) || !slices.Contains(f.codes, unknownName) {
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

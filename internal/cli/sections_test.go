package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// Each flag of a command with many of them is in one section, and is explained where it is rare.
func TestSections(t *testing.T) {
	help := func(args ...string) string {
		t.Helper()
		var out, errOut bytes.Buffer
		if code := Main(t.Context(), args, nil, &out, &errOut); code != ExitHolds {
			t.Fatalf("%v: exit code %d\n%s", args, code, &errOut)
		}
		return out.String()
	}
	root := rootCommand(&streams{in: new(bytes.Buffer), out: new(bytes.Buffer),
		err: new(bytes.Buffer)})
	for _, c := range root.Commands() {
		text := help("help", c.Name())
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && c.IsAvailableCommand() && !strings.Contains(text, "--"+f.Name) {
				t.Errorf("the help of %s lacks --%s", c.Name(), f.Name)
			}
		})
	}
	large := 0
	for _, c := range root.Commands() {
		var names []string
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		names = slices.DeleteFunc(names, func(name string) bool { return name == "help" })
		if len(names) < manyFlags || serverSide(c) {
			continue
		}
		large++
		text := help(c.Name(), "--help")
		for _, name := range names {
			in := 0
			for _, s := range sections() {
				if slices.Contains(s.flags, name) || slices.Contains(s.rare, name) {
					in++
				}
				if slices.Contains(s.rare, name) &&
					!strings.Contains(help("help", s.topic), "--"+name+" ") {
					t.Errorf("erelong help %s does not explain --%s", s.topic, name)
				}
			}
			if in != 1 || !strings.Contains(text, "--"+name) {
				t.Errorf("--%s of %s is in %d sections", name, c.Name(), in)
			}
		}
		if lines := strings.Count(text, "\n"); lines > 80 {
			t.Errorf("the help of %s has %d lines", c.Name(), lines)
		}
	}
	if large < 4 {
		t.Errorf("only %d commands have sections", large)
	}
	if text := help("worker", "--help"); !strings.Contains(text, "--nats-ca string") {
		t.Errorf("the flags of worker are its own:\n%s", text)
	}
}

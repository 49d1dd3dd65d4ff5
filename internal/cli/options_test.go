package cli

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// sampleFiles holds a minimal file of each kind.
var sampleFiles = map[kind]struct{ name, text string }{
	specifications: {"sample.ere", "mutable relation on\ninit !on\naction press() { on := true; }\nsafety [stays] on | !on\n"},
	models:         {"sample.xta", "process P() { state a; init a; } system P;\n"},
	certificates:   {"", ""},
}

// For every pair of a command with a kind of file, and every flag of any command: the flag is read,
// because it is in a group of the handler, or it is refused by name.
func TestEveryFlagIsReadOrRefused(t *testing.T) {
	dir := t.TempDir()
	for _, f := range sampleFiles {
		if f.name != "" {
			write(t, filepath.Join(dir, f.name), f.text)
		}
	}
	root := rootCommand(&streams{in: new(bytes.Buffer), out: new(bytes.Buffer),
		err: new(bytes.Buffer)})
	flags := map[string]*pflag.Flag{}
	for _, c := range root.Commands() {
		c.Flags().VisitAll(func(f *pflag.Flag) { flags[f.Name] = f })
	}
	var table strings.Builder
	for _, c := range root.Commands() {
		if slices.Contains([]string{"help", "completion", "report"}, c.Name()) {
			continue // of the library; and report reads results, which is no kind of model
		}
		stranger := strangerFlag(c, flags)
		for _, k := range []kind{specifications, models, certificates} {
			var read []string
			for name, f := range flags {
				if name == recheckFlag {
					continue // it gives the kind of the file
				}
				if c.Flags().Lookup(name) == nil && name != stranger {
					continue // one that the command does not know stands for all of these
				}
				grouped := slices.Contains(strings.Fields(c.Annotations[string(k)]), name)
				if grouped {
					read = append(read, name)
				}
				checkFlag(t, c.Name(), k, dir, f, grouped)
			}
			if len(read) > 0 {
				slices.Sort(read)
				fmt.Fprintf(&table, "%s of %s reads: %s\n", c.Name(), k, strings.Join(read, " "))
			}
		}
	}
	golden := filepath.Join("testdata", "options.golden")
	if *update {
		write(t, golden, table.String())
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if table.String() != string(want) {
		t.Errorf("what the commands read has changed (-update writes it anew):\n%s", table.String())
	}
}

// strangerFlag is the first flag of others that a command does not know.
func strangerFlag(c *cobra.Command, flags map[string]*pflag.Flag) string {
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		if c.Flags().Lookup(name) == nil {
			return name
		}
	}
	return ""
}

// checkFlag gives a command one flag, with its default value, and a context that is done, so that
// only the preparation runs. The flag must be read, as one of a group, or be refused by name.
func checkFlag(
	t *testing.T, command string, k kind, dir string, f *pflag.Flag, read bool,
) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	value := f.DefValue
	if value == "[]" || value == "" {
		value = filepath.Join(dir, "x")
	}
	args := []string{command, fmt.Sprintf("--%s=%s", f.Name, value)}
	if k == certificates {
		args = append(args, "--"+recheckFlag, "missing.json")
	} else {
		args = append(args, filepath.Join(dir, sampleFiles[k].name))
	}
	if command == "trace" {
		args = append(args, filepath.Join(dir, "log.ndjson"))
	}
	var out, errOut bytes.Buffer
	code := Main(ctx, args, strings.NewReader(""), &out, &errOut)
	refused := code == ExitUsage && (strings.Contains(errOut.String(), "--"+f.Name+" is not read by "+command) ||
		strings.Contains(errOut.String(), "unknown flag: --"+f.Name) ||
		strings.Contains(errOut.String(), "there is no flag --"+f.Name) ||
		strings.Contains(errOut.String(), command+" does not read "+string(k)) ||
		strings.Contains(errOut.String(), command+" takes no arguments") ||
		k == certificates &&
			strings.Contains(errOut.String(), "--"+recheckFlag+" is not read by "+command))
	idle := code == ExitUsage && strings.Contains(errOut.String(), "--"+f.Name+" would have no effect")
	switch {
	case refused && read:
		t.Errorf("%q is refused, though the option is in a group that is read: %s", args,
			errOut.String())
	case !refused && !read:
		t.Errorf("%q is in no group that is read, and yet not refused by name; exit code %d: %s",
			args, code, errOut.String())
	case idle && !read:
		t.Errorf("%q: %s", args, errOut.String())
	}
}

// Code reads every option of a group: each field occurs outside the method that makes it a flag.
func TestEveryFieldOfAGroupIsUsed(t *testing.T) {
	fset := token.NewFileSet()
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	groups := map[string][]string{} // fields
	isGroup := map[string]bool{}
	used := map[string]bool{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv != nil && n.Name.Name == "flags" {
					isGroup[n.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name] = true
					return false
				}
			case *ast.TypeSpec:
				if s, ok := n.Type.(*ast.StructType); ok {
					for _, f := range s.Fields.List {
						for _, name := range f.Names {
							groups[n.Name.Name] = append(groups[n.Name.Name], name.Name)
						}
					}
				}
			case *ast.SelectorExpr:
				used[n.Sel.Name] = true
			}
			return true
		})
	}
	if len(isGroup) < 10 {
		t.Fatalf("only %d groups were found", len(isGroup))
	}
	for g := range isGroup {
		for _, field := range groups[g] {
			if !used[field] {
				t.Errorf("nothing reads %s.%s", g, field)
			}
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

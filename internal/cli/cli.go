// Package cli is the command line: one file a command.
//
// In: arguments and the three standard streams. Out: an exit code (exitcode.go), and the output of
// the command. The commands only connect packages: they turn flags into options of package verify,
// and outcomes into reports.
//
// A handler is what a command does with files of one kind. Its fields are the groups of options
// that it reads, and it has no access to other options; so attach can refuse by name an option
// without effect.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
)

// streams are the standard streams of a command.
type streams struct {
	in       io.Reader
	out, err io.Writer

	text *string // the standard input, once it is read as a file
	// texts that stand for the ones of files, by the path
	amended map[string]string
	args    []string // of the program
	run     string   // that the program goes on with, for workers

	origins []origins // of options that are not from the command line
}

// exitError ends the program with a code. With a nil cause nothing more is printed.
type exitError struct {
	code  int
	cause error
}

func (e *exitError) Error() string {
	if e.cause == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.cause.Error()
}

func (e *exitError) Unwrap() error { return e.cause }

func usage(format string, args ...any) error {
	return &exitError{ExitUsage, fmt.Errorf(format, args...)}
}

// Main runs the program and gives its exit code. ctx is cancelled when the user interrupts.
func Main(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	s := &streams{in: in, out: out, err: errOut, args: args}
	root := rootCommand(s)
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	configure(root, s, ".")
	ctx, end := smt.WithProcesses(ctx)
	defer end()
	return s.report(root.ExecuteContext(ctx))
}

// report prints the error of a run, and gives the exit code.
func (s *streams) report(err error) int {
	if err == nil {
		return ExitHolds
	}
	var unwritten *lostError
	if errors.As(err, &unwritten) {
		fmt.Fprintf(s.err, "erelong: %v\n", unwritten.lost)
		err = unwritten.err
	}
	code := ExitInternal
	var exit *exitError
	if errors.As(err, &exit) {
		code = exit.code
		if exit.cause == nil {
			return code
		}
	}
	// by the user: nothing else cancels a whole command
	if code == ExitInternal && errors.Is(err, context.Canceled) {
		fmt.Fprintln(s.err, "erelong: interrupted")
		return ExitInterrupted
	}
	var list *diag.List
	if errors.As(err, &list) {
		_ = list.Render(s.err, s.color())
		return code
	}
	fmt.Fprintf(s.err, "erelong: %v\n", err)
	if code == ExitUsage {
		if from := s.whence(err.Error()); from != "" {
			fmt.Fprintf(s.err, "%s\n", from)
		}
		fmt.Fprintln(s.err, "Run 'erelong help' for the commands and their flags.")
	}
	return code
}

// Root is the tree of all commands, for manuals.
func Root(in io.Reader, out, errOut io.Writer) *cobra.Command {
	return rootCommand(&streams{in: in, out: out, err: errOut})
}

func rootCommand(s *streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "erelong",
		Short: "Verify distributed protocols: explore small instances, prove all of them",
		Long: `erelong verifies distributed protocols, above all protocols whose timing is only partly known. A file with the protocol and
its properties goes in; for each property a verdict comes out, with a shortest counterexample or a proof.

More: erelong help TOPIC prints the documentation; begin with erelong help tutorial.`,
		Version:       Version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			var names []string
			for _, c := range cmd.Commands() {
				names = append(names, c.Name())
			}
			if here := elsewhere(args[0]); here != "" {
				return usage("there is no command %q; what does the same here: erelong %s", args[0],
					here)
			}
			if near := diag.Closest(args[0], names); near != "" {
				return usage("there is no command %q; did you mean %q?", args[0], near)
			}
			return usage("there is no command %q", args[0])
		},
	}
	root.SetVersionTemplate("erelong {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(verifyCommand(s), checkCommand(s), proveCommand(s), liveCommand(s),
		bmcCommand(s), inferCommand(s), simCommand(s), traceCommand(s), serveCommand(s),
		fmtCommand(s), convertCommand(s), explainCommand(s),
		dumpCommand(s), doctorCommand(s), workerCommand(s), jobsCommand(s), lspCommand(s),
		reportCommand(s), licensesCommand(s), versionCommand(s))
	addTopics(root)
	helpCommand(root)
	root.SetUsageTemplate(strings.Replace(root.UsageTemplate(),
		"Additional help topics:{{range .Commands}}{{if .IsAdditionalHelpTopicCommand}}\n"+
			"  {{rpad .CommandPath .CommandPathPadding}}",
		"Topics of erelong help:{{range .Commands}}{{if .IsAdditionalHelpTopicCommand}}\n"+
			"  {{rpad .Name .NamePadding}}", 1))
	root.SetUsageFunc(usageOf(root.UsageFunc()))
	completionCommand(root)
	return root
}

// noFile is the argument check of commands that take no file.
func noFile(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage("%s takes no arguments, but got %d", cmd.CommandPath(), len(args))
	}
	return nil
}

// oneFile is the argument check of commands that take a specification.
func oneFile(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage("%s takes one file, but got %d arguments", cmd.CommandPath(), len(args))
	}
	if args[0] == standardInput && slices.Contains([]string{"sim", "infer", "serve"}, cmd.Name()) {
		return usage("%s needs a file by its name: it reads commands from the standard input, "+
			"or reads the file again, or writes to it", cmd.CommandPath())
	}
	return nil
}

// someFiles is the argument check of commands that take several specifications, one after the
// other.
func someFiles(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usage("%s takes one file or several, but got none", cmd.CommandPath())
	}
	if slices.Index(args, standardInput) != lastIndex(args, standardInput) {
		return usage("the standard input can be read once")
	}
	return nil
}

func lastIndex(list []string, what string) int {
	for i, x := range slices.Backward(list) {
		if x == what {
			return i
		}
	}
	return -1
}

// load reads a specification without an algorithm, or the system that the pass makes from an
// algorithm, and prints its warnings.
func load(
	ctx context.Context, s *streams, path string, p *passOptions, o front.Options,
) (*ere.Specification, error) {
	d, err := loadDerived(ctx, s, path, p, o)
	if err != nil {
		return nil, err
	}
	return d.Spec, nil
}

func loadDerived(
	ctx context.Context, s *streams, path string, p *passOptions, o front.Options,
) (*derive.Derived, error) {
	ds, _, err := deriveFile(ctx, s, path, p, o)
	switch {
	case err != nil:
		return nil, err
	case len(ds) > 1 && ds[0].Spec.System.Computed != nil: // the machine; the others are its runs
		return ds[0], nil
	case len(ds) > 1:
		var names []string
		for _, d := range ds {
			names = append(names, d.Name)
		}
		return nil, usage("several systems are derived from the algorithm: choose one with "+
			"--pass: %s", strings.Join(names, ", "))
	}
	return ds[0], nil
}

// checkPass is the pass of a file without an algorithm.
const checkPass = "check"

// derivation says how systems are derived: as the pass does, and without one as given.
func (p *passOptions) derivation(otherwise derive.Options) (derive.Options, error) {
	if p.pass == "" || p.pass == checkPass {
		return otherwise, nil
	}
	o, err := derive.Pass(p.pass)
	if err != nil {
		return o, usage("--pass: %v", err)
	}
	return o, nil
}

// deriveFile reads a specification and derives its systems, with a pass only the systems of the
// pass. It prints and returns the warnings.
func deriveFile(
	ctx context.Context, s *streams, path string, p *passOptions, o front.Options,
) ([]*derive.Derived, []*diag.Diagnostic, error) {
	pass := p.pass
	var err error
	o.Derive, err = p.derivation(o.Derive)
	if err != nil {
		return nil, nil, err
	}
	o.Within = ctx
	file, err := s.open(interruptible(ctx), path, o)
	ds, list := file.Systems, file.Warnings
	if err != nil {
		if limit := new(result.Limit); errors.As(err, &limit) { // nothing is known of the file
			return nil, nil, &exitError{ExitUnknown, err}
		}
		var d *diag.List
		if errors.As(err, &d) || errors.Is(err, os.ErrNotExist) ||
			errors.Is(err, os.ErrPermission) || isDirectory(path) {
			return nil, nil, &exitError{ExitFile, err}
		}
		return nil, nil, err
	}
	if p.noLints {
		list.All = slices.DeleteFunc(list.All, func(d *diag.Diagnostic) bool {
			return diag.IsLint(d.Code)
		})
	}
	if len(list.All) > 0 {
		if err := list.Render(s.err, s.color()); err != nil {
			return nil, nil, fmt.Errorf("printing warnings: %w", err)
		}
	}
	switch {
	case pass == "":
		return ds, list.All, nil
	case ds[0].Name == "" && pass != checkPass:
		return nil, nil,
			usage("--pass %s: the file has no algorithm, so its only pass is %s", pass, checkPass)
	case ds[0].Name == "":
		return ds, list.All, nil
	}
	if ds, err = derive.Choose(ds, pass); err != nil {
		return nil, nil, usage("--pass: %v", err)
	}
	return ds, list.All, nil
}

// standardInput is the name of the standard input as a specification.
const standardInput = "-"

// spoken is the name of a file in messages.
func spoken(path string) string {
	if path == standardInput {
		return "standard input"
	}
	return path
}

// open reads a file of any kind, or the standard input.
func (s *streams) open(ctx context.Context, path string, o front.Options) (*front.File, error) {
	if text, amended := s.amended[path]; amended {
		return front.Read(ctx, spoken(path), text, o)
	}
	if path != standardInput {
		return front.Load(ctx, path, o)
	}
	text, err := s.input()
	if err != nil {
		return &front.File{Warnings: &diag.List{}}, err
	}
	return front.Read(ctx, spoken(path), text, o)
}

// input is the whole standard input, which is read once.
func (s *streams) input() (string, error) {
	if s.text == nil {
		text, err := io.ReadAll(s.in)
		if err != nil {
			return "", fmt.Errorf("reading the standard input: %w", err)
		}
		s.text = new(string(text))
	}
	return *s.text, nil
}

// textOf is the text of a file, or the standard input, or the text that stands for it.
func (s *streams) textOf(path string) (string, error) {
	if text, amended := s.amended[path]; amended {
		return text, nil
	}
	if path == standardInput {
		return s.input()
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", &exitError{ExitFile, fmt.Errorf("reading the specification: %w", err)}
	}
	return string(text), nil
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// released is the version of a release, which the linker sets; empty otherwise.
var released string

// Version is the version of the program: of a release, or as the build recorded it.
func Version() string {
	if released != "" {
		return released
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "devel"
	}
	return strings.Trim(info.Main.Version, "()")
}

func versionCommand(s *streams) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: noFile,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(s.out, "erelong %s\n", Version())
			return err
		},
	}
}

package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/project"
)

// What the command line leaves open comes from the environment, then from the project's file
// erelong.toml, and then from the defaults. An option --max-states is max-states in the file and
// ERELONG_MAX_STATES in the environment.

// configured is the annotation of a flag whose value is not from the command line. It may be
// without an effect, as a project sets it for all commands and files.
const configured = "configured"

// configurable are the names of the flags that a project can set, and the ones that the environment
// can: how the work is done, and not what is shown of it.
func configurable() (names []string, environment map[string]bool) {
	environment = map[string]bool{}
	for _, s := range sections() {
		if s.ofRun {
			continue
		}
		for _, name := range slices.Concat(s.flags, s.rare) {
			names = append(names, name)
			environment[name] = s.ofMachine
		}
	}
	return names, environment
}

// knownOptions are the options of each command that a project can set.
func knownOptions(root *cobra.Command) map[string][]string {
	names, _ := configurable()
	out := map[string][]string{}
	for _, c := range root.Commands() {
		if c.Name() == "worker" || c.Name() == "jobs" {
			continue // they have the same names for their own side
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if slices.Contains(names, f.Name) {
				out[c.Name()] = append(out[c.Name()], f.Name)
			}
		})
	}
	return out
}

// configure has the commands take from the environment and the project what the command line leaves
// open. Commands without such options work where the project's file has errors, too.
func configure(root *cobra.Command, folder string) {
	known := knownOptions(root)
	settings, err := project.Find(folder)
	if err == nil && settings != nil {
		err = settings.Check(known)
	}
	for _, c := range root.Commands() {
		if len(known[c.Name()]) == 0 {
			continue
		}
		if err != nil {
			c.Args = func(*cobra.Command, []string) error { return fileError(err) }
			continue
		}
		if settings != nil && c.Annotations[oneByOne] != "" && len(settings.Files) > 0 {
			takeFiles(c, settings.Files)
		}
		c.PreRunE = func(cmd *cobra.Command, _ []string) error { return fill(cmd, settings) }
	}
}

func fileError(err error) error {
	var list *diag.List
	if errors.As(err, &list) {
		return &exitError{ExitFile, err}
	}
	return err
}

// takeFiles has a command without arguments take the files of the project.
func takeFiles(c *cobra.Command, files []string) {
	given := func(args []string) []string {
		if len(args) == 0 {
			return files
		}
		return args
	}
	valid, run := c.Args, c.RunE
	c.Args = func(cmd *cobra.Command, args []string) error { return valid(cmd, given(args)) }
	c.RunE = func(cmd *cobra.Command, args []string) error { return run(cmd, given(args)) }
}

// fill sets the flags that were not given.
func fill(cmd *cobra.Command, settings *project.Settings) error {
	names, environment := configurable()
	for _, name := range names {
		f := cmd.Flags().Lookup(name)
		if f == nil || f.Changed {
			continue
		}
		variable := variableOf(name)
		text := os.Getenv(variable)
		folder := variable == cacheEnv && text != cacheUse && text != cacheVerify
		if text != "" && environment[name] && !folder {
			if err := set(f, strings.Split(text, ",")); err != nil {
				return usage("%s=%s: %v", variable, text, err)
			}
			continue
		}
		if settings == nil {
			continue
		}
		if v, ok := settings.Option(cmd.Name(), name); ok {
			if err := set(f, v.Texts); err != nil {
				errs := &diag.List{}
				errs.Errorf(diag.Syntax, v.Span, "%v", err)
				return &exitError{ExitFile, errs}
			}
		}
	}
	return nil
}

// variableOf is the variable of the environment for an option.
func variableOf(option string) string {
	return "ERELONG_" + strings.ToUpper(strings.ReplaceAll(option, "-", "_"))
}

// set gives a flag a value that is not from the command line.
func set(f *pflag.Flag, texts []string) error {
	list, ok := f.Value.(pflag.SliceValue)
	switch {
	case ok:
		if err := list.Replace(texts); err != nil {
			return err
		}
	case len(texts) != 1:
		return fmt.Errorf("%s takes one value", f.Name)
	default:
		if err := f.Value.Set(texts[0]); err != nil {
			return err
		}
	}
	f.Changed = true
	if f.Annotations == nil {
		f.Annotations = map[string][]string{}
	}
	f.Annotations[configured] = []string{"true"}
	return nil
}

// given reports whether a flag stands on the command line.
func given(fl *pflag.FlagSet, name string) bool {
	f := fl.Lookup(name)
	return f != nil && f.Changed && f.Annotations[configured] == nil
}

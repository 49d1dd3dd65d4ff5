package cli

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/project"
	"erelong.dev/erelong/internal/work/queue"
)

// What the command line leaves open comes from the environment, then from the project's file
// erelong.toml, and then from the defaults. An option --max-states is max-states in the file and
// ERELONG_MAX_STATES in the environment.

// configured is the annotation of a flag whose value is not from the command line, with its origin.
// It may be without an effect, as a project sets it for all commands and files.
const configured = "configured"

// place says where an option can be set; each place includes the ones before it.
type place int

const (
	onLine        place = iota // on the command line
	inTable                    // in the table of a command, in erelong.toml
	inFile                     // for all commands, in erelong.toml
	inEnvironment              // in the environment
)

// placeOf has the options that cannot be set where the others of their section can: the ones about
// one run, and the ones about one file.
func placeOf() map[string]place {
	return map[string]place{"shard": onLine, "resume": onLine,
		"hide": inTable, "html": inTable, "sarif": inTable, "junit": inTable, "itf": inTable,
		"certificate": inTable, "write": inTable, "checkpoint": inTable, "save-queries": inTable}
}

// settable gives each option its place.
var settable = sync.OnceValue(func() map[string]place {
	out := map[string]place{}
	for _, s := range sections() {
		for _, name := range slices.Concat(s.flags, s.rare) {
			out[name] = s.place
		}
	}
	maps.Copy(out, placeOf())
	return out
})

// paths are the options whose values are paths; in erelong.toml they begin in its folder.
func paths() []string {
	return []string{"html", "sarif", "junit", "itf", "certificate", "checkpoint", "save-queries",
		"spill-dir", "team-key", "nats-ca", "nats-cert", "nats-creds", "nats-key"}
}

// serverSide reports whether a command is of the other side of --workers: it takes the connection
// from the environment, and nothing from a project.
func serverSide(cmd *cobra.Command) bool {
	for c := cmd; c != nil; c = c.Parent() {
		if c.Name() == "worker" || c.Name() == "jobs" {
			return true
		}
	}
	return false
}

// optionsOf lists the options of a command that can be set elsewhere than on the command line.
func optionsOf(cmd *cobra.Command) (names []string) {
	all := settable()
	connection := pflag.NewFlagSet("", pflag.ContinueOnError)
	other := serverSide(cmd)
	if other {
		(&serverOptions{}).flags(connection)
	}
	visit := func(f *pflag.Flag) {
		if all[f.Name] > onLine && (!other || connection.Lookup(f.Name) != nil) {
			names = append(names, f.Name)
		}
	}
	cmd.LocalFlags().VisitAll(visit)
	cmd.InheritedFlags().VisitAll(visit)
	return names
}

// known is what a project can set.
func known(root *cobra.Command) project.Known {
	all := settable()
	k := project.Known{Of: map[string][]string{}}
	flags := map[string]bool{}
	for _, c := range root.Commands() {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { flags[f.Name] = true })
		if names := optionsOf(c); len(names) > 0 && !serverSide(c) {
			k.Of[c.Name()] = names
		}
	}
	for name, p := range all {
		if p >= inFile {
			k.Everywhere = append(k.Everywhere, name)
		}
	}
	slices.Sort(k.Everywhere)
	k.Refused = func(name string) string {
		if _, ok := all[name]; !flags[name] || ok && all[name] > onLine {
			return ""
		}
		return "it is about one run, so it stands on the command line, as --" + name
	}
	return k
}

// configure has the commands take from the environment and the project what the command line leaves
// open. Commands without such options work where the project's file has errors, too.
func configure(root *cobra.Command, s *streams, folder string) {
	settings, err := project.Find(folder)
	if err == nil && settings != nil {
		err = settings.Check(known(root))
	}
	for _, c := range slices.Concat(root.Commands(), subcommands(root)) {
		switch {
		case c.IsAdditionalHelpTopicCommand() || len(optionsOf(c)) == 0:
		case serverSide(c):
			c.PreRunE = func(cmd *cobra.Command, _ []string) error {
				if cmd.Flags().Changed(withParentFlag) {
					return nil // its parent says where the server is
				}
				return s.fill(cmd, nil)
			}
		case err != nil:
			c.Args = func(*cobra.Command, []string) error { return fileError(err) }
		default:
			if settings != nil && settings.HasFiles() && c.Annotations[oneByOne] != "" {
				takeFiles(c, settings)
			}
			c.PreRunE = func(cmd *cobra.Command, _ []string) error { return s.fill(cmd, settings) }
		}
	}
}

func subcommands(root *cobra.Command) (out []*cobra.Command) {
	for _, c := range root.Commands() {
		out = append(out, c.Commands()...)
	}
	return out
}

func fileError(err error) error {
	var list *diag.List
	if errors.As(err, &list) {
		return &exitError{ExitFile, err}
	}
	return err
}

// takeFiles has a command without arguments take the files of the project.
func takeFiles(c *cobra.Command, settings *project.Settings) {
	given := func(cmd *cobra.Command, args []string) ([]string, error) {
		if len(args) > 0 || cmd.Flags().Changed(recheckFlag) {
			return args, nil
		}
		files, err := settings.Files()
		return files, fileError(err)
	}
	valid, run := c.Args, c.RunE
	c.Args = func(cmd *cobra.Command, args []string) error {
		args, err := given(cmd, args)
		if err != nil {
			return err
		}
		return valid(cmd, args)
	}
	c.RunE = func(cmd *cobra.Command, args []string) error {
		args, err := given(cmd, args)
		if err != nil {
			return err
		}
		return run(cmd, args)
	}
}

// fill sets the flags that were not given, and says which ones it sets that verdicts can depend on.
func (s *streams) fill(cmd *cobra.Command, settings *project.Settings) error {
	if err := checkEnvironment(); err != nil {
		return err
	}
	all := settable()
	var said []string
	for _, name := range optionsOf(cmd) {
		f := cmd.Flags().Lookup(name)
		if f.Changed {
			continue
		}
		texts, origin, err := elsewhereSet(cmd, f, all[name], settings)
		if err != nil {
			return err
		}
		if origin == "" {
			continue
		}
		f.Changed = true
		if f.Annotations == nil {
			f.Annotations = map[string][]string{}
		}
		f.Annotations[configured] = []string{origin}
		s.origins = append(s.origins, origins{name, origin})
		if decides(name) {
			said = append(said, fmt.Sprintf("--%s %s (%s)", name, strings.Join(texts, ","), origin))
		}
	}
	if len(said) > 0 {
		fmt.Fprintf(s.err, "settings: %s\n", strings.Join(said, ", "))
	}
	return nil
}

// elsewhereSet sets a flag from the environment or the project. The origin is empty where neither
// says anything.
func elsewhereSet(
	cmd *cobra.Command, f *pflag.Flag, p place, settings *project.Settings,
) (texts []string, origin string, err error) {
	variable := variableOf(f.Name)
	text := os.Getenv(variable)
	if variable == cacheEnv && !isCacheUse(text) {
		text = "" // the folder
	}
	if text != "" && p >= inEnvironment {
		if err := set(f, []string{text}, false); err != nil {
			return nil, "", usage("%s=%s: %v", variable, text, err)
		}
		return []string{text}, variable, nil
	}
	if settings == nil {
		return nil, "", nil
	}
	v, ok := settings.Option(cmd.Name(), f.Name)
	if !ok {
		return nil, "", nil
	}
	texts = slices.Clone(v.Texts)
	for i, text := range texts {
		if slices.Contains(paths(), f.Name) {
			texts[i] = settings.Path(text)
		} else if name, path, found := strings.Cut(text, "="); found && f.Name == "format" {
			texts[i] = name + "=" + settings.Path(path)
		}
	}
	if err := set(f, texts, v.List); err != nil {
		errs := &diag.List{}
		errs.Errorf(diag.Syntax, v.Span, "%s: %v", f.Name, err)
		return nil, "", &exitError{ExitFile, errs}
	}
	return texts, v.Span.String(), nil
}

// decides reports whether verdicts can depend on an option.
func decides(name string) bool {
	if slices.Contains([]string{"cache", "threads", "jobs"}, name) {
		return false
	}
	i := slices.IndexFunc(sections(), func(s section) bool {
		return slices.Contains(s.flags, name) || slices.Contains(s.rare, name)
	})
	return i >= 0 && sections()[i].decides
}

// variableOf is the variable of the environment for an option.
func variableOf(option string) string {
	return variablePrefix + strings.ToUpper(strings.ReplaceAll(option, "-", "_"))
}

const variablePrefix = "ERELONG_"

// variables are the variables of the environment that the program reads.
func variables() (out []string) {
	for name, p := range settable() {
		if p >= inEnvironment {
			out = append(out, variableOf(name))
		}
	}
	out = append(out, cacheEnv, queue.EnvServer, queue.EnvKey, queue.EnvSilence, queue.EnvSockets)
	slices.Sort(out)
	return slices.Compact(out)
}

// checkEnvironment refuses variables that nothing reads, and that look like one that is read.
func checkEnvironment() error {
	known := variables()
	var short []string
	for _, v := range known {
		short = append(short, strings.TrimPrefix(v, variablePrefix))
	}
	for _, entry := range slices.Sorted(slices.Values(os.Environ())) {
		name, value, _ := strings.Cut(entry, "=")
		what, own := strings.CutPrefix(name, variablePrefix)
		if !own || value == "" || slices.Contains(known, name) {
			continue
		}
		option := strings.ToLower(strings.ReplaceAll(what, "_", "-"))
		if p, ok := settable()[option]; ok {
			where := "the command line"
			if p > onLine {
				where += " or in " + project.Name
			}
			return usage("%s: --%s is no option for the environment; it stands on %s", name,
				option, where)
		}
		if near := diag.Closest(what, short); near != "" {
			return usage("nothing reads the variable %s; did you mean %s%s?", name,
				variablePrefix, near)
		}
	}
	return nil
}

// set gives a flag a value that is not from the command line. A text for a list has commas.
func set(f *pflag.Flag, texts []string, list bool) error {
	if s, ok := f.Value.(pflag.SliceValue); ok {
		if !list && len(texts) == 1 {
			texts = strings.Split(texts[0], ",")
		}
		return s.Replace(texts)
	}
	if list {
		return errors.New("this is a list, and the option takes one value")
	}
	if err := f.Value.Set(texts[0]); err != nil {
		return misfit(f, texts[0], err)
	}
	return nil
}

// misfit says why a flag does not take a text.
func misfit(f *pflag.Flag, text string, err error) error {
	kinds := map[string]string{"int": "a whole number", "int64": "a whole number",
		"bool": "true or false", "duration": "a time, as in 30s or 5m"}
	if kind := kinds[f.Value.Type()]; kind != "" {
		return fmt.Errorf("%q is not %s", text, kind)
	}
	return err
}

// given reports whether a flag stands on the command line.
func given(fl *pflag.FlagSet, name string) bool {
	f := fl.Lookup(name)
	return f != nil && f.Changed && f.Annotations[configured] == nil
}

// origins is an option with the place that sets it, other than the command line.
type origins struct{ option, place string }

// whence names the places of the options in a message, as in "--search is set by erelong.toml:2:1";
// all places, if the message names no option.
func (s *streams) whence(message string) string {
	named := regexp.MustCompile(`--[a-z0-9]+(?:-[a-z0-9]+)*`).FindAllString(message, -1)
	var out []string
	for _, o := range s.origins {
		if len(named) == 0 || slices.Contains(named, "--"+o.option) {
			out = append(out, fmt.Sprintf("--%s is set by %s", o.option, o.place))
		}
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), ", ")
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front"
)

// A group is a set of options. A handler that reads one of them reads them all.
type group interface {
	flags(fl *pflag.FlagSet)
}

// A handler is what a command does with files of one kind. It reads the groups that are exported
// fields of it (reflection sees no others), and has no other access to an option. So a given option
// outside the handler's groups would have no effect: it is refused by name.
type handler interface {
	run(ctx context.Context, s *streams, args []string) error
}

// A dependent handler has options that only have an effect beside certain values of others. For the
// given values it names the options without an effect.
type dependent interface {
	idle() []idleOption
}

// timeLimit ends a context when the time for the whole run is over.
type timeLimit interface {
	bound(ctx context.Context) (context.Context, context.CancelFunc, error)
}

// A limited handler has a limit on time.
type limited interface {
	limits() timeLimit
}

type idleOption struct{ flag, why string }

// kind is the kind of a file.
type kind string

const (
	specifications kind = "specifications"
	models         kind = "models of timed automata"
	certificates   kind = "certificates"
)

// kindOf tells the kind of the files of a command: the first one has it, and what stands behind it,
// such as a log of any length, belongs to it.
func kindOf(cmd *cobra.Command, s *streams, args []string) kind {
	if cmd.Flags().Changed(recheckFlag) {
		return certificates
	}
	if len(args) == 0 {
		return specifications
	}
	k := front.KindOf(args[0])
	if args[0] == standardInput && len(args) == 1 {
		text, err := s.input()
		if err == nil {
			k = front.Of(spoken(args[0]), text).Kind
		}
	}
	if k == front.Model {
		return models
	}
	return specifications
}

// attach gives a command its handlers: their options become flags, and the kind of the files
// selects the handler.
func attach(cmd *cobra.Command, s *streams, ways map[kind]handler) *cobra.Command {
	cmd.Annotations = map[string]string{}
	bound := map[group]string{} // the names of the flags
	for _, k := range []kind{specifications, models, certificates} {
		var names []string
		for _, g := range groupsOf(reflect.ValueOf(ways[k])) {
			if _, ok := bound[g]; !ok {
				bound[g] = bind(cmd.Flags(), g)
			}
			names = append(names, strings.Fields(bound[g])...)
		}
		if ways[k] != nil {
			cmd.Annotations[string(k)] = strings.Join(names, " ")
		}
	}
	complete(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		r := &fileRuns{streams: s, command: cmd.Name(), files: [][]string{args}}
		separate := cmd.Annotations[oneByOne] != "" && !cmd.Flags().Changed(recheckFlag)
		if separate && len(args) > 1 {
			if err := refuseShared(cmd); err != nil {
				return err
			}
			r.files = slices.Collect(slices.Chunk(args, 1))
			r.text = printsText(cmd)
		}
		for _, files := range r.files {
			k := kindOf(cmd, s, files)
			w := ways[k]
			if w == nil {
				return usage("%s does not read %s%s", cmd.Name(), k,
					alternatives(readersOfKind(cmd.Root(), k), "do"))
			}
			if err := refuseUnread(cmd, k, w); err != nil {
				return err
			}
			r.handlers = append(r.handlers, w)
		}
		return r.run(cmd.Context())
	}
	return cmd
}

// bind turns the options of a group into flags, and gives their names.
func bind(fl *pflag.FlagSet, g group) string {
	var names []string
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	g.flags(own)
	own.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	fl.AddFlagSet(own)
	return strings.Join(names, " ")
}

// groupsOf lists the groups among the fields of a handler, also in nested structures.
func groupsOf(v reflect.Value) (out []group) {
	for v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return nil
	}
	for i := range v.NumField() {
		f := v.Field(i)
		if f.Kind() == reflect.Struct {
			out = append(out, groupsOf(f)...)
		}
		if f.Kind() != reflect.Pointer || f.IsNil() || !f.CanInterface() {
			continue
		}
		if g, ok := f.Interface().(group); ok {
			out = append(out, g)
		}
	}
	return out
}

// refuseUnread refuses given options that a handler does not read.
func refuseUnread(cmd *cobra.Command, k kind, w handler) (err error) {
	read := strings.Fields(cmd.Annotations[string(k)])
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && f.Name != "help" && given(cmd.Flags(), f.Name) &&
			!slices.Contains(read, f.Name) {
			err = usage("--%s is not read by %s of %s%s", f.Name, cmd.Name(), k,
				alternatives(readers(cmd.Root(), f.Name), "read it"))
		}
	})
	d, ok := w.(dependent)
	if err != nil || !ok {
		return err
	}
	for _, i := range d.idle() {
		if given(cmd.Flags(), i.flag) {
			return usage("--%s would have no effect: %s", i.flag, i.why)
		}
	}
	return nil
}

// readers lists the readers of an option, as in "verify and prove of specifications".
func readers(root *cobra.Command, flag string) (out []string) {
	for _, k := range []kind{specifications, models, certificates} {
		var names []string
		for _, c := range root.Commands() {
			if slices.Contains(strings.Fields(c.Annotations[string(k)]), flag) {
				names = append(names, c.Name())
			}
		}
		if len(names) > 0 {
			out = append(out, fmt.Sprintf("%s of %s", enumerated(names), k))
		}
	}
	return out
}

// readersOfKind lists the commands for files of a kind.
func readersOfKind(root *cobra.Command, k kind) (names []string) {
	for _, c := range root.Commands() {
		if _, ok := c.Annotations[string(k)]; ok {
			names = append(names, c.Name())
		}
	}
	return names
}

func alternatives(who []string, verb string) string {
	if len(who) == 0 {
		return ""
	}
	return "; " + enumerated(who) + " " + verb
}

// enumerated writes a list such as "a, b and c".
func enumerated(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// flagError explains why flags could not be read. For a flag of other commands it names them.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		name := unknown.GetSpecifiedName()
		if who := readers(cmd.Root(), name); len(who) > 0 {
			return usage("--%s is not read by %s%s", name, cmd.Name(), alternatives(who, "read it"))
		}
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := diag.Closest(name, names); near != "" {
			return usage("there is no flag --%s; did you mean --%s?", name, near)
		}
	}
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		f := invalid.GetFlag()
		return usage("--%s: %v", f.Name, misfit(f, invalid.GetValue(), invalid.Unwrap()))
	}
	return &exitError{ExitUsage, err}
}

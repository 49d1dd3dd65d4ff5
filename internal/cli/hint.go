package cli

import (
	"slices"
	"strings"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/verify"
)

// hint suggests a command that may answer where this one did not: a search of all instances at
// once, or a proof of the text as it is.
func (a *analysis) hint(path string, sys *system.System, results []result.Result) string {
	if file := a.certificate(); a.command == "verify" && file != "" && slices.ContainsFunc(results,
		func(x result.Result) bool {
			return x.Verdict == result.NotInductive && x.Kind == result.Safety
		}) {
		command := "erelong infer --certificate " + file + " " + path
		if foreign(path, sys.Source.Text) { // its text cannot have the invariants
			command = "erelong infer " + path
		}
		return "with --certificate verify proves the text without further invariants; " + command +
			" looks for the invariants that it lacks"
	}
	open := func(x result.Result) bool { return x.Verdict == result.Unknown }
	if a.command != "bmc" || len(a.Instance.instances) > 0 || !slices.ContainsFunc(results, open) {
		return ""
	}
	text := "without --instance the solver chooses the sizes of the sorts, too, which soon " +
		"becomes hard; "
	name, err := explorable(sys)
	if err != nil {
		return text + "no instance of this file can be explored or searched, since " +
			err.Error() + "; erelong prove " + path + " needs no instance"
	}
	text += "much faster: erelong check "
	if in, _ := verify.Guess(sys); in == nil && len(sys.Instances) == 0 {
		text += "-i " + name + " "
	}
	text += path
	if name == "" {
		return text
	}
	return text + ", or erelong bmc -i " + name + " " + path
}

// explorable is an instance that engines accept, as it is given to --instance: one of the file, or
// one where every sort and number is two. It is empty if there is nothing to choose. The error says
// why no instance can be explored.
func explorable(sys *system.System) (string, error) {
	var refused error
	for _, in := range sys.Instances {
		if _, err := interp.NewModel(sys, in); err == nil {
			return in.Name, nil
		} else if refused == nil {
			refused = err
		}
	}
	if refused != nil {
		return "", refused
	}
	var values []string
	for _, s := range sys.Sorts {
		if s.Kind == logic.KindUninterpreted {
			values = append(values, s.Name+"=2")
		}
	}
	for _, s := range sys.Symbols {
		if !s.Mutable && len(s.Args) == 0 && s.Result == logic.Int {
			values = append(values, s.Name+"=2")
		}
	}
	in, _ := verify.Guess(sys)
	text := strings.Join(values, ",")
	if text != "" {
		swept, err := ere.Instances(sys, text)
		if err != nil {
			return "", err
		}
		in = swept[0]
	}
	_, err := interp.NewModel(sys, in)
	return text, err
}

package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/system"
)

// command is one word of the session.
type command struct {
	name, args, help string
	run              func(s *Session, ctx context.Context, arg string) error
}

// commands in the order in which help shows them.
func commands() []command {
	return []command{
		{"list", "[ACTION]",
			"the steps that can be taken here, numbered, and what each would change",
			(*Session).cmdList},
		{"more", "", "the next lines of the last list", (*Session).cmdMore},
		{"step", "K | ACTION [ARGUMENTS]", "take a step; the word step may be left out",
			(*Session).cmdStep},
		{"random", "[N]", "take N steps at random (1), up to a violation or a deadlock",
			(*Session).cmdRandom},
		{"until", "EXPR", "go by a shortest run to a state where the formula is true",
			(*Session).cmdUntil},
		{"back", "[N]", "go back N states (1)", (*Session).cmdBack},
		{"forward", "[N]", "go forward again", (*Session).cmdForward},
		{"goto", "K", "go to state K of the run", (*Session).cmdGoto},
		{"restart", "", "go to the initial state; of several, list them", (*Session).cmdRestart},
		{"init", "K | EXPR",
			"begin in initial state K, or in the first one where the formula is true",
			(*Session).cmdInit},
		{"show", "[NAME]", "this state, or one symbol of it", (*Session).cmdShow},
		{"diff", "[K]", "what the last step changed, or what step K would change",
			(*Session).cmdDiff},
		{"trace", "", "the run up to this state", (*Session).cmdTrace},
		{"eval", "EXPR", "the value of an expression in this state; ? EXPR is the same",
			(*Session).cmdEval},
		{"props", "", "the safety properties, invariants and ranges: true or false here",
			(*Session).cmdProps},
		{"why", "[PROPERTY | EXPR]",
			"which part of a formula makes it false, or true, and for which values",
			(*Session).cmdWhy},
		{"save", "FILE", "write the run up to this state as an ITF trace (.itf.json)",
			(*Session).cmdSave},
		{"help", "[COMMAND]", "the commands", (*Session).cmdHelp},
		{"quit", "", "leave; so does the end of the input", func(
			_ *Session, _ context.Context, arg string,
		) error {
			if arg != "" {
				return errors.New("quit takes no argument")
			}
			return ErrQuit
		}},
	}
}

// Do carries out a line and gives its output, also with an error. A blank line, and a line that
// begins with #, do nothing.
func (s *Session) Do(ctx context.Context, line string) (string, error) {
	s.out.Reset()
	err := s.do(ctx, line)
	return s.out.String(), err
}

func (s *Session) do(ctx context.Context, line string) error {
	word, arg := split(line)
	switch {
	case word == "" && arg == "":
		return nil
	case word == "":
		return fmt.Errorf("%s is not a command; `help` lists them, `eval EXPR` evaluates an "+
			"expression", strconv.Quote(cut(arg, 40)))
	case isNumber(word):
		if arg != "" {
			return fmt.Errorf("a number takes that step, and nothing follows it; `eval EXPR` " +
				"evaluates an expression")
		}
		return s.cmdStep(ctx, word)
	}
	c, action, err := s.resolve(word)
	switch {
	case err != nil:
		return err
	case c != nil:
		return c.run(s, ctx, arg)
	}
	return s.choose(ctx, action, arg)
}

// split takes the first word off a line. ? is the word eval.
func split(line string) (word, arg string) {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "#") {
		return "", ""
	}
	if rest, ok := strings.CutPrefix(line, "?"); ok {
		return "eval", strings.TrimSpace(rest)
	}
	end := strings.IndexFunc(line, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
	if end < 0 {
		return line, ""
	}
	return line[:end], strings.TrimSpace(line[end:])
}

func isNumber(word string) bool { return strings.Trim(word, "0123456789") == "" }

// resolve finds the meaning of a word: a command, an action, the beginning of exactly one command,
// or of exactly one action, in this order. So a short form of a command means the same in every
// file.
func (s *Session) resolve(word string) (*command, *system.Action, error) {
	var short []*command
	for _, c := range commands() {
		switch {
		case c.name == word:
			return &c, nil, nil
		case strings.HasPrefix(c.name, word):
			short = append(short, &c)
		}
	}
	var actions []*system.Action
	for _, a := range s.sys.Actions {
		switch {
		case a.Name == word:
			return nil, a, nil
		case strings.HasPrefix(a.Name, word):
			actions = append(actions, a)
		}
	}
	switch {
	case len(short) == 1:
		return short[0], nil, nil
	case len(short) == 0 && len(actions) == 1:
		return nil, actions[0], nil
	case len(short)+len(actions) == 0:
		if near := diag.Closest(word, s.words()); near != "" {
			return nil, nil,
				fmt.Errorf("there is no command or action %q; did you mean %q?", word, near)
		}
		return nil, nil,
			fmt.Errorf("there is no command or action %q; `help` lists the commands, `eval "+
				"EXPR` evaluates an expression", word)
	}
	var names []string
	for _, c := range short {
		names = append(names, c.name)
	}
	for _, a := range actions {
		names = append(names, a.Name)
	}
	return nil, nil, fmt.Errorf("%q may stand for %s", word, strings.Join(names, ", "))
}

// words are the names of the commands and actions.
func (s *Session) words() (names []string) {
	for _, c := range commands() {
		names = append(names, c.name)
	}
	for _, a := range s.sys.Actions {
		names = append(names, a.Name)
	}
	return names
}

// Complete gives the possible continuations of the last word of a line, for the tabulator key.
// After the first word these are the names of symbols, properties and elements.
func (s *Session) Complete(line string) []string {
	names := s.words()
	start := strings.LastIndexFunc(line, func(r rune) bool {
		return strings.ContainsRune(" \t(),=&|!<>+-*.:?", r)
	}) + 1
	if strings.TrimSpace(line[:start]) != "" {
		names = nil
		for _, sym := range s.sys.Symbols {
			names = append(names, sym.Name)
		}
		for _, p := range s.sys.Properties {
			names = append(names, p.Name)
		}
		for _, a := range s.sys.Actions {
			names = append(names, a.Name)
		}
		for name := range s.elements {
			names = append(names, name)
		}
	}
	last := line[start:]
	names = slices.DeleteFunc(names, func(name string) bool {
		return last == "" || !strings.HasPrefix(name, last)
	})
	slices.Sort(names)
	return slices.Compact(names)
}

// number reads an argument from lo to hi; what names it in messages. An empty argument is fallback,
// unless that is negative.
func number(arg, what string, fallback, lo, hi int) (int, error) {
	if arg == "" && fallback >= 0 {
		return fallback, nil
	}
	n, err := strconv.Atoi(arg)
	if err == nil && isNumber(arg) && lo <= n && n <= hi {
		return n, nil
	}
	if lo == hi {
		return 0, fmt.Errorf("%s is the number %d, not %q", what, lo, cut(arg, 20))
	}
	return 0, fmt.Errorf("%s is a number from %d to %d, not %q", what, lo, hi, cut(arg, 20))
}

func none(arg, name string) error {
	if arg != "" {
		return fmt.Errorf("%s takes no argument", name)
	}
	return nil
}

func (s *Session) cmdHelp(_ context.Context, arg string) error {
	if arg == "" {
		var rows []row
		for _, c := range commands() {
			rows = append(rows, row{"", strings.TrimSpace(c.name + " " + c.args), c.help})
		}
		for _, l := range s.layOut(rows) {
			s.printf("%s\n", strings.TrimPrefix(l, "    "))
		}
		s.printf("\nA number takes that step of the list. The name of an action takes its step, " +
			"if there is just one; arguments choose\n" +
			"among several: NAME(client0), NAME(c = client0), where * is any value. Every word " +
			"may be shortened as long as it is\nunambiguous. # begins a comment.\n")
		return nil
	}
	for _, c := range commands() {
		if strings.HasPrefix(c.name, arg) {
			s.printf("%s\n    %s\n", strings.TrimSpace(c.name+" "+c.args), c.help)
		}
	}
	if s.out.Len() == 0 {
		return fmt.Errorf("there is no command %s", strconv.Quote(cut(arg, 40)))
	}
	return nil
}

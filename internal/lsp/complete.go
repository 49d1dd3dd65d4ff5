package lsp

import (
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/front/ere/names"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/result"
)

// completionContext is where in a text something is to be completed. It is found from the tokens
// alone, so it is known while the text has errors.
type completionContext struct {
	declaration string // the word that begins the declaration around it, empty at the top
	braces      int    // open braces of the declaration
	parens      int    // open parentheses and brackets
	before      string // the token before it
	before2     string // and the one before that
	seen        map[string]bool
	locals      []string // names that may be variables of the declaration
	start       bool     // nothing but white space stands before it on its line
}

// top are the words that begin a declaration, and the words before them.
var top = []string{
	"sort", "enum", "type", "mutable", "immutable", "derived", "ghost", "axiom", "init", "action",
	"fair", "strong", "transition",
	"definition", "zerostate", "onestate", "twostate", "theorem", "safety", "invariant", "trusted",
	"liveness", "temporal", "include",
	"instance", "expect", "rank", "algorithm", "protocol", "about", "reduce", "sat", "unsat",
	"fbii",
}

// contextOf scans the tokens before an offset. The word that is being typed does not count.
func (a *analysis) contextOf(offset int) completionContext {
	p := completionContext{seen: map[string]bool{}}
	line := a.text.lines[a.text.line(offset)]
	wordStart := offset
	for wordStart > line && isWordByte(a.text.string[wordStart-1]) {
		wordStart--
	}
	p.start = strings.TrimSpace(a.text.string[line:wordStart]) == ""
	fresh := true // a declaration may begin
	for _, t := range a.tree.Tokens {
		if t.Start >= wordStart || t.Kind == syntax.EOF {
			break
		}
		if t.Kind == syntax.Comment {
			continue
		}
		text := a.text.string[t.Start:t.End]
		first := strings.TrimSpace(a.text.string[a.text.lines[a.text.line(t.Start)]:t.Start]) == ""
		if slices.Contains(top, text) && p.parens == 0 && (fresh || first) &&
			(p.braces == 0 || p.declaration == "about" && p.braces == 1) {
			outer := p.declaration == "about" && p.braces == 1
			p = completionContext{declaration: text, seen: map[string]bool{}, start: p.start}
			if outer {
				p.declaration, p.braces = "about", 1
			}
		}
		fresh = false
		switch text {
		case "{":
			p.braces++
		case "}":
			p.braces = max(p.braces-1, 0)
			if p.braces == 0 {
				p.declaration, fresh = "", true
			}
		case "(", "[":
			p.parens++
		case ")", "]":
			p.parens = max(p.parens-1, 0)
		}
		if t.Kind == syntax.Ident && !p.seen[text] {
			p.locals = append(p.locals, text)
		}
		p.seen[text] = true
		p.before, p.before2 = text, p.before
	}
	return p
}

func isWordByte(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// completion offers what can stand at a position: words where they can begin something, and names
// by their kinds.
func (s *server) completion(a *analysis, p positionParams) (any, error) {
	if a.tree == nil {
		return []completionItem{}, nil
	}
	s.mu.Lock()
	snippets := s.client.Capabilities.TextDocument.Completion.CompletionItem.SnippetSupport
	s.mu.Unlock()
	offset := a.text.offset(p.Position)
	c := &completer{analysis: a, completionContext: a.contextOf(offset),
		snippets: snippets,
		items:    []completionItem{}, have: map[string]bool{}}
	if start, ok := a.afterPeriod(offset); ok {
		if fields := a.fields(start); len(fields) > 0 {
			for _, f := range fields {
				c.add(completionItem{Label: f.Name, Kind: completeField,
					Detail: f.Name + ": " + f.Type, SortText: "0" + f.Name})
			}
			return c.items, nil
		}
	}
	c.complete()
	return c.items, nil
}

type completer struct {
	*analysis
	completionContext
	snippets bool
	items    []completionItem
	have     map[string]bool
}

func (c *completer) add(item completionItem) {
	if !c.have[item.Label] {
		c.have[item.Label] = true
		c.items = append(c.items, item)
	}
}

func (c *completer) words(list ...string) {
	for _, w := range list {
		c.add(completionItem{Label: w, Kind: completeKeyword, Detail: words[w], SortText: "2" + w})
	}
}

// names offers the declarations of some kinds.
func (c *completer) names(kinds ...names.Kind) {
	for _, d := range c.analysis.declarations() {
		if d.Local() || !slices.Contains(kinds, d.Kind) {
			continue
		}
		item := completionItem{Label: d.Name.Text, Kind: completionKinds[d.Kind],
			Detail: firstLine(c.declared(d)), SortText: "1" + d.Name.Text}
		if doc := c.comment(d); doc != "" {
			m := markdown(doc)
			item.Documentation = &m
		}
		c.add(item)
	}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

var completionKinds = map[names.Kind]int{
	names.Sort: completeClass, names.Enum: completeEnum, names.Type: completeClass,
	names.Member:   completeEnumMember,
	names.Relation: completeVariable, names.Constant: completeConstant,
	names.Function:   completeVariable,
	names.Definition: completeFunction, names.Transition: completeEvent,
	names.Action: completeEvent, names.Formula: completeFunction,
	names.Instance: completeConstant, names.MessageName: completeEvent,
	names.PeerVariable: completeVariable, names.Location: completeConstant,
}

func (c *completer) complete() {
	switch {
	case c.declaration == "about" && c.braces == 1 && c.start:
		c.words("invariant", "trusted", "definition", "rank", "theorem")
	case c.braces == 0 && c.parens == 0 && (c.declaration == "" || c.start && !c.continues()):
		c.words(top...)
		c.templates()
	case c.before == "mutable" || c.before == "immutable" || c.before == "ghost" ||
		c.before == "derived":
		c.words("relation", "constant", "function")
	case c.before == "fair" || c.before2 == "strong":
		c.words("action", "transition")
	case c.before == "strong":
		c.words("fair")
	case c.before == "trusted":
		c.words("invariant")
	case c.declaration == "sort":
	case c.before == ":" || c.declaration == "type" && c.before == "=" ||
		(c.declaration == "mutable" || c.declaration == "immutable") && c.parens > 0:
		c.words("bool", "int", "string", "set", "seq", "option", "map")
		c.names(names.Sort, names.Enum, names.Type)
	case c.before == "[" && (c.declaration == "expect" || c.declaration == "rank" ||
		c.declaration == "reduce"):
		c.names(names.Formula)
	case c.declaration == "expect" && c.before == "in":
		c.names(names.Instance)
	case c.declaration == "expect" && c.before == "]":
		for _, v := range result.All {
			if v != result.HoldsUpTo && v != result.HoldsInitially {
				c.words(string(v))
			}
		}
	case c.declaration == "expect":
		c.words("in", "states", "depth")
	case c.declaration == "instance":
		if c.before == "{" || c.before == "," && c.parens == 0 {
			c.names(names.Sort, names.Constant, names.Relation, names.Function)
		} else {
			c.names(names.Member)
		}
	case c.declaration == "algorithm" && c.braces == 1 && c.start:
		c.words("message", "var", "timing", "network", "start", "sender", "send", "receive",
			"compute")
	case c.declaration == "algorithm" && c.braces == 1 && c.before == "timing":
		c.words("synchrony", "asynchrony", "partial_synchrony")
	case c.declaration == "algorithm" && c.braces == 1 && (c.before == "then" ||
		c.before == "start" || c.before == "starts"):
		c.names(names.Location)
	case c.declaration == "protocol" && c.protocol():
	case c.before == "send":
		c.names(names.MessageName)
	case c.before == "at":
		c.names(names.Location)
	case c.before == "modifies":
		c.names(names.Relation, names.Constant, names.Function)
	case c.declaration == "rank" && (c.before == "{" || c.before == ";"):
		c.words("choose", "count", "variable", "await", "bound", "case", "never",
			"pending")
	case c.braces > 0 && (c.before == "{" || c.before == ";" || c.before == "}") &&
		c.declaration != "fbii" && c.declaration != "enum":
		c.words("require", "assume", "choose", "if", "let", "match")
		if c.seen["match"] {
			c.names(names.Member)
		}
		c.variables()
		c.names(names.Relation, names.Constant, names.Function, names.PeerVariable)
	default:
		c.expression()
	}
}

// protocol offers what can stand in a protocol, and reports whether that is all.
func (c *completer) protocol() bool {
	switch {
	case c.braces == 1 && c.start:
		c.words("message", "var", "disk", "timer", "clock", "timing", "faults", "forge", "network",
			"role", "on", "step", "after")
	case c.braces == 1 && c.before == "timing":
		c.words("synchrony", "asynchrony", "partial_synchrony", "drift")
	case c.braces == 1 && c.before == "faults":
		c.words("none", "crash", "recover", "omission", "send_omission", "receive_omission",
			"byzantine")
	case c.braces == 1 && c.before == "network":
		c.words("reliable", "lossy", "duplicating", "fifo", "copies")
	case c.before == "on" || c.before == "forge" || c.before == "reply":
		c.names(names.MessageName)
	case c.braces > 1 && (c.before == "{" || c.before == ";" || c.before == "}"):
		c.words("send", "reply", "reset", "choose", "if", "let", "match")
		c.variables()
		c.names(names.PeerVariable)
	default:
		return false
	}
	return true
}

// continues reports whether the token before the place asks for an operand.
func (c *completer) continues() bool {
	return slices.Contains([]string{"&", "|", "->", "<->", "~>", "=", "!=", "<", "<=", ">", ">=",
		"+", "-", "*", "!", "~", ",", ".", ":",
		"then", "else", "in", "always", "eventually", "until", "modifies", "if"}, c.before)
}

// variables offers names of the declaration so far that have no meaning at the top level.
func (c *completer) variables() {
	for _, n := range c.locals {
		if !c.analysis.global(n) && !syntax.Contextual(n) {
			c.add(completionItem{Label: n, Kind: completeVariable, Detail: "variable",
				SortText: "0" + n})
		}
	}
}

// global reports whether a text declares a name at its top level.
func (a *analysis) global(name string) bool {
	return slices.ContainsFunc(a.declarations(), func(d *names.Declaration) bool {
		return !d.Local() && d.Kind != names.Field && d.Name.Text == name
	})
}

func (c *completer) expression() {
	c.variables()
	c.names(names.Relation, names.Constant, names.Function, names.Member, names.Definition,
		names.PeerVariable)
	c.words("forall", "exists", "if", "then", "else", "let", "in", "true", "false", "distinct")
	c.functions()
	switch c.declaration {
	case "liveness", "temporal":
		c.words("always", "eventually", "until")
	case "transition", "twostate":
		c.words("new", "old")
	case "action", "fair", "strong":
		c.words("old")
	case "theorem", "invariant":
		c.words("safety")
		c.names(names.Formula)
	case "algorithm":
		c.words("received")
		c.names(names.MessageName)
	}
	if slices.ContainsFunc(c.analysis.declarations(),
		func(d *names.Declaration) bool {
			return d.Kind == names.Algorithm || d.Kind == names.Protocol
		}) {
		c.words("correct", "crashed")
	}
}

// templates offers whole declarations with places to fill.
func (c *completer) templates() {
	if !c.snippets {
		return
	}
	for _, t := range []struct{ label, what, text string }{
		{"action ...", "an action",
			"action ${1:name}(${2:x: node}) {\n  require ${3:true};\n  $0\n}"},
		{"mutable relation ...", "a part of the state", "mutable relation ${1:name}(${2:node})"},
		{"safety ...", "a safety property", "safety [${1:name}] $0"},
		{"invariant ...", "an invariant", "invariant [${1:name}] $0"},
		{"liveness ...", "a liveness property", "liveness [${1:name}] ${2:trigger} ~> ${3:good}"},
		{"instance ...", "an instance to explore", "instance ${1:small} { " + c.sizes() + " }"},
		{"expect ...", "an expectation", "expect [${1:property}] ${2:holds}"},
	} {
		c.add(completionItem{Label: t.label, Kind: completeSnippet, Detail: t.what,
			InsertText: t.text, InsertTextFormat: snippetFormat, SortText: "3" + t.label})
	}
}

// sizes is the body of an instance with all sorts.
func (c *completer) sizes() string {
	var items []string
	for _, d := range c.analysis.declarations() {
		if d.Kind == names.Sort {
			items = append(items, fmt.Sprintf("%s = ${%d:2}", d.Name.Text, len(items)+2))
		}
	}
	if len(items) == 0 {
		return "$0"
	}
	return strings.Join(items, ", ")
}

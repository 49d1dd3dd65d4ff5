package lsp

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/result"
)

// The lenses of a property lead to a page: to its initial state, and to a run that was found for
// this version of the text. The client is asked to show the address.
func TestExplore(t *testing.T) {
	var shown []*result.Result
	c := startWith(t, nil, func(file, text string, r *result.Result) (string, error) {
		if !strings.HasSuffix(file, "lock.ere") || !strings.Contains(text, "safety") {
			return "", errors.New("another file")
		}
		shown = append(shown, r)
		return "http://127.0.0.1:1/secret/#file=lock.ere", nil
	})
	text := "mutable relation on\ninit !on\naction go() { on := true; }\nsafety [off] !on\ninstance one { }\n"
	c.open(lockURI, text)
	titles := func() (out []string) {
		var lenses []codeLens
		c.request("textDocument/codeLens", documentParams{textDocument{lockURI}}, &lenses)
		for _, l := range lenses {
			out = append(out, l.Command.Title)
		}
		return out
	}
	if got := titles(); !slices.Contains(got, "simulate") || slices.Contains(got, "open in the explorer") {
		t.Errorf("the lenses are %v", got)
	}
	explore := func(args ...string) map[string]any {
		return map[string]any{"command": commandExplore, "arguments": args}
	}
	c.refused("workspace/executeCommand", explore(lockURI, "off"))
	c.refused("workspace/executeCommand", explore(lockURI, "nothing"))
	c.request("workspace/executeCommand", map[string]any{"command": commandVerify,
		"arguments": []string{lockURI, "off", "check"}}, nil)
	c.until("the run of the violation", func() bool {
		return slices.ContainsFunc(c.statuses, func(s statusParams) bool {
			return slices.ContainsFunc(s.Properties, func(p propertyStatus) bool {
				return p.State == string(result.Violated) && p.Detail != foundMeanwhile
			})
		})
	})
	if got := titles(); !slices.Contains(got, "open in the explorer") {
		t.Errorf("after the violation the lenses are %v", got)
	}
	var address string
	c.request("workspace/executeCommand", explore(lockURI), &address)
	c.request("workspace/executeCommand", explore(lockURI, "off"), &address)
	if len(shown) != 2 || shown[0] != nil || shown[1] == nil || shown[1].Trace == nil ||
		!strings.HasPrefix(address, "http://127.0.0.1") {
		t.Errorf("shown are %+v, the address is %q", shown, address)
	}
	if len(c.shown) != 2 || c.shown[0].URI != address || !c.shown[0].External {
		t.Errorf("the client is asked to show %+v", c.shown)
	}
	c.edit(lockURI, 0, 0, "# another version\n")
	c.refused("workspace/executeCommand", explore(lockURI, "off"))
	c.edit(lockURI, 0, 0, "nonsense\n")
	c.refused("workspace/executeCommand", explore(lockURI))
}

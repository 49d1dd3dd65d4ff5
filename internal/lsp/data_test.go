package lsp

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/flat"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

const dataURI = "file:///data.ere"

const dataSpec = `sort node

type term = 0..3
type entry = { term: term, from: node }
type message = ask(term: term, to: node) | stop | copy(entry: entry)

mutable function log(node): seq[entry]
mutable constant sent: set[message]
mutable constant voted: map[node, option[term]]
mutable constant pair: (node, { deep: term })

init log(N) = [] & sent = {} & voted = [:]

action send(n: node) {
  require size(log(n)) > 0 & last(log(n)).term > 1;
  sent := sent with ask(last(log(n)).term, n);
}

action hear(m in sent, n: node) {
  require m is copy;
  log(n) := append(log(n), { term: m.entry.term, from: n });
}

safety [terms] forall m in sent. m is ask -> m.term <= 3
`

// completed asks what can stand at the place ? of a text, and gives the text before it, too.
func completed(c *client, n int, text string) (before string, items []completionItem) {
	before, after, _ := strings.Cut(text, "?")
	uri := fmt.Sprintf("file:///data%d.ere", n)
	c.open(uri, before+after)
	c.request("textDocument/completion", map[string]any{"textDocument": textDocument{uri},
		"position": newText(before + after).position(len(before))}, &items)
	return before, items
}

// Behind a period stand the fields of the value, whatever is unfinished around them.
func TestCompletionOfFields(t *testing.T) {
	c := start(t, nil)
	entry, message := []string{"term", "from"}, []string{"term", "to", "entry"}
	for i, x := range []struct {
		text string // ? is the place
		want []string
	}{
		{strings.Replace(dataSpec, "m.entry.term", "m.entry.?", 1), entry},
		{strings.Replace(dataSpec, "m.entry.term", "m.entry.te?", 1), entry},
		{strings.Replace(dataSpec, "m.entry.term", "m.?", 1), message},
		{strings.Replace(dataSpec, "m is copy;", "log(n)[1].?", 1), entry},
		{strings.Replace(dataSpec, "m is copy;", "f(log(n)[m.?", 1), message},
		{strings.Replace(dataSpec, "m is copy;", "m is copy; if m.?", 1), message},
		{strings.Replace(dataSpec, "m is copy;", "m is copy; log(n)[1].?", 1), entry},
		{strings.Replace(dataSpec, "m is copy;", "voted[n].?", 1), []string{"value"}},
		{dataSpec + "safety pair.?", []string{"1", "2"}},
		{dataSpec + "safety pair.2.?", []string{"deep"}},
		{dataSpec + "safety {e.? for e in log(n)} = {}", entry},
		{dataSpec + "safety forall x in sent. y.?", nil},
		{dataSpec + "safety forall n, e in log(n). e.?", entry},
		{dataSpec + "safety forall e in log(n). let x = e.?", entry},
		{dataSpec + "safety forall m in sent. if m.?", message},
	} {
		before, items := completed(c, i, x.text)
		var got []string
		for _, item := range items {
			if item.Kind == completeField {
				got = append(got, item.Label)
			}
		}
		if !slices.Equal(got, x.want) {
			t.Errorf("…%s: %v, want %v", before[max(0, len(before)-20):], got, x.want)
		}
		if x.want != nil && len(got) != len(items) {
			t.Errorf("…%s: more than fields", before[max(0, len(before)-20):])
		}
	}
}

// Functions of the language, constructors and the types of collections are offered where they can
// stand.
func TestCompletionOfData(t *testing.T) {
	c := start(t, nil)
	for i, x := range []struct {
		text string
		has  []string
	}{
		{dataSpec + "safety si?", []string{"size", "last", "ask", "stop", "some", "union"}},
		{dataSpec + "mutable constant x: ?", []string{"seq", "map", "entry"}},
		{strings.Replace(dataSpec, "require m is copy;", "match m { ?", 1),
			[]string{"ask", "stop", "copy"}},
	} {
		before, items := completed(c, i, x.text)
		for _, want := range x.has {
			if !slices.ContainsFunc(items, func(i completionItem) bool { return i.Label == want }) {
				t.Errorf("…%s: no %s", before[max(0, len(before)-20):], want)
			}
		}
	}
}

func TestHoverOfData(t *testing.T) {
	c := start(t, nil)
	c.open(dataURI, dataSpec)
	for _, x := range []struct {
		mark  string
		plus  int
		wants []string
	}{
		{"log(n), {", 0, []string{"mutable function log(node): seq[entry]"}},
		{"m.entry", 0, []string{"m: message"}},
		{"m.entry", 3, []string{"entry: entry", "A field of the type `message`."}},
		{"entry.term", 7, []string{"term: term", "A field of the type `entry`."}},
		{"ask(last", 0, []string{"ask(term: term, to: node)",
			"A constructor of the type `message`."}},
		{"copy;", 0, []string{"copy(entry: entry)"}},
		{"append(", 2, []string{"append(s, e)", "behind its elements"}},
	} {
		var h *hover
		c.request("textDocument/hover", at(dataURI, dataSpec, x.mark, x.plus), &h)
		for _, want := range x.wants {
			if h == nil || !strings.Contains(h.Contents.Value, want) {
				t.Errorf("at %s: no %q in %+v", x.mark, want, h)
			}
		}
	}
}

// A field or a constructor is found, and renamed, wherever it stands; fields of another type with
// the same name stay.
func TestNamesOfData(t *testing.T) {
	c := start(t, nil)
	c.open(dataURI, dataSpec)
	for _, x := range []struct {
		mark     string
		plus     int
		declared string // the text from its declaration on
		want     *strings.Replacer
	}{
		{"entry.term", 7, "term: term, from", strings.NewReplacer("{ term:", "{ new_name:",
			")).term", ")).new_name", "entry.term", "entry.new_name")},
		{"m.term <=", 2, "term: term, to", strings.NewReplacer("ask(term:", "ask(new_name:",
			"m.term", "m.new_name")},
		{"copy;", 0, "copy(entry: entry)", strings.NewReplacer("copy", "new_name")},
	} {
		p := at(dataURI, dataSpec, x.mark, x.plus)
		var locations []location
		c.request("textDocument/definition", p, &locations)
		declared := newText(dataSpec).position(strings.Index(dataSpec, x.declared))
		if len(locations) != 1 || locations[0].Range.Start != declared {
			t.Errorf("%s: the definition is at %+v", x.mark, locations)
		}
		p["newName"] = "new_name"
		var edit workspaceEdit
		c.request("textDocument/rename", p, &edit)
		text := newText(dataSpec)
		for _, e := range slices.Backward(edit.Changes[dataURI]) {
			text = newText(text.replace(contentChange{&e.Range, e.NewText}))
		}
		if want := x.want.Replace(dataSpec); text.string != want {
			t.Errorf("%s:\n%s\nwant\n%s", x.mark, text.string, want)
		}
	}
}

func TestSignatureOfData(t *testing.T) {
	c := start(t, nil)
	text := dataSpec + "invariant ask(3, "
	c.open(dataURI, text)
	var help *signatureHelp
	c.request("textDocument/signatureHelp", map[string]any{"textDocument": textDocument{dataURI},
		"position": newText(text).position(len(text))}, &help)
	if help == nil || help.Signatures[0].Label != "ask(term: term, to: node)" ||
		help.ActiveParameter != 1 {
		t.Errorf("%+v", help)
	}
}

// Where a field of an example is left out, behind its period, completion offers it.
func TestFieldsOfExamples(t *testing.T) {
	files, err := filepath.Glob("../../examples/data/*.ere")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d examples: %v", len(files), err)
	}
	tried := 0
	for _, file := range files {
		read, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := string(read)
		tree := syntax.Parse(diag.NewSource(file, text), &diag.List{})
		for _, f := range flat.TypesOf(tree).Fields() {
			for _, p := range f.Places {
				if text[p.Start-1] != '.' {
					continue
				}
				tried++
				s := newSnapshot(t.Context(), file, 1, text[:p.Start]+text[p.End:])
				a := &analysis{snapshot: s, tree: syntax.Parse(diag.NewSource(file,
					s.text.string), &diag.List{})}
				if got := a.fields(p.Start); !slices.ContainsFunc(got,
					func(g flat.Field) bool { return g.Name == f.Name && g.Type == f.Type }) {
					t.Errorf("%s: no %s: %s among %v", p, f.Name, f.Type, got)
				}
			}
		}
	}
	if tried < 40 {
		t.Errorf("%d fields", tried)
	}
}

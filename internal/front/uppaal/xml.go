package uppaal

import (
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/parse"
)

// node is an element of the file, with its direct text.
type node struct {
	name  string
	attrs map[string]string
	kids  []*node
	text  fragment
	span  diag.Span
}

func (n *node) all(name string) (out []*node) {
	for _, k := range n.kids {
		if k.name == name {
			out = append(out, k)
		}
	}
	return out
}

func (n *node) first(name string) *node {
	for _, k := range n.kids {
		if k.name == name {
			return k
		}
	}
	return &node{attrs: map[string]string{}, span: n.span}
}

func (n *node) present() bool { return n.name != "" && strings.TrimSpace(n.text.text) != "" }

// tree reads the elements of the file.
func (l *loader) tree() *node {
	d := xml.NewDecoder(strings.NewReader(l.src.Text))
	d.CharsetReader = readAs
	root := &node{attrs: map[string]string{}}
	stack := []*node{root}
	for {
		from := int(d.InputOffset())
		t, err := d.Token()
		to := int(d.InputOffset())
		top := stack[len(stack)-1]
		span := diag.Span{Source: l.src, Start: from, End: to}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				l.list.Errorf(diag.Syntax, diag.Span{Source: l.src, Start: to, End: to},
					"this is no XML: %v", err)
				return nil
			}
			return root
		}
		switch t := t.(type) {
		case xml.StartElement:
			n := &node{name: t.Name.Local, attrs: map[string]string{}, span: span}
			n.text.at = []int{}
			for _, a := range t.Attr {
				n.attrs[a.Name.Local] = a.Value
			}
			if len(stack) > maxDepth {
				l.list.Errorf(diag.TooDeep, span, "this is nested too deeply")
				return nil
			}
			top.kids = append(top.kids, n)
			stack = append(stack, n)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.CharData:
			top.text.add(l.src.Text[from:to], from)
		}
	}
}

// add appends raw text of the file, and replaces its entities.
func (f *fragment) add(raw string, from int) {
	var b strings.Builder
	b.WriteString(f.text)
	put := func(s string, at int) {
		for range len(s) {
			f.at = append(f.at, at)
		}
		b.WriteString(s)
	}
	if inner, ok := strings.CutPrefix(raw, "<![CDATA["); ok {
		inner = strings.TrimSuffix(inner, "]]>")
		for i := range len(inner) {
			put(inner[i:i+1], from+len("<![CDATA[")+i)
		}
	} else {
		for i := 0; i < len(raw); {
			end := strings.IndexByte(raw[i:], ';')
			if raw[i] == '&' && end > 0 {
				put(entity(raw[i+1:i+end]), from+i)
				i += end + 1
				continue
			}
			put(raw[i:i+1], from+i)
			i++
		}
	}
	f.text, f.end = b.String(), from+len(raw)
}

// entity gives the character of an entity; the decoder has refused unknown ones.
func entity(name string) string {
	switch name {
	case "lt":
		return "<"
	case "gt":
		return ">"
	case "amp":
		return "&"
	case "quot":
		return "\""
	case "apos":
		return "'"
	}
	digits, base := strings.TrimPrefix(name, "#"), 10
	if strings.HasPrefix(digits, "x") {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseInt(digits, base, 32)
	if err != nil {
		return string(utf8.RuneError)
	}
	return string(rune(n))
}

// xml reads an XML file.
func (l *loader) xml(s *system) (asked []*query, ok bool) {
	root := l.tree()
	if root == nil {
		return nil, false
	}
	nta := root.first("nta")
	if nta.name == "" {
		l.list.Errorf(diag.Syntax, diag.Span{Source: l.src},
			"there is no element nta: this is no model of UPPAAL")
		return nil, false
	}
	read := func(n *node, f func(*parser)) {
		if n.present() {
			l.parse(n.text, false, f)
		}
	}
	read(nta.first("declaration"), func(p *parser) { s.decls = p.declarations(s) })
	for _, t := range nta.all("template") {
		s.templates = append(s.templates, l.xmlTemplate(t, read))
	}
	system := func(p *parser) {
		for !p.At(parse.EOF) {
			if !p.systemPart(s) {
				s.decls = append(s.decls, p.declaration()...)
			}
		}
	}
	read(nta.first("instantiation"), system)
	read(nta.first("system"), system)
	for _, q := range nta.first("queries").all("query") {
		n := q.first("formula")
		if !n.present() {
			continue
		}
		a := l.readQuery(n.text)
		if a == nil {
			continue
		}
		switch q.first("result").attrs["outcome"] {
		case "success":
			a.recorded = "satisfied"
		case "failure":
			a.recorded = "not satisfied"
		}
		a.value = q.first("result").attrs["value"]
		asked = append(asked, a)
	}
	return asked, l.list.Err() == nil
}

func (l *loader) xmlTemplate(n *node, read func(*node, func(*parser))) *template {
	t := &template{span: n.span}
	read(n.first("name"), func(p *parser) { t.name = p.name().Text })
	read(n.first("parameter"), func(p *parser) { t.params = p.paramsTo(parse.EOF) })
	read(n.first("declaration"), func(p *parser) { t.decls = p.declarations(nil) })
	names := map[string]string{} // of the locations, by their ids
	for _, k := range n.all("branchpoint") {
		names[k.attrs["id"]] = k.attrs["id"]
		t.branches = append(t.branches, k.attrs["id"])
	}
	for _, k := range n.all("location") {
		loc := &location{name: k.attrs["id"], span: k.span}
		if name := k.first("name"); name.present() {
			read(name, func(p *parser) { loc.name = p.name().Text })
		}
		names[k.attrs["id"]] = loc.name
		loc.urgent, loc.committed = k.first("urgent").name != "", k.first("committed").name != ""
		for _, label := range k.all("label") {
			if label.attrs["kind"] == "invariant" { // a rate does not restrict delays
				read(label, func(p *parser) { loc.invariant = p.guard() })
			}
		}
		t.locations = append(t.locations, loc)
	}
	t.initial = names[n.first("init").attrs["ref"]]
	for _, k := range n.all("transition") {
		e := &edge{source: names[k.first("source").attrs["ref"]],
			target: names[k.first("target").attrs["ref"]], span: k.span}
		for _, label := range k.all("label") {
			kind := label.attrs["kind"]
			if kind == "comments" || kind == "testcode" {
				continue
			}
			read(label, func(p *parser) {
				switch kind {
				case "select":
					e.selects = p.selects()
				case "guard":
					e.guard = p.guard()
				case "synchronisation":
					e.channel, e.send = p.sync()
				case "assignment":
					e.update = p.expressions()
				case "probability":
					e.weight = p.expression()
				default:
					p.refuse("the label %s is not supported", kind)
				}
			})
		}
		t.edges = append(t.edges, e)
	}
	return t
}

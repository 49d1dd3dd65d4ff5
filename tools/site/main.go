// Command site makes a folder with the documentation as pages for a browser: README, docs, and all
// examples, with a search over them. Everything is static, and loads nothing from elsewhere, so any
// web server can serve the folder, and pages and search also work from the disk.
//
//	go run ./tools/site FOLDER
//
// In: the pages of the project, in Markdown. Out: a page for each, and an index for the search.
// They link to the folder playground beside them, which tools/playground makes.
package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

//go:embed page
var own embed.FS

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./tools/site FOLDER")
		os.Exit(2)
	}
	if err := write(".", os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

// site is what is made of a project.
type site struct {
	root, out string
	pages     map[string]*page // by their paths in the project
	order     []*page          // of the pages, which grows by what they link to
	layout    *template.Template
	index     []entry
}

// page is a file of the project that becomes a page.
type page struct {
	source, target string // paths in the project, and in the site
	title          string
}

// entry is a part of a page that the search finds.
type entry struct {
	Page    string `json:"page"`
	Anchor  string `json:"anchor"`
	Title   string `json:"title"`
	Section string `json:"section"`
	Text    string `json:"text"`
}

// patterns are the files that become pages.
var patterns = []string{"*.md", "docs/*.md", "examples/README.md",
	"examples/*.ere", "examples/*/*.ere", "examples/*/*.xta", "examples/*/*.q",
	"examples/*/*.tla", "examples/*/*.cfg",
	"examples/real/*.md", "examples/real/*/README.md", "examples/real/*/*.ere",
	"examples/real/*/*.observe"}

func write(root, out string) error {
	s := &site{root: root, out: out, pages: map[string]*page{}}
	var err error
	if s.layout, err = template.ParseFS(own, "page/layout.html"); err != nil {
		return fmt.Errorf("reading the layout: %w", err)
	}
	for _, p := range patterns {
		found, err := fs.Glob(os.DirFS(root), p)
		if err != nil {
			return err
		}
		for _, source := range found {
			s.add(source, targetOf(source))
		}
	}
	for i := 0; i < len(s.order); i++ {
		if err := s.page(s.order[i]); err != nil {
			return fmt.Errorf("%s: %w", s.order[i].source, err)
		}
	}
	for _, name := range []string{"style.css", "search.js"} {
		b, err := own.ReadFile("page/" + name)
		if err != nil {
			return err
		}
		if err := s.put(name, b); err != nil {
			return err
		}
	}
	if err := s.pictures(); err != nil {
		return err
	}
	index, err := json.Marshal(s.index)
	if err != nil {
		return err
	}
	// a script and no JSON, since a page from the disk may load the one and not the other
	return s.put("index.js", fmt.Appendf(nil, "const index = %s;\n", index))
}

// add has a file or folder become a page.
func (s *site) add(source, target string) *page {
	p := s.pages[source]
	if p == nil {
		p = &page{source: source, target: target}
		s.pages[source], s.order = p, append(s.order, p)
	}
	return p
}

// targetOf is the path of the page of a file.
func targetOf(source string) string {
	dir, name := path.Split(source)
	switch {
	case source == "README.md":
		return "index.html"
	case name == "README.md":
		return dir + "index.html"
	case path.Ext(name) == ".md":
		return dir + strings.TrimSuffix(name, ".md") + ".html"
	}
	return source + ".html"
}

func (s *site) put(name string, b []byte) error {
	file := filepath.Join(s.out, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("making a folder: %w", err)
	}
	if err := os.WriteFile(file, b, 0o644); err != nil {
		return fmt.Errorf("writing a page: %w", err)
	}
	return nil
}

func (s *site) pictures() error {
	found, err := filepath.Glob(filepath.Join(s.root, "docs", "pictures", "*.[ps][nv]g"))
	if err != nil {
		return err
	}
	for _, file := range found {
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := s.put("docs/pictures/"+filepath.Base(file), b); err != nil {
			return err
		}
	}
	return nil
}

// page writes the page of a file.
func (s *site) page(p *page) error {
	var body bytes.Buffer
	file := filepath.Join(s.root, filepath.FromSlash(p.source))
	info, err := os.Stat(file)
	if err == nil && info.IsDir() {
		err = s.folder(p, file, &body)
	} else if err == nil {
		err = s.file(p, file, &body)
	}
	if err != nil {
		return err
	}
	up := strings.Repeat("../", strings.Count(p.target, "/"))
	var b bytes.Buffer
	if err := s.layout.Execute(&b, map[string]any{"Title": p.title, "Up": template.URL(up),
		"Body": template.HTML(body.String())}); err != nil {
		return err
	}
	return s.put(p.target, b.Bytes())
}

// file shows a file.
func (s *site) file(p *page, file string, b *bytes.Buffer) error {
	source, err := os.ReadFile(file)
	if err == nil && path.Ext(p.source) == ".md" {
		return s.markdown(p, source, b)
	}
	s.listing(p, string(source), b)
	return err
}

// folder lists the files of a folder.
func (s *site) folder(p *page, folder string, b *bytes.Buffer) error {
	p.title = p.source
	found, err := os.ReadDir(folder)
	fmt.Fprintf(b, "<h1>%s</h1>\n<ul>\n", template.HTMLEscapeString(p.source))
	for _, f := range found {
		to, err := s.linkFrom(p, path.Join("/", p.source, f.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "<li><a href=\"%s\">%s</a></li>\n", template.HTMLEscapeString(to),
			template.HTMLEscapeString(f.Name()))
	}
	b.WriteString("</ul>\n")
	s.index = append(s.index, entry{Page: p.target, Title: p.source, Text: p.source})
	return err
}

// listing shows a specification, with a link by which the playground opens it.
func (s *site) listing(p *page, source string, b *bytes.Buffer) {
	p.title = p.source
	up := strings.Repeat("../", strings.Count(p.target, "/"))
	fmt.Fprintf(b, "<h1>%s</h1>\n%s<pre><code>%s</code></pre>\n",
		template.HTMLEscapeString(p.source), tried(up, path.Base(p.source), source),
		template.HTMLEscapeString(source))
	s.index = append(s.index, entry{Page: p.target, Title: p.source, Text: source})
}

// tried is a link by which the playground opens a text; empty where it reads no such files.
func tried(up, name, source string) string {
	if path.Ext(name) != ".ere" {
		return ""
	}
	q := url.Values{"name": {name}, "text": {source}}
	return fmt.Sprintf("<p class=\"try\"><a href=\"%splayground/index.html?%s\">Try it in the "+
		"browser</a></p>\n", up, template.HTMLEscapeString(q.Encode()))
}

// markdown makes HTML of a page, with links to the pages of the site in place of links to files.
func (s *site) markdown(p *page, source []byte, b *bytes.Buffer) error {
	up := strings.Repeat("../", strings.Count(p.target, "/"))
	md := goldmark.New(goldmark.WithExtensions(extension.GFM),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(blocks{up}, 1))))
	tree := md.Parser().Parse(text.NewReader(source))
	section := entry{Page: p.target}
	flush := func() {
		if section.Text = strings.Join(strings.Fields(section.Text), " "); section.Text != "" {
			section.Title = p.title
			s.index = append(s.index, section)
		}
	}
	err := ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			flush()
			title := plain(n, source)
			if p.title == "" {
				p.title = title
			}
			id, _ := n.AttributeString("id")
			anchor, _ := id.([]byte)
			section = entry{Page: p.target, Anchor: string(anchor), Section: title}
		case *ast.Link:
			to, err := s.linkFrom(p, string(n.Destination))
			if err != nil {
				return ast.WalkStop, err
			}
			n.Destination = []byte(to)
		case *ast.Text:
			section.Text += string(n.Segment.Value(source)) + " "
		case *ast.FencedCodeBlock:
			section.Text += lines(n, source) + " "
		}
		return ast.WalkContinue, nil
	})
	flush()
	if err != nil {
		return err
	}
	return md.Renderer().Render(b, source, tree)
}

// blocks writes blocks of code; a whole specification has a link to the playground.
type blocks struct{ up string }

// RegisterFuncs is of renderer.NodeRenderer.
func (b blocks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, func(
		w util.BufWriter, source []byte, n ast.Node, entering bool,
	) (ast.WalkStatus, error) {
		block, ok := n.(*ast.FencedCodeBlock)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		code := lines(n, source)
		fmt.Fprintf(w, "<pre><code>%s</code></pre>\n", template.HTMLEscapeString(code))
		if block.Info == nil || !whole.MatchString(code) {
			return ast.WalkContinue, nil
		}
		if _, name, found := strings.Cut(string(block.Info.Segment.Value(source)), " "); found {
			_, _ = w.WriteString(tried(b.up, name, code))
		}
		return ast.WalkContinue, nil
	})
}

// whole matches a specification that is no fragment.
var whole = regexp.MustCompile(`(?ms)^init .*^(safety|liveness|temporal) .*^instance `)

// plain is the text of a node.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// lines is the text of a block of code.
func lines(n ast.Node, source []byte) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		b.Write(segment.Value(source))
	}
	return b.String()
}

// linkFrom is where a link of a page leads in the site. What the project has and the site does not
// becomes a page of the site; a link to what is not there is an error.
func (s *site) linkFrom(p *page, to string) (string, error) {
	u, err := url.Parse(to)
	if err != nil || u.IsAbs() || u.Path == "" {
		return to, err
	}
	file := path.Join(path.Dir(p.source), u.Path)
	if path.IsAbs(u.Path) { // from the root of the project
		file = strings.TrimPrefix(path.Clean(u.Path), "/")
	}
	q := s.pages[file]
	if q == nil {
		q = s.pages[path.Join(file, "README.md")]
	}
	if q == nil {
		info, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(file)))
		if err != nil {
			return "", fmt.Errorf("a link leads nowhere: %w", err)
		}
		target := targetOf(file)
		if info.IsDir() {
			target = path.Join(file, "index.html")
		}
		q = s.add(file, target)
	}
	target := strings.Repeat("../", strings.Count(p.target, "/")) + q.target
	if u.Fragment != "" {
		target += "#" + u.Fragment
	}
	return target, nil
}

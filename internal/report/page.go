package report

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
)

// Page is a page of sections, in the look of the report.
type Page struct {
	Title, Summary string
	Sections       []Section
}

// Section is a part of a page. What is empty is left out.
type Section struct {
	Title   string
	Text    string     // as it is, in letters of one width
	Table   [][]string // its first row is the head
	Picture template.HTML
	Legend  string
}

var sections = template.Must(template.Must(page.Clone()).New("page").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{{.Title}}: {{.Summary}}</title>
{{template "style"}}
</head>
<body>
<h1>{{.Title}}</h1>
<p class="summary">{{.Summary}}</p>
{{range .Sections}}<section>
<h2>{{.Title}}</h2>
{{with .Text}}<pre tabindex="0">{{.}}</pre>
{{end}}{{with .Table}}<table>
{{range $i, $row := .}}<tr>{{range $j, $cell := $row}}{{if $i}}<td{{if $j}} class="n"{{end}}>{{$cell}}</td>{{else}}<th{{if $j}} class="n"{{end}}>{{$cell}}</th>{{end}}{{end}}</tr>
{{end}}</table>
{{end}}{{with .Legend}}<p class="soft">{{.}}</p>
{{end}}{{with .Picture}}<div class="drawing" tabindex="0" role="region" aria-label="picture">{{.}}</div>
{{end}}</section>
{{end}}</body>
</html>
`))

// WritePage writes one page that needs no other file and no network.
func WritePage(w io.Writer, p Page) error {
	var b bytes.Buffer
	if err := sections.Execute(&b, p); err != nil {
		return fmt.Errorf("writing a page: %w", err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing a page: %w", err)
	}
	return nil
}

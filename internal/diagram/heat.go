package diagram

import (
	"slices"
	"strconv"
)

// Heat is a table over two numbers: a cell for each pair of their values, and a border between the
// cells of which a claim holds and the cells of which it does not.
type Heat struct {
	X, Y   string  // the names of the numbers; Y is empty where only one varies
	Xs, Ys []int64 // their values, least first; Ys has one value where Y is empty
	// Cells of each value of Y, and in them of each value of X.
	Cells [][]Cell
}

// Cell is a cell of a Heat.
type Cell struct {
	Kind   CellKind
	Text   string
	Title  string // more about it
	Shade  float64
	Marked bool // it is an extreme one
	Link   string
}

// CellKind says what is known of a cell. Its text is the class of the cell in the drawing.
type CellKind string

const (
	CellHolds    CellKind = "holds"
	CellViolated CellKind = "violated"
	CellOpen     CellKind = "open"  // there is no answer
	CellEmpty    CellKind = "empty" // there is nothing
)

// MostCells is the number of cells that are drawn.
const MostCells = 10_000

// Sizes of cells. With more than roomy columns or rows, cells are small and have no text.
const (
	cellHeight = 26.0
	cellWidth  = 34.0
	smallCell  = 12.0
	roomy      = 32
)

// heatPicture is a drawing of a Heat. Larger values of Y are further up.
type heatPicture struct {
	*svg
	*Heat
	left, top, w, h float64
	small           bool
}

// SVG draws the cells. With shades, cells have one colour in shades of their Shade, which is
// between 0 and 1; otherwise the colour of their kind. Each link has the attributes data-x and
// data-y, the indices of its cell.
func (m *Heat) SVG(title string, shades bool) string {
	p := &heatPicture{Heat: m, w: cellWidth, h: cellHeight,
		small: len(m.Xs) > roomy || len(m.Ys) > roomy}
	if p.small {
		p.w, p.h = smallCell, smallCell
	} else {
		for _, row := range m.Cells {
			for _, c := range row {
				p.w = max(p.w, width(c.Text)+12)
			}
		}
	}
	for _, y := range m.Ys {
		p.left = max(p.left, width(strconv.FormatInt(y, 10)))
	}
	p.left = max(p.left, width(short(m.Y, longestName))) + 2*margin
	p.top = headHeight
	wide := p.left + max(p.w*float64(len(m.Xs)), width(short(m.X, longestName))) + margin
	p.svg = begin("heat", wide, p.y(0)+p.h+headHeight+margin, title)
	p.axes()
	for j, row := range m.Cells {
		for i := range row {
			p.cell(i, j, shades)
		}
	}
	p.border()
	p.WriteString("</svg>")
	return p.String()
}

// x and y are the corner of a cell at the left and at the top.
func (p *heatPicture) x(i int) float64 { return p.left + p.w*float64(i) }
func (p *heatPicture) y(j int) float64 { return p.top + p.h*float64(len(p.Ys)-1-j) }

// axes writes the names and the values, as many as there is room for.
func (p *heatPicture) axes() {
	bottom := p.y(0) + p.h
	p.text("axis-name", p.left, bottom+headHeight, "start", short(p.X, longestName))
	every := 1
	for i, x := range p.Xs {
		label := strconv.FormatInt(x, 10)
		every = max(every, int((width(label)+4)/p.w)+1)
		if i%every == 0 {
			p.text("tick", p.x(i)+p.w/2, bottom+16, "middle", label)
		}
	}
	if p.Y == "" {
		return
	}
	p.text("axis-name", p.left-margin/2, p.top-12, "end", short(p.Y, longestName))
	every = int(14/p.h) + 1
	for j, y := range p.Ys {
		if j%every == 0 {
			p.text("tick", p.left-margin/2, p.y(j)+p.h/2+4, "end", strconv.FormatInt(y, 10))
		}
	}
}

func (p *heatPicture) cell(i, j int, shades bool) {
	c := p.Cells[j][i]
	if c.Kind == CellEmpty {
		return
	}
	if c.Link != "" {
		p.f(`<a href="%s" data-x="%d" data-y="%d">`, escape(c.Link), i, j)
	}
	class, opacity := string(c.Kind), .2
	if shades {
		class, opacity = "shade", .04+.4*c.Shade
	}
	if c.Marked {
		class += " marked"
	}
	p.f(`<g class="cell %s"><title>%s</title>`, class, escape(c.Title))
	p.f(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="currentColor" fill-opacity="%.2f" `+
		`stroke="currentColor" stroke-opacity=".3"/>`, p.x(i), p.y(j), p.w, p.h, opacity)
	if c.Marked {
		inset := min(3, p.h/5)
		p.f(`<rect class="mark" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="3" fill="none" `+
			`stroke="currentColor" stroke-width="2"/>`, p.x(i)+inset, p.y(j)+inset, p.w-2*inset,
			p.h-2*inset)
	}
	if !p.small {
		p.text("cell-text", p.x(i)+p.w/2, p.y(j)+p.h/2+4, "middle", c.Text)
	}
	p.f(`</g>`)
	if c.Link != "" {
		p.f(`</a>`)
	}
}

// border draws a line between a cell of which the claim holds and one of which it does not.
func (p *heatPicture) border() {
	differ := func(a, b Cell) bool {
		kinds := []CellKind{a.Kind, b.Kind}
		return slices.Contains(kinds, CellHolds) && slices.Contains(kinds, CellViolated)
	}
	const look = ` stroke="currentColor" stroke-width="3" stroke-linecap="square"`
	for j, row := range p.Cells {
		for i, c := range row {
			if i+1 < len(row) && differ(c, row[i+1]) {
				p.line("border", p.x(i+1), p.y(j), p.x(i+1), p.y(j)+p.h, look)
			}
			if j+1 < len(p.Cells) && differ(c, p.Cells[j+1][i]) {
				p.line("border", p.x(i), p.y(j), p.x(i)+p.w, p.y(j), look)
			}
		}
	}
}

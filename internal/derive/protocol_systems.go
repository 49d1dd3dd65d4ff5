package derive

import (
	"context"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/result"
)

// findProtocol gives the protocol of a file.
func findProtocol(file *syntax.File) *syntax.ProtocolDecl {
	for _, d := range file.Decls {
		if d, ok := d.(*syntax.ProtocolDecl); ok {
			return d
		}
	}
	return nil
}

// protocolSystems makes the system of a protocol.
func protocolSystems(
	ctx context.Context, file *syntax.File, decl *syntax.ProtocolDecl, errs *diag.List,
) ([]*Derived, error) {
	p := readProtocol(file, decl, errs)
	if err := errs.Err(); err != nil {
		return nil, err
	}
	d, err := p.system(ctx, file, Rounds, errs)
	if err != nil {
		return nil, err
	}
	return []*Derived{d}, nil
}

// system makes one of the systems of a protocol.
func (p *protocol) system(
	ctx context.Context, file *syntax.File, name string, errs *diag.List,
) (*Derived, error) {
	w := &rounds{template: &template{names: newNames(file)}, p: p, untimed: name == Untimed,
		errs: errs}
	w.write()
	if err := errs.Err(); err != nil {
		return nil, err
	}
	decls, err := w.decls(name, p.decl.Name.Span)
	if err != nil {
		return nil, err
	}
	decls = append(w.symbols(), decls...)
	d := &Derived{Name: name, Reductions: p.network(), legend: roundsLegend{w}}
	for _, x := range file.Decls {
		switch x := x.(type) {
		case *syntax.ProtocolDecl:
		case *syntax.AboutDecl:
			if x.Name.Text == name {
				decls = append(decls, x.Decls...)
			}
		default:
			decls = append(decls, x)
		}
	}
	d.Spec, err = ere.Build(ctx, &syntax.File{Source: file.Source, Decls: decls,
		Structured: file.Structured, Tight: file.Tight}, errs)
	if err != nil {
		return nil, err
	}
	for _, x := range d.Spec.System.Properties {
		d.Properties = append(d.Properties, x.Name)
	}
	for _, r := range p.roles {
		for _, v := range r.Vars {
			d.variables = append(d.variables, v.Name.Text)
		}
	}
	return d, nil
}

// network states the model of the messages in transit, where there is a choice.
func (p *protocol) network() []result.Reduction {
	if p.timed() {
		return nil
	}
	return []result.Reduction{{Name: "set", Theorem: "the model of the messages in transit",
		Detail: "messages in transit are a set, so of a message that is sent while one like it " +
			"is in transit one arrives"}}
}

// symbols declares the variables of the processes, and the messages in transit.
func (w *rounds) symbols() (out []syntax.Decl) {
	sort := func(n name, span diag.Span) *syntax.SortExpr {
		return &syntax.SortExpr{Name: string(n), Span: span}
	}
	for _, r := range w.p.roles {
		for _, v := range r.Vars {
			d := &syntax.SymbolDecl{Span: v.Span, Word: "function", Mutable: true, Name: v.Name,
				Args:   append([]*syntax.SortExpr{sort(r.sort, v.Span)}, v.Args...),
				Result: v.Sort}
			if v.Sort.Name == "bool" {
				d.Word, d.Result = "relation", nil
			}
			out = append(out, d)
		}
	}
	for _, m := range w.p.messages {
		d := &syntax.SymbolDecl{Span: m.Span, Word: "relation", Mutable: true,
			Name: syntax.Name{Text: string(w.transit(m)), Span: m.Name.Span},
			Args: []*syntax.SortExpr{sort(m.from.sort, m.Span), sort(m.to.sort, m.Span)}}
		for _, f := range m.Fields {
			d.Args = append(d.Args, f.Sort)
		}
		if w.aged() {
			d.Args = append(d.Args, sort(w.name("age"), m.Span))
		}
		out = append(out, d)
		if own := w.itself(m); own != "" {
			c := *d
			c.Name.Text, c.Args = string(own), slices.Delete(slices.Clone(d.Args), 1, 2)
			out = append(out, &c)
		}
	}
	return out
}

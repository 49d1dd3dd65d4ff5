package check

import (
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// shareTerms gives names to sub-terms that definitions have copied into formulas many times. The
// formulas of actions are shared already when their second rendering is made.
func (c *checker) shareTerms() {
	for _, fs := range [][]*system.Formula{c.sys.Axioms, c.sys.Inits} {
		for _, f := range fs {
			f.Term = c.share(f.Term)
		}
	}
	for _, p := range c.sys.Properties {
		p.Term = c.share(p.Term)
	}
	for _, a := range c.sys.Actions {
		if a.FairIf != nil {
			a.FairIf = c.share(a.FairIf)
		}
	}
	for _, s := range c.sys.Scenarios {
		for i := range s.Components {
			if p := &s.Components[i]; p.Assert != nil {
				p.Assert = c.share(p.Assert)
			}
		}
	}
	for _, r := range c.sys.Rankings {
		for _, s := range r.Choices {
			s.Such = c.share(s.Such)
		}
		for _, m := range r.Measures {
			if m.Number != nil {
				m.Number = c.share(m.Number)
			} else {
				m.Such = c.share(m.Such)
			}
		}
		for _, n := range r.Never {
			n.Such = c.share(n.Such)
		}
		for _, ts := range [][]*logic.Term{r.Bounds, r.Cases} {
			for i, t := range ts {
				ts[i] = c.share(t)
			}
		}
		if r.Pending != nil {
			r.Pending = c.share(r.Pending)
		}
	}
}

// shareCode is shareTerms for code.
func (c *checker) shareCode(code []system.Stmt) {
	for i, stmt := range code {
		switch s := stmt.(type) {
		case system.Require:
			s.Cond = c.share(s.Cond)
			code[i] = s
		case system.Assign:
			for k := range s.Updates {
				u := &s.Updates[k]
				u.Value = c.share(u.Value)
				c.shareAll(u.Args)
			}
		case system.Havoc:
			c.shareAll(s.Args)
		case system.Choose:
			s.Such = c.share(s.Such)
			code[i] = s
		case system.Let:
			s.Value = c.share(s.Value)
			code[i] = s
		case system.If:
			s.Cond = c.share(s.Cond)
			c.shareCode(s.Then)
			c.shareCode(s.Else)
			code[i] = s
		}
	}
}

func (c *checker) shareAll(ts []*logic.Term) {
	for i, t := range ts {
		ts[i] = c.share(t)
	}
}

// share refuses a formula that is too large even with sharing.
func (c *checker) share(t *logic.Term) *logic.Term {
	out := logic.Share(t)
	if logic.Size(out) <= logic.MaxNodes {
		return out
	}
	c.errs.Errorf(diag.Unsupported, t.Span,
		"with its definitions expanded, this formula has more than %d parts", logic.MaxNodes).
		Suggest("Declare a derived relation for what is used often under quantifiers.")
	return logic.True.At(t.Span)
}

package conformance

import (
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/conformance/runlog"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
)

// structures observes symbols with structured data: an observation becomes an equation in the
// language of the specification.
type structures struct {
	*Checker
	write literals
}

// symbol is a symbol of the file with structured data, nil if there is none of the name.
func (c structures) symbol(name string) *result.StructuredSymbol {
	v := c.spec.System.View
	if v == nil {
		return nil
	}
	i := slices.IndexFunc(v.Symbols, func(s *result.StructuredSymbol) bool {
		return s.Name == name
	})
	if i < 0 {
		return nil
	}
	return v.Symbols[i]
}

// structured observes a symbol with structured data.
func (c structures) structured(
	e *runlog.Event, s *result.StructuredSymbol, v any,
) ([]observation, error) {
	part := &s.Parts[0]
	if len(part.Args) == 0 {
		return c.valueAt(s, part, nil, v)
	}
	if _, isObject := v.(runlog.Object); part.Args[0].Form == result.Plain && e.Node != "" &&
		(!isObject || !c.hasKeys(part, v)) {
		node, err := c.write.single(c.write.argSort(part, 0), e.Node)
		if err != nil {
			return nil, fmt.Errorf("the node of the event as the first argument of %s: %w", s.Name,
				err)
		}
		return c.under(s, []string{node}, v)
	}
	return c.under(s, nil, v)
}

// hasKeys reports whether the names of an object are values of the first argument.
func (c structures) hasKeys(p *result.SymbolPart, v any) bool {
	for _, f := range v.(runlog.Object) {
		if _, err := c.write.single(c.write.argSort(p, 0), f.Name); err != nil {
			return false
		}
	}
	return true
}

// under observes the values of a symbol at the points with the given first arguments.
func (c structures) under(
	s *result.StructuredSymbol, args []string, v any,
) (out []observation, err error) {
	part := &s.Parts[0]
	if len(args) == len(part.Args) {
		return c.valueAt(s, part, args, v)
	}
	if list, ok := v.([]any); ok && s.Relation {
		return c.relation(s, args, list)
	}
	entries, err := entriesOf(v)
	if err != nil {
		return nil, fmt.Errorf("%s has %d arguments: %w", s.Name, len(part.Args), err)
	}
	for _, entry := range entries {
		var text string
		fits := false
		for i := 0; i < len(s.Parts) && !fits && err == nil; i++ {
			keys := s.Parts[i].Args
			sorts := c.write.sortsOf(firstLeaf(s.Parts[i].Value))
			before := widthOf(keys[:len(args)])
			text, fits, err = c.write.key(keys[len(args)], sorts[before:], entry[0])
		}
		switch {
		case err != nil:
			return nil, err
		case !fits:
			return nil, fmt.Errorf("%v is no argument of %s", entry[0], s.Name)
		}
		list, err := c.under(s, append(slices.Clip(args), text), entry[1])
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

// valueAt observes a value at a point.
func (c structures) valueAt(
	s *result.StructuredSymbol, part *result.SymbolPart, args []string, v any,
) ([]observation, error) {
	text, err := c.write.literal(part.Value, v)
	if err != nil {
		return nil, err
	}
	name, key := s.Name, strings.Join(args, ", ")
	if len(args) > 0 {
		name += "(" + key + ")"
	}
	if len(args) > 1 {
		key = "(" + key + ")"
	}
	p, err := c.expression(fmt.Sprintf("%s = %s", name, text))
	if err != nil {
		return nil, err
	}
	return []observation{{text: name, formula: p.term, of: s, key: key, seen: text}}, nil
}

// relation observes a whole relation: the listed tuples are in it, and no others.
func (c structures) relation(
	s *result.StructuredSymbol, args []string, list []any,
) ([]observation, error) {
	var vars []string
	for i := range len(s.Parts[0].Args) - len(args) {
		vars = append(vars, fmt.Sprintf("X%d", i+1))
	}
	var elements []string
	for _, item := range list {
		tuple, ok := item.([]any)
		if !ok || len(vars) == 1 && len(tuple) != 1 {
			tuple = []any{item}
		}
		if len(tuple) != len(vars) {
			return nil, fmt.Errorf("%v has %d arguments of %s instead of %d", item, len(tuple),
				s.Name, len(vars))
		}
		text, err := c.tuple(s, len(args), tuple)
		if err != nil {
			return nil, err
		}
		elements = append(elements, text)
	}
	variable := strings.Join(vars, ", ")
	if len(vars) > 1 {
		variable = "(" + variable + ")"
	}
	p, err := c.expression(fmt.Sprintf("%s(%s) <-> %s in {%s}", s.Name,
		strings.Join(append(slices.Clip(args), vars...), ", "), variable,
		strings.Join(elements, ", ")))
	if err != nil {
		return nil, err
	}
	return []observation{{text: s.Name + " is as listed", formula: p.term}}, nil
}

// tuple writes arguments of a relation behind the first ones.
func (c structures) tuple(s *result.StructuredSymbol, first int, tuple []any) (string, error) {
	for _, p := range s.Parts {
		sorts := c.write.sortsOf(firstLeaf(p.Value))[widthOf(p.Args[:first]):]
		text, fits, err := c.write.keys(p.Args[first:], sorts, tuple)
		if err != nil {
			return "", err
		}
		if fits && len(tuple) > 1 {
			return "(" + strings.Join(text, ", ") + ")", nil
		}
		if fits {
			return text[0], nil
		}
	}
	return "", fmt.Errorf("%v are no arguments of %s", tuple, s.Name)
}

// shownAt is the value of an observed symbol at its point in a state.
func (c structures) shownAt(o observation, state interp.State) string {
	for _, mutable := range []bool{true, false} {
		for _, b := range c.model.Shown(state, mutable) {
			switch {
			case b.Name != o.of.Name:
			case o.key == "":
				return b.Value.String()
			default:
				for _, row := range b.Value.Rows {
					if row.KeyString() == o.key {
						return row.Result.String()
					}
				}
			}
		}
	}
	return "?"
}

package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"erelong.dev/erelong/internal/conformance/runlog"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
)

// codes are the values of a type that the system keeps as elements of a sort: a set, sequence or
// map that is an element of a set, a key or an argument.
type codes struct {
	texts []string         // by the element, in the language of the specification
	named map[string]int64 // the element, by the canonical text of the value
}

// coder finds the codes of values in an instance.
type coder struct {
	c     *Checker
	known map[*logic.Sort]*codes // that were needed
}

// has reports whether the elements of a sort stand for values.
func (k *coder) has(s *logic.Sort) bool { return slices.Contains(k.c.spec.System.Coded, s) }

// of lists the values of a sort. All states agree on them.
func (k *coder) of(s *logic.Sort) (*codes, error) {
	if known := k.known[s]; known != nil {
		return known, nil
	}
	c := k.c
	var first interp.State
	found := errors.New("found")
	err := c.model.Initial(context.Background(), func(state interp.State) error {
		first = state.Clone()
		return found
	})
	if err != nil && !errors.Is(err, found) {
		return nil, fmt.Errorf("listing the values of a type: %w", err)
	}
	if first == nil {
		return nil, errors.New("the values of a type are not known: no state is an initial one")
	}
	var args []interp.Arg
	for i := range c.model.Instance.Sizes[s] {
		v := &logic.Var{Name: strconv.Itoa(i), Sort: s}
		args = append(args, interp.Arg{Var: v, Value: int64(i)})
	}
	out := &codes{named: map[string]int64{}}
	for i, b := range interp.ShownArgs(c.model, first, args) {
		text, err := k.canonical(s, runlog.Plain(b.Value))
		if err != nil {
			return nil, fmt.Errorf("writing the value %s: %w", b.Value, err)
		}
		out.texts = append(out.texts, b.Value.String())
		out.named[text] = int64(i)
	}
	k.known[s] = out
	return out, nil
}

// canonical is a text of a value that equal values have in common.
func (k *coder) canonical(s *logic.Sort, v any) (string, error) {
	for _, code := range k.c.spec.System.View.Codes {
		if code.Sort == s.Name {
			return k.c.literals().literal(code.Shape, v)
		}
	}
	return "", fmt.Errorf("the elements of %s have no values", s)
}

// code is the element that stands for a value of a record.
func (k *coder) code(s *logic.Sort, v any) (int64, error) {
	known, err := k.of(s)
	if err != nil {
		return 0, err
	}
	text, err := k.canonical(s, v)
	if err != nil {
		return 0, err
	}
	if i, ok := known.named[text]; ok {
		return i, nil
	}
	return 0, fmt.Errorf("%s is not a value of this type in the instance", text)
}

// shown names a value of a sort, in the language of the specification.
func (k *coder) shown(s *logic.Sort, v int64) string {
	if k.has(s) {
		if known, err := k.of(s); err == nil {
			return known.texts[v]
		}
	}
	return k.c.show(s, v)
}

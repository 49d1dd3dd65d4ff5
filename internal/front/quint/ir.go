package quint

import (
	"encoding/json"
	"fmt"
)

// output is what `quint compile --target json` writes, as far as it is read.
type output struct {
	Stage   string                `json:"stage"`
	Main    string                `json:"main"`
	Modules []*module             `json:"modules"`
	Types   map[string]typeScheme `json:"types"`
	Errors  []struct {
		Explanation string `json:"explanation"`
	} `json:"errors"`
}

type typeScheme struct {
	Type *typ `json:"type"`
}

type module struct {
	Name         string         `json:"name"`
	Declarations []*declaration `json:"declarations"`
}

// number is an identifier or a literal, which may be larger than any machine word.
type number string

// UnmarshalJSON reads a number, or the object in which large numbers are written.
func (n *number) UnmarshalJSON(text []byte) error {
	var big struct {
		Text string `json:"#bigint"`
	}
	if json.Unmarshal(text, &big) == nil && big.Text != "" {
		*n = number(big.Text)
		return nil
	}
	*n = number(text)
	return nil
}

// declaration is a part of a module.
type declaration struct {
	ID         number      `json:"id"`
	Kind       string      `json:"kind"`
	Name       string      `json:"name"`
	Qualifier  string      `json:"qualifier"`
	Expr       *expression `json:"expr"`
	Assumption *expression `json:"assumption"`
	Type       *typ        `json:"typeAnnotation"`
	Module     string      `json:"protoName"`     // of an import, an instance or an export
	Only       string      `json:"defName"`       // the name that is imported, "*" for all
	As         string      `json:"qualifiedName"` // before the names that are imported
}

// expression is an expression of any kind.
type expression struct {
	ID        number          `json:"id"`
	Kind      string          `json:"kind"`
	Name      string          `json:"name"`      // of a name
	Value     json.RawMessage `json:"value"`     // of a literal
	Opcode    string          `json:"opcode"`    // of an application
	Args      []*expression   `json:"args"`      // of an application
	Params    []parameter     `json:"params"`    // of a lambda
	Qualifier string          `json:"qualifier"` // of a lambda
	Def       *declaration    `json:"opdef"`     // of a let
	Expr      *expression     `json:"expr"`      // the body of a lambda or a let
}

type parameter struct {
	ID   number `json:"id"`
	Name string `json:"name"`
}

// decode reads the output of the compiler.
func decode(text string) (*output, error) {
	out := &output{}
	if err := json.Unmarshal([]byte(text), out); err != nil {
		return nil, fmt.Errorf("this is no output of quint compile --target json: %w", err)
	}
	return out, nil
}

// main is the module that the file is about: the one named, which is the last where there are
// several.
func (o *output) main() *module {
	for _, m := range o.Modules {
		if m.Name == o.Main {
			return m
		}
	}
	return nil
}

// each gives an expression and all of its parts.
func (x *expression) each(f func(*expression)) {
	if x == nil {
		return
	}
	f(x)
	for _, a := range x.Args {
		a.each(f)
	}
	if x.Def != nil {
		x.Def.Expr.each(f)
	}
	x.Expr.each(f)
}

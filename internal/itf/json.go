package itf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"erelong.dev/erelong/internal/diag"
)

// Error names an error in a trace, with its position. Line and Column count from 1.
type Error struct {
	Line, Column int
	Message      string
}

func (e *Error) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message) }

func newError(data []byte, offset int, message string) *Error {
	line, column := diag.NewSource("", string(data)).Position(offset)
	return &Error{line, column, message}
}

type nodeKind int

const (
	nullNode nodeKind = iota
	boolNode
	numberNode
	stringNode
	arrayNode
	objectNode
)

func (k nodeKind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "an array", "an object"}[k]
}

// node is a JSON value with its position in the text; an object keeps the order of its fields.
type node struct {
	kind   nodeKind
	offset int
	truth  bool
	text   string   // of a string, or the digits of a number
	keys   []string // of an object, distinct
	items  []node   // of an array; of an object, the value of each key
	index  map[string]int
}

// field finds the value of a key, nil if there is none.
func (n *node) field(key string) *node {
	if i, ok := n.index[key]; ok {
		return &n.items[i]
	}
	return nil
}

// parseJSON reads the single JSON value in data.
func parseJSON(data []byte) (*node, error) {
	if !utf8.Valid(data) {
		at := 0
		for at < len(data) {
			r, size := utf8.DecodeRune(data[at:])
			if r == utf8.RuneError && size == 1 {
				break
			}
			at += size
		}
		return nil, newError(data, at, "the file is not valid UTF-8")
	}
	// This pass finds every syntax error, and it bounds the nesting, so the following code may
	// recurse.
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			// The offset counts the bytes read, the wrong one included, unless the text ended too
			// early.
			at := int(syntax.Offset) - 1
			if syntax.Error() == "unexpected end of JSON input" {
				at = len(data)
			}
			return nil, newError(data, at, syntax.Error())
		}
		return nil, newError(data, 0, err.Error())
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	p := &jsonParser{data: data, decoder: decoder}
	return p.node()
}

type jsonParser struct {
	data    []byte
	decoder *json.Decoder
}

func (p *jsonParser) node() (*node, error) {
	n := &node{offset: p.start()}
	token, err := p.decoder.Token()
	if err != nil {
		return nil, newError(p.data, n.offset, err.Error())
	}
	switch token := token.(type) {
	case nil:
		n.kind = nullNode
	case bool:
		n.kind, n.truth = boolNode, token
	case json.Number:
		n.kind, n.text = numberNode, token.String()
	case string:
		n.kind, n.text = stringNode, token
	case json.Delim:
		n.kind = arrayNode
		if token == '{' {
			n.kind, n.index = objectNode, map[string]int{}
		}
		if err := p.items(n); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// items reads the contents of brackets, and the closing bracket.
func (p *jsonParser) items(n *node) error {
	for p.decoder.More() {
		if n.kind == objectNode {
			at := p.start()
			key, err := p.node()
			if err != nil {
				return err
			}
			if _, twice := n.index[key.text]; twice {
				return newError(p.data, at, fmt.Sprintf("the field %q occurs twice", key.text))
			}
			n.index[key.text] = len(n.keys)
			n.keys = append(n.keys, key.text)
		}
		item, err := p.node()
		if err != nil {
			return err
		}
		n.items = append(n.items, *item)
	}
	if _, err := p.decoder.Token(); err != nil {
		return newError(p.data, p.start(), err.Error())
	}
	return nil
}

// start gives the offset of the next token.
func (p *jsonParser) start() int {
	at := int(p.decoder.InputOffset())
	for at < len(p.data) && bytes.IndexByte([]byte(" \t\r\n,:"), p.data[at]) >= 0 {
		at++
	}
	return at
}

// optional reads a string field, empty if there is none.
func (d *itfReader) optional(n *node, field string) (string, error) {
	f := n.field(field)
	if f == nil {
		return "", nil
	}
	if f.kind != stringNode {
		return "", d.errorf(f, "%s is %s, not a string", field, f.kind)
	}
	return f.text, nil
}

func (d *itfReader) required(n *node, field string) (string, error) {
	if n.field(field) == nil {
		return "", d.errorf(n, "%s needs the field %q", n.kind, field)
	}
	return d.optional(n, field)
}

func (d *itfReader) strings(n *node, field string, must bool) ([]*node, error) {
	list := n.field(field)
	switch {
	case list == nil && must:
		return nil, d.errorf(n, "%s needs the field %q", n.kind, field)
	case list == nil:
		return nil, nil
	case list.kind != arrayNode:
		return nil, d.errorf(list, "%s is %s, not an array", field, list.kind)
	}
	all := make([]*node, len(list.items))
	for i := range list.items {
		all[i] = &list.items[i]
		if all[i].kind != stringNode {
			return nil, d.errorf(all[i], "%s holds %s, not only strings", field, all[i].kind)
		}
	}
	return all, nil
}

// number reads a small integer, as a JSON number or as a #bigint.
func (d *itfReader) number(n *node, field string) (int, error) {
	text := n.text
	if big := n.field("#bigint"); big != nil && big.kind == stringNode {
		text = big.text
	} else if n.kind != numberNode {
		return 0, d.errorf(n, "%s is %s, not a number", field, n.kind)
	}
	i, err := strconv.Atoi(text)
	if err != nil {
		return 0, d.errorf(n, "%s is %s, not a small integer", field, text)
	}
	return i, nil
}

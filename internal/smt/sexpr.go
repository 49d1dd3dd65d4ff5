package smt

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"
)

// Sexpr is an atom or a list. Bars around a symbol are dropped, so |f| and f are the same atom.
type Sexpr struct {
	Atom   string
	Quoted bool // the atom is a string literal
	List   []Sexpr
	IsList bool
}

// String prints the expression on one line. Equal expressions have equal texts.
func (e Sexpr) String() string {
	switch {
	case e.IsList:
		parts := make([]string, len(e.List))
		for i, x := range e.List {
			parts[i] = x.String()
		}
		return "(" + strings.Join(parts, " ") + ")"
	case e.Quoted:
		return `"` + strings.ReplaceAll(e.Atom, `"`, `""`) + `"`
	case isPlain(e.Atom):
		return e.Atom
	}
	return "|" + e.Atom + "|"
}

// Head is the first atom of a list, empty when there is none.
func (e Sexpr) Head() string {
	if !e.IsList || len(e.List) == 0 || e.List[0].IsList {
		return ""
	}
	return e.List[0].Atom
}

// Int reads an integer literal: 5, (- 5), or -5, which some solvers print.
func (e Sexpr) Int() (*big.Int, bool) {
	if e.IsList {
		if len(e.List) != 2 || e.Head() != "-" {
			return nil, false
		}
		n, ok := e.List[1].Int()
		if !ok {
			return nil, false
		}
		return n.Neg(n), true
	}
	digits := strings.TrimPrefix(e.Atom, "-")
	if e.Quoted || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return nil, false
	}
	return new(big.Int).SetString(e.Atom, 10)
}

// Limits of a Reader: a solver that prints more has failed.
const (
	maxDepth = 10_000
	maxBytes = 64 << 20
)

// Reader reads expressions one at a time from a solver's output, which may be arbitrary.
type Reader struct {
	in   *bufio.Reader
	size int // bytes of the expression that is being read
}

// NewReader reads from in.
func NewReader(in io.Reader) *Reader { return &Reader{in: bufio.NewReader(in)} }

// Read gives the next expression. It returns io.EOF at the end, and io.ErrUnexpectedEOF inside an
// expression.
func (r *Reader) Read() (Sexpr, error) {
	r.size = 0
	if err := r.space(); err != nil {
		return Sexpr{}, err
	}
	e, err := r.read(0)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return e, err
}

func (r *Reader) read(depth int) (Sexpr, error) {
	if depth > maxDepth {
		return Sexpr{}, fmt.Errorf("more than %d nested brackets", maxDepth)
	}
	c, err := r.next()
	if err != nil {
		return Sexpr{}, err
	}
	switch c {
	case '(':
		list := Sexpr{IsList: true}
		for {
			if err := r.space(); err != nil {
				return Sexpr{}, err
			}
			c, err := r.next()
			if err != nil {
				return Sexpr{}, err
			}
			if c == ')' {
				return list, nil
			}
			r.back()
			e, err := r.read(depth + 1)
			if err != nil {
				return Sexpr{}, err
			}
			list.List = append(list.List, e)
		}
	case ')':
		return Sexpr{}, errors.New("a closing bracket without its opening one")
	case '"':
		return r.literal()
	case '|':
		text, err := r.until('|')
		return Sexpr{Atom: text}, err
	}
	r.back()
	return r.symbol()
}

// symbol reads an atom without quotes. The end of the output also ends it.
func (r *Reader) symbol() (Sexpr, error) {
	var b strings.Builder
	for {
		c, err := r.next()
		if errors.Is(err, io.EOF) && b.Len() > 0 {
			return Sexpr{Atom: b.String()}, nil
		}
		if err != nil {
			return Sexpr{}, err
		}
		if isSpace(c) || strings.IndexByte(`();"|`, c) >= 0 {
			r.back()
			return Sexpr{Atom: b.String()}, nil
		}
		b.WriteByte(c)
	}
}

// literal reads a string after its first quote; two quotes in a row stand for one.
func (r *Reader) literal() (Sexpr, error) {
	var b strings.Builder
	for {
		text, err := r.until('"')
		if err != nil {
			return Sexpr{}, err
		}
		b.WriteString(text)
		c, err := r.next()
		if errors.Is(err, io.EOF) {
			return Sexpr{Atom: b.String(), Quoted: true}, nil
		}
		if err != nil {
			return Sexpr{}, err
		}
		if c != '"' {
			r.back()
			return Sexpr{Atom: b.String(), Quoted: true}, nil
		}
		b.WriteByte('"')
	}
}

func (r *Reader) until(end byte) (string, error) {
	var b strings.Builder
	for {
		c, err := r.next()
		if err != nil {
			return "", err
		}
		if c == end {
			return b.String(), nil
		}
		b.WriteByte(c)
	}
}

// space skips blanks and comments.
func (r *Reader) space() error {
	for {
		c, err := r.next()
		if err != nil {
			return err
		}
		switch {
		case isSpace(c):
		case c == ';':
			if _, err := r.until('\n'); err != nil {
				return err
			}
		default:
			r.back()
			return nil
		}
	}
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == 0
}

func (r *Reader) next() (byte, error) {
	if r.size++; r.size > maxBytes {
		return 0, fmt.Errorf("an answer of more than %d bytes", maxBytes)
	}
	return r.in.ReadByte()
}

// back undoes the last next, which succeeded.
func (r *Reader) back() {
	r.size--
	_ = r.in.UnreadByte() // cannot fail directly after ReadByte
}

package tla

import (
	"fmt"
	"os"
	"testing"
	"time"

	"erelong.dev/erelong/internal/front/tla/eval"
)

func TestOne(t *testing.T) {
	p, err := load(t, os.Getenv("MOD"), os.Getenv("CFG"))
	if err != nil {
		fmt.Println(err)
		return
	}
	c := count(p, 60*time.Second)
	if e, ok := c.err.(*eval.Error); ok {
		fmt.Println(e.Span.String())
	}
	fmt.Println(c, c.err)
}

func TestEval(t *testing.T) {
	p, err := load(t, os.Getenv("MOD"), os.Getenv("CFG"))
	if err != nil {
		fmt.Println(err)
		return
	}
	m := p.Machine()
	fmt.Println(m.Value(p.View, nil))
}

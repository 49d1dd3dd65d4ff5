package smt

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var someProof = &Proof{Solver: "z3 4.8.12", Method: "macro", Seed: 3, Rlimit: 12345,
	Needs: []string{"a", "b"}, Date: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}

func TestCache(t *testing.T) {
	c := NewCache(filepath.Join(t.TempDir(), "not", "there", "yet"))
	key, other := Key(base), Key(hard)
	if p, err := c.Proof(key); p != nil || err != nil {
		t.Errorf("an empty cache gives %v, %v", p, err)
	}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if err := c.SaveProof(key, someProof); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if p, err := c.Proof(key); err != nil || !reflect.DeepEqual(p, someProof) {
		t.Errorf("%+v, %v", p, err)
	}
	if p, err := c.Proof(other); p != nil || err != nil {
		t.Errorf("another query has %v, %v", p, err)
	}
	if h, err := c.Hint(key); h != nil || err != nil {
		t.Errorf("a proof is a hint: %v, %v", h, err)
	}
}

// A text that differs from the written one is an error, never a proof.
func TestCacheTampered(t *testing.T) {
	c := NewCache(t.TempDir())
	key, other := Key(base), Key(hard)
	if err := c.SaveProof(key, someProof); err != nil {
		t.Fatal(err)
	}
	path := c.path("proof", key)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	masks := []byte{1, 2, 0x20, 0x80}
	if os.Getenv("ERELONG_TEST") == "long" {
		masks = nil
		for m := range 255 {
			masks = append(masks, byte(m+1))
		}
	}
	for i := range good {
		bads := [][]byte{good[:i], slices.Delete(bytes.Clone(good), i, i+1),
			slices.Insert(bytes.Clone(good), i, good[i]), append(bytes.Clone(good), good[i:]...)}
		for _, m := range masks {
			bad := bytes.Clone(good)
			bad[i] ^= m
			bads = append(bads, bad)
		}
		for _, bad := range bads {
			if p, err := decode[Proof]("proof", key, bad); p != nil || err == nil {
				t.Fatalf("%s\ngives %v, %v", bad, p, err)
			}
		}
	}
	if err := os.WriteFile(path, good[:len(good)-1], 0o644); err != nil {
		t.Fatal(err)
	}
	if p, err := c.Proof(key); p != nil || err == nil {
		t.Errorf("a shortened file gives %v, %v", p, err)
	}
	for name, to := range map[string]string{
		"the proof of another query": c.path("proof", other),
		"a proof as a hint":          c.path("hint", key),
	} {
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, good, 0o644); err != nil {
			t.Fatal(err)
		}
		p, perr := c.Proof(other)
		h, herr := c.Hint(key)
		if p != nil || h != nil || perr == nil && herr == nil {
			t.Errorf("%s: %v, %v, %v, %v", name, p, perr, h, herr)
		}
	}
}

func TestCacheUnwritable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	c := NewCache(file) // no folder can be made there
	if err := c.SaveProof(Key(base), someProof); err == nil {
		t.Error("a proof was saved below a file")
	}
	if p, err := c.Proof(Key(base)); p != nil || err == nil {
		t.Errorf("%v, %v", p, err)
	}
}

func TestKey(t *testing.T) {
	a, b := "(declare-fun a () Bool)", "(assert a)"
	if Key([]string{a, b}) != Key([]string{b, a}) {
		t.Error("the order of the commands matters")
	}
	for _, other := range [][]string{{a}, {a, b, b}, {a, "(assert (not a))"}, {a + "\n" + b},
		{strings.Join([]string{a, b}, "")}} {
		if Key(other) == Key([]string{a, b}) {
			t.Errorf("%q has the key of another query", other)
		}
	}
}

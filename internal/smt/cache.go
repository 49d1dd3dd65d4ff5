package smt

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Cache keeps proofs of solvers in a folder, a small file for each query, so that a later run need
// not ask again. It is safe for concurrent use, also by several programs: a file is written under
// another name and then renamed.
type Cache struct {
	dir     string
	Earlier bool // whether it may have proofs of earlier runs
}

// NewCache keeps proofs in a folder, which need not exist yet.
func NewCache(dir string) *Cache { return &Cache{dir, true} }

// Proof says that solvers answered unsat.
type Proof struct {
	Solver  string    `json:"solver"` // the solver that answered last, with its version
	Method  string    `json:"way"`
	Seed    int       `json:"seed"`
	Rlimit  int64     `json:"rlimit"`
	Needs   []string  `json:"needs"`   // names of hypotheses; null if the solver did not name them
	Provers []string  `json:"provers"` // all solvers that the proof rests on, with their versions
	Date    time.Time `json:"date"`
}

// Hint lists the hypotheses of the last proof of a goal. It is not a proof: the hypotheses with
// these names may have changed.
type Hint struct {
	Needs []string `json:"needs"`
}

// Key names a set of commands by its contents. The order of the commands does not matter: in any
// readable order, they mean the same. The key contains nothing of a solver or its settings: a proof
// itself names the solvers that it rests on.
func Key(commands []string) string {
	lines := slices.Clone(commands)
	slices.Sort(lines)
	h := sha256.New()
	for _, l := range lines {
		fmt.Fprintf(h, "%d %s\n", len(l), l)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Proof looks for a proof. It gives nil when there is none, and an error when the entry cannot be
// trusted.
func (c *Cache) Proof(key string) (*Proof, error) { return Load[Proof](c, "proof", key) }

// SaveProof keeps a proof.
func (c *Cache) SaveProof(key string, p *Proof) error { return Store(c, "proof", key, p) }

// DropProof forgets a proof.
func (c *Cache) DropProof(key string) error {
	if err := os.Remove(c.path("proof", key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("dropping a cached proof: %w", err)
	}
	return nil
}

// Hint looks for a hint, like Proof.
func (c *Cache) Hint(key string) (*Hint, error) { return Load[Hint](c, "hint", key) }

// SaveHint replaces the last hint.
func (c *Cache) SaveHint(key string, h *Hint) error { return Store(c, "hint", key, h) }

// entry is the content of a file. The sum covers everything, so that a damaged file, or a file
// under the name of another, is not believed. A file that differs in a single byte from its written
// form is not believed either.
type entry struct {
	Format string          `json:"format"`
	Kind   string          `json:"kind"`
	Key    string          `json:"key"`
	Value  json.RawMessage `json:"value"`
	Sum    string          `json:"sum"`
}

const cacheFormat = "erelong/proofs/1"

func (e entry) sum() string {
	return Key([]string{e.Format + " " + e.Kind + " " + e.Key + " " + string(e.Value)})
}

func (e entry) text() ([]byte, error) {
	text, err := json.Marshal(e)
	return append(text, '\n'), err
}

func (c *Cache) path(kind, key string) string {
	return filepath.Join(c.dir, key[:2], key+"."+kind+".json")
}

// Load looks for what Store has kept of this kind. It gives nil when there is none, and an error
// when the entry cannot be trusted.
func Load[T any](c *Cache, kind, key string) (*T, error) {
	path := c.path(kind, key)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading a cached proof: %w", err)
	}
	v, err := decode[T](kind, key, text)
	if err != nil {
		return nil, fmt.Errorf("the cached proof %s is damaged: %w", path, err)
	}
	return v, nil
}

// decode reads the text of a file, which must be exactly as written.
func decode[T any](kind, key string, text []byte) (*T, error) {
	var e entry
	if err := json.Unmarshal(text, &e); err != nil {
		return nil, err
	}
	if again, err := e.text(); err != nil || !bytes.Equal(again, text) ||
		e.Format != cacheFormat || e.Kind != kind || e.Key != key || e.Sum != e.sum() {
		return nil, errors.New("it is not what was written")
	}
	v := new(T)
	if err := json.Unmarshal(e.Value, v); err != nil {
		return nil, err
	}
	return v, nil
}

// Store keeps a value, by the name of its kind.
func Store[T any](c *Cache, kind, key string, v *T) error {
	value, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("keeping a proof: %w", err)
	}
	e := entry{Format: cacheFormat, Kind: kind, Key: key, Value: value}
	e.Sum = e.sum()
	text, err := e.text()
	if err != nil {
		return fmt.Errorf("keeping a proof: %w", err)
	}
	path := c.path(kind, key)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("keeping a proof: %w", err)
	}
	if err := replace(path, text); err != nil {
		return fmt.Errorf("keeping a proof: %w", err)
	}
	return nil
}

// replace writes a file as a whole. Others may write the same file at the same time: each writes
// its own, and renaming is atomic.
func replace(path string, text []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".erelong-*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(text)
	err = errors.Join(err, tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
	}
	return err
}

package smt

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Text is the query as a file that a bare solver runs. The push makes z3 choose the same procedure as in a session.
func (q Query) Text() string {
	var b strings.Builder
	b.WriteString("(set-logic ALL)\n")
	for _, part := range [][]string{q.Base, {"(push 1)"}, q.Body} {
		for _, line := range part {
			b.WriteString(line)
			b.WriteByte('\n')
		}
	}
	b.WriteString("(check-sat)\n")
	return b.String()
}

// Hash names the query by its content.
func (q Query) Hash() string {
	sum := sha256.Sum256([]byte(q.Text()))
	return hex.EncodeToString(sum[:16])
}

// save writes the query into the log directory, once for each content.
func (s *Session) save(q Query) error {
	if s.config.LogDir == "" {
		return nil
	}
	path := filepath.Join(s.config.LogDir, q.Hash()+".smt2")
	if _, err := os.Stat(path); err == nil {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("saving a query: %w", err)
	}
	if err := os.MkdirAll(s.config.LogDir, 0o755); err != nil {
		return fmt.Errorf("saving a query: %w", err)
	}
	head := fmt.Sprintf("; %s\n; z3 rlimit=%d FILE, or cvc5 --incremental --full-saturate-quant FILE\n", strings.ReplaceAll(q.Name, "\n", " "), q.Rlimit)
	// Others may write the same query at the same time: each writes its own file, and renaming is atomic.
	tmp, err := os.CreateTemp(s.config.LogDir, ".query-*")
	if err != nil {
		return fmt.Errorf("saving a query: %w", err)
	}
	_, err = tmp.WriteString(head + q.Text())
	err = errors.Join(err, tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
		return fmt.Errorf("saving a query: %w", err)
	}
	return nil
}

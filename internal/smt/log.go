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

// Text is the query as a file that a bare solver runs. The push makes z3 choose the same procedure
// as in a session.
func (q Query) Text() string { return q.text(frame) }

func (q Query) text(open ...string) string {
	var b strings.Builder
	b.WriteString("(set-logic ALL)\n")
	for _, part := range [][]string{q.Base, open, q.Body} {
		for _, line := range part {
			b.WriteString(line)
			b.WriteByte('\n')
		}
	}
	b.WriteString("(check-sat)\n")
	return b.String()
}

// Hash names the query by its content.
func (q Query) Hash() string { return hash(q.Text()) }

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// save writes the query into the log directory, once for each content.
func (s *Session) save(q Query) error {
	if s.config.LogDir == "" {
		return nil
	}
	text := q.Text()
	if s.config.Strategy == AtOnce {
		text = q.text()
	}
	path := filepath.Join(s.config.LogDir, hash(text)+".smt2")
	if _, err := os.Stat(path); err == nil {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("saving a query: %w", err)
	}
	if err := os.MkdirAll(s.config.LogDir, 0o755); err != nil {
		return fmt.Errorf("saving a query: %w", err)
	}
	head := fmt.Sprintf("; %s\n; z3 rlimit=%d FILE, or cvc5 --incremental --full-saturate-quant "+
		"FILE\n", strings.ReplaceAll(q.Name, "\n", " "), q.Rlimit)
	if err := replace(path, []byte(head+text)); err != nil {
		return fmt.Errorf("saving a query: %w", err)
	}
	return nil
}

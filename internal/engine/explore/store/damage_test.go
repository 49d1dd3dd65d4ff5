package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/testkit"
)

// onDisk is a store with count states in several runs on disk, with the folder.
func onDisk(t *testing.T, words, count int) (*Store, string) {
	t.Helper()
	s, dir := New(words), t.TempDir()
	t.Cleanup(func() { _ = s.Close() })
	c := &Candidates{}
	for n := range count {
		if n%(count/3) == 0 {
			c.Reset(s)
		}
		key := make([]uint64, words)
		key[0], key[words-1] = uint64(n), uint64(n)
		c.Add(key, Hash(key), uint32(max(n-1, 0)))
		if n%(count/3) == count/3-1 {
			if _, _, err := s.Add([]*Candidates{c}, 0); err != nil {
				t.Fatal(err)
			}
			if err := s.Spill(dir, 0, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s, dir
}

// sound reads everything on disk. It gives the first error; without an error the data must be
// right.
func sound(t *testing.T, s *Store, words int) error {
	t.Helper()
	n := s.Len()
	var buf []uint64
	for from := 0; from < n; from += 50 {
		keys, err := s.Keys(from, min(from+50, n), &buf)
		if err != nil {
			return err
		}
		for i := 0; i < len(keys); i += words {
			if keys[i] != uint64(from+i/words) || keys[i+words-1] != keys[i] {
				t.Fatalf("state %d is %v", from+i/words, keys[i:i+words])
			}
		}
	}
	for i := 0; i < n; i += 7 {
		p, err := s.Parent(i)
		if err != nil {
			return err
		}
		if p != max(i-1, 0) {
			t.Fatalf("the parent of state %d is %d", i, p)
		}
	}
	c := &Candidates{}
	c.Reset(s)
	for i := range n {
		key := make([]uint64, words)
		key[0], key[words-1] = uint64(i), uint64(i)
		c.Add(key, Hash(key), 0)
	}
	_, _, err := s.Add([]*Candidates{c}, 0)
	if err == nil && s.Len() != n {
		t.Fatalf("%d states are found anew", s.Len()-n)
	}
	return err
}

// reread makes a store read its files again.
func (s *Store) reread() {
	for _, r := range s.disk.runs {
		r.block = -1
	}
	for i := range s.shards {
		s.shards[i] = shard{buckets: newBuckets()}
	}
}

// Any change to a byte of the files of a search is an error, and never gives another state.
func TestDamagedFilesAreNoticed(t *testing.T) {
	testkit.InCI(t)
	for _, words := range []int{1, 3} {
		s, dir := onDisk(t, words, 150)
		names, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || len(names) != 5 { // states, parents, and three runs
			t.Fatal(names, err)
		}
		if err := sound(t, s, words); err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			good, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			try := func(what string, at int, text []byte) {
				t.Helper()
				if err := os.WriteFile(name, text, 0o600); err != nil {
					t.Fatal(err)
				}
				s.reread()
				err := sound(t, s, words)
				if err == nil || !strings.Contains(err.Error(), "reading saved states: ") ||
					!strings.Contains(err.Error(), name) {
					t.Fatalf("%s: %s at %d: %v", filepath.Base(name), what, at, err)
				}
			}
			for at := 0; at < len(good); at += words {
				bad := slices.Clone(good)
				bad[at] ^= 1 << (at % 8)
				try("a bit turned", at, bad)
				if at%32 == 0 {
					try("cut", at, good[:at])
				}
			}
			if err := os.WriteFile(name, good, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s.reread()
		if err := sound(t, s, words); err != nil {
			t.Fatal(err)
		}
	}
}

// Removing a file, or a folder, changes nothing: the file is open.
func TestRemovedFiles(t *testing.T) {
	s, dir := onDisk(t, 1, 300)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := sound(t, s, 1); err != nil {
		t.Fatal(err)
	}
	if err := s.Spill(dir, 0, 0); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

package smt

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// The version of a solver is kept beside the proofs, so that a run whose proofs are kept starts no
// solver. The entry is about one program file, of one size and age. A script, which may start
// another program at any time, is asked in each run.

const versionKind = "version"

// KeepVersions has the solvers of a context with WithProcesses keep their versions in a cache. A
// cache without proofs of earlier runs, and nil, keep none.
func KeepVersions(ctx context.Context, c *Cache) {
	p, _ := ctx.Value(probesKey{}).(*probes)
	if p == nil || c == nil || !c.Earlier {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.versions = c
}

// kept is the cache of the versions, nil for none.
func (p *probes) kept() *Cache {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.versions
}

// version is the version of a solver: the kept one, or else the one that the solver says.
func (p product) version(ctx context.Context, c *Cache, path string) (string, error) {
	key := ""
	if c != nil {
		key = programKey(path)
	}
	if key != "" {
		if v, err := Load[string](c, versionKind, key); err == nil && v != nil {
			return *v, nil
		}
	}
	v, err := p.asked(ctx, path)
	if err == nil && key != "" {
		_ = Store(c, versionKind, key, &v) // without it the next run asks again
	}
	return v, err
}

// programKey names a program file by its place, size and age; it is empty for a script, and where
// they are not known.
func programKey(path string) string {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	head := make([]byte, 2)
	if _, err := io.ReadFull(f, head); err != nil || string(head) == "#!" {
		return ""
	}
	return Key([]string{fmt.Sprintf("%q %d %d", path, info.Size(), info.ModTime().UnixNano())})
}

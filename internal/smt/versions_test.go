package smt

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// The version of a solver is kept for the program file, as it is; a script is always asked.
func TestVersionsKept(t *testing.T) {
	path, err := exec.LookPath("z3")
	if err != nil {
		t.Skip(err)
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(program[:2]) == "#!" {
		t.Skip("z3 is a script here")
	}
	cache := NewCache(t.TempDir())
	dir := t.TempDir()
	found := func(c *Cache) string {
		t.Helper()
		ctx, end := WithProcesses(context.Background())
		defer end()
		KeepVersions(ctx, c)
		ds, err := Find(ctx, []string{"z3"})
		if err != nil {
			t.Fatal(err)
		}
		return ds[0].Version()
	}
	file := filepath.Join(dir, "z3")
	if err := os.WriteFile(file, program, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	real := found(nil)
	if v := found(cache); v != real {
		t.Errorf("%s, and %s when it is kept", real, v)
	}
	v, err := Load[string](cache, versionKind, programKey(file))
	if err != nil || v == nil || *v != real {
		t.Fatalf("%v is kept (%v), and the version is %s", v, err, real)
	}
	other := "99.1"
	if err := Store(cache, versionKind, programKey(file), &other); err != nil {
		t.Fatal(err)
	}
	if v := found(cache); v != other {
		t.Errorf("the solver was asked: %s", v)
	}
	for name, c := range map[string]*Cache{"without a cache": nil,
		"in a cache of one run": {dir: cache.dir}} {
		if v := found(c); v != real {
			t.Errorf("%s: %s", name, v)
		}
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(file, later, later); err != nil {
		t.Fatal(err)
	}
	if v := found(cache); v != real {
		t.Errorf("of a file that has changed: %s", v)
	}
	old := "4.4.1"
	if err := Store(cache, versionKind, programKey(file), &old); err != nil {
		t.Fatal(err)
	}
	ctx, end := WithProcesses(context.Background())
	defer end()
	KeepVersions(ctx, cache)
	if ds, err := Find(ctx, []string{"z3"}); err == nil {
		t.Errorf("%s %s is not too old", ds[0].Name(), ds[0].Version())
	}
	if err := os.WriteFile(file, []byte("#!/bin/sh\necho Z3 version 4.12.7\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if key := programKey(file); key != "" {
		t.Errorf("the script has the key %s", key)
	}
}

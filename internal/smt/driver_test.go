package smt

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"erelong.dev/erelong/internal/smt/wasmz3"
)

// only makes a PATH with exactly the given programs, which print a version.
func only(t *testing.T, versions map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range versions {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\necho '"+text+"'\n"),
			0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
}

func TestFind(t *testing.T) {
	const goodZ3, goodCvc5 = "Z3 version 4.12.1 - 64 bit", "This is cvc5 version 1.0.3"
	tests := []struct {
		name     string
		versions map[string]string
		ask      []string
		want     string // labels
		mention  string // part of the error, which wraps ErrNoSolver
	}{
		{"none", nil, nil, "", "apt-get install z3 cvc5"},
		{"both", map[string]string{"z3": goodZ3, "cvc5": goodCvc5}, nil, "z3 4.12.1, cvc5 1.0.3",
			""},
		{"order", map[string]string{"z3": goodZ3, "cvc5": goodCvc5}, []string{"cvc5", "z3"}, "cvc5 1.0.3, z3 4.12.1", ""},
		{"one", map[string]string{"cvc5": goodCvc5}, nil, "cvc5 1.0.3", ""},
		{"asked for and missing", map[string]string{"cvc5": goodCvc5}, []string{"z3"}, "", "z3 is not installed"},
		{"too old", map[string]string{"z3": "Z3 version 4.4.1"}, nil, "", "z3 4.4.1"},
		{"one too old", map[string]string{"z3": "Z3 version 4.4.1", "cvc5": goodCvc5}, nil, "cvc5 1.0.3", ""},
		{"something else", map[string]string{"z3": "zzz"}, nil, "", "which is not z3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			only(t, tt.versions)
			ds, err := Find(t.Context(), tt.ask)
			var labels []string
			mention := tt.mention
			for _, d := range ds {
				if d.Name() == wasmName { // a program with z3 inside always finds it
					mention = ""
					continue
				}
				labels = append(labels, Label(d))
			}
			if got := strings.Join(labels, ", "); got != tt.want {
				t.Errorf("found %q, want %q", got, tt.want)
			}
			if mention == "" && err != nil ||
				mention != "" &&
					(!errors.Is(err, ErrNoSolver) || !strings.Contains(err.Error(), mention)) {
				t.Errorf("error %v", err)
			}
		})
	}
	if _, err := Find(t.Context(), []string{"yices"}); err == nil || errors.Is(err, ErrNoSolver) {
		t.Errorf("error %v for a solver that erelong does not know", err)
	}
}

// A solver that does not print its version, or prints without end, is given up soon.
func TestFindMisbehaving(t *testing.T) {
	for _, c := range []struct{ name, body, mention string }{
		{"hangs", "sleep 1000", "did not say its version within 300ms"},
		{"its child hangs", "sleep 1000 & wait", "did not say its version within 300ms"},
		{"floods", "yes zzz", "which is not z3"},
		{"fails", "exit 3", "exit status 3"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "z3"), []byte("#!/bin/sh\n"+c.body+"\n"),
			0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
		p := z3Product
		p.patience = 300 * time.Millisecond
		if c.name == "floods" {
			p.patience = time.Minute
		}
		_, err := p.find(t.Context(), nil)
		if err == nil || !strings.Contains(err.Error(), c.mention) || len(err.Error()) > 500 {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// A defect of a solver is reported once, and the other solvers are used.
func TestProbes(t *testing.T) {
	dir := t.TempDir()
	asked := filepath.Join(dir, "asked")
	for name, body := range map[string]string{"z3": "echo x >> " + asked + "; echo nonsense",
		"cvc5": "echo This is cvc5 version 1.0.3"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body+"\n"),
			0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	var notices []string
	ctx, end := WithProcesses(t.Context())
	defer end()
	ctx = WithNotice(ctx, func(text string) { notices = append(notices, text) })
	for range 3 {
		ds, err := Find(ctx, nil)
		if err != nil || Label(ds[0]) != "cvc5 1.0.3" {
			t.Fatalf("%v, %v", ds, err)
		}
	}
	text, err := os.ReadFile(asked)
	if err != nil || string(text) != "x\n" {
		t.Errorf("asked: %q, %v", text, err)
	}
	if len(notices) != 1 || !strings.Contains(notices[0], "which is not z3; it is not used") {
		t.Errorf("notices: %q", notices)
	}
}

func TestFindInside(t *testing.T) {
	ds, err := Find(t.Context(), []string{wasmName})
	if wasmz3.Embedded() == nil {
		if !errors.Is(err, ErrNoSolver) || !errors.Is(err, wasmz3.ErrNotEmbedded) {
			t.Errorf("error %v", err)
		}
		return
	}
	if err != nil || len(ds) != 1 || Label(ds[0]) != "z3-wasm "+wasmz3.Version {
		t.Errorf("found %v, %v", ds, err)
	}
}

func TestOlderThan(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{{"4.8.12", "4.8.5", false}, {"4.8.5", "4.8.5", false}, {"4.8.4", "4.8.5", true}, {"4.8", "4.8.5", true}, {"5", "4.8.5", false}, {"1.0", "1.0.0", false}} {
		if got := olderThan(tt.a, tt.b); got != tt.want {
			t.Errorf("%s older than %s: %v", tt.a, tt.b, got)
		}
	}
}

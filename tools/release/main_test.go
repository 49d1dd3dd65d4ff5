package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
)

var at = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)

var files = []file{
	{"erelong", 0o755, []byte("#!/bin/sh\necho it runs\n")}, {"LICENSE", 0o644, []byte("free\n")},
	{"man1/erelong.1", 0o644, []byte(".TH ERELONG 1\n")},
	{"completion/_erelong", 0o644, []byte("#compdef erelong\n")},
	{"completion/erelong.ps1", 0o644, []byte("ps\n")},
}

// names are the files of a packed archive, without folders.
func names(t *testing.T, archive []byte) (out []string) {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			out = append(out, h.Name)
		}
	}
}

func TestTarball(t *testing.T) {
	a, err := tarball("erelong-v1.2.3", files, at)
	b, err2 := tarball("erelong-v1.2.3", files, at)
	if err != nil || err2 != nil || !bytes.Equal(a, b) {
		t.Errorf("two archives of the same files differ, or %v", errors.Join(err, err2))
	}
	if got := names(t, a); len(got) != len(files) || got[2] != "./erelong-v1.2.3/man1/erelong.1" {
		t.Errorf("the files are %q", got)
	}
}

// A package has the parts of the format in their order, and dpkg installs it.
func TestDebian(t *testing.T) {
	deb, err := debian("1.2.3-rc1", "amd64", files, at)
	if err != nil {
		t.Fatal(err)
	}
	rest, found := strings.CutPrefix(string(deb), "!<arch>\n")
	if !found {
		t.Fatal("it is no archive of ar")
	}
	var parts []string
	for len(rest) > 60 {
		parts = append(parts, strings.TrimSpace(rest[:16]))
		size := 0
		for _, c := range strings.TrimSpace(rest[48:58]) {
			size = 10*size + int(c-'0')
		}
		rest = rest[min(len(rest), 60+size+size%2):]
	}
	if want := []string{"debian-binary", "control.tar.gz", "data.tar.gz"}; !slices.Equal(parts, want) {
		t.Errorf("the parts are %q, want %q", parts, want)
	}
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("there is no dpkg-deb")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "x.deb")
	if err := os.WriteFile(path, deb, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("dpkg-deb", "--field", path).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Version: 1.2.3~rc1\n") {
		t.Errorf("dpkg-deb reads %s, %v", out, err)
	}
	if out, err := exec.Command("dpkg-deb", "--extract", path, dir).CombinedOutput(); err != nil {
		t.Fatalf("%s, %v", out, err)
	}
	out, err = exec.Command(filepath.Join(dir, "usr", "bin", "erelong")).CombinedOutput()
	if err != nil || string(out) != "it runs\n" {
		t.Errorf("the program says %q, %v", out, err)
	}
	for _, name := range []string{"share/man/man1/erelong.1", "share/doc/erelong/copyright",
		"share/zsh/vendor-completions/_erelong"} {
		if _, err := os.Stat(filepath.Join(dir, "usr", filepath.FromSlash(name))); err != nil {
			t.Error(err)
		}
	}
}

func TestMaterials(t *testing.T) {
	b, err := materials("v1.2.3", &debug.BuildInfo{GoVersion: "go1.26.0",
		Main: debug.Module{Path: "erelong.dev/erelong"},
		Deps: []*debug.Module{{Path: "a.b/c", Version: "v0.1.0"},
			{Path: "x", Version: "v1.0.0", Replace: &debug.Module{Path: "y", Version: "v1.0.1"}}}}, at)
	var bill struct {
		BOMFormat  string
		Metadata   struct{ Component component }
		Components []component
	}
	if err := errors.Join(err, json.Unmarshal(b, &bill)); err != nil {
		t.Fatal(err)
	}
	var urls []string
	for _, c := range bill.Components {
		urls = append(urls, c.PURL)
	}
	want := []string{"pkg:golang/stdlib@1.26.0", "pkg:golang/a.b/c@v0.1.0", "pkg:golang/y@v1.0.1"}
	if !slices.Equal(urls, want) || bill.BOMFormat != "CycloneDX" ||
		bill.Metadata.Component.PURL != "pkg:golang/erelong.dev/erelong@v1.2.3" {
		t.Errorf("the bill is %s", b)
	}
}

func TestFormula(t *testing.T) {
	r := &release{version: "v1.2.3", sums: map[string]string{
		"erelong-v1.2.3-darwin-arm64.tar.gz": "abc", "erelong-v1.2.3-linux-amd64.tar.gz": "def"}}
	got := r.formula()
	for _, want := range []string{`version "1.2.3"`, `erelong-v1.2.3-darwin-arm64.tar.gz"` + "\n      sha256 \"abc\"",
		`erelong-v1.2.3-linux-amd64.tar.gz"` + "\n      sha256 \"def\""} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in\n%s", want, got)
		}
	}
}

// What is no version, or no time, is refused before anything is built, and so are changes that no
// commit has.
func TestRefused(t *testing.T) {
	if err := run("v1.2.3", "yesterday", t.TempDir(), false); err == nil {
		t.Error("a time that is none is accepted")
	}
	root := t.TempDir()
	if err := releasable(root, "v1.2.3"); err == nil {
		t.Error("a folder that is no checkout is accepted")
	}
	if out, err := exec.Command("git", "-C", root, "init", "-q").CombinedOutput(); err != nil {
		t.Skipf("git: %v, %s", err, out)
	}
	if err := releasable(root, "v1.2.3"); err != nil {
		t.Error(err)
	}
	for _, version := range []string{"1.2.3", "v1.2", ""} {
		if err := releasable(root, version); err == nil {
			t.Errorf("%q is accepted", version)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "new.go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := releasable(root, "v1.2.3"); err == nil || !strings.Contains(err.Error(), "new.go") {
		t.Errorf("a file that no commit has: %v", err)
	}
}

// An image has the program, and folders to write to; each blob has the name of its content.
func TestImage(t *testing.T) {
	a, err := image("v1.2.3", "amd64", []byte("#!/bin/sh\n"), at)
	b, err2 := image("v1.2.3", "amd64", []byte("#!/bin/sh\n"), at)
	if err := errors.Join(err, err2); err != nil || !bytes.Equal(a, b) {
		t.Fatalf("two images of the same program differ, or %v", err)
	}
	blobs := map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(a)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		data, _ := io.ReadAll(r)
		if sum, ok := strings.CutPrefix(h.Name, "./blobs/sha256/"); ok && sum != "" &&
			fmt.Sprintf("%x", sha256.Sum256(data)) != sum {
			t.Errorf("%s has another content", h.Name)
		}
		blobs[strings.TrimPrefix(h.Name, "./")] = data
	}
	type descriptor struct{ Digest string }
	follow := func(d descriptor, to any) {
		t.Helper()
		if err := json.Unmarshal(blobs["blobs/sha256/"+strings.TrimPrefix(d.Digest, "sha256:")],
			to); err != nil {
			t.Fatalf("%s: %v", d.Digest, err)
		}
	}
	var index struct{ Manifests []descriptor }
	if err := json.Unmarshal(blobs["index.json"], &index); err != nil || len(index.Manifests) != 1 {
		t.Fatalf("the index is %s, %v", blobs["index.json"], err)
	}
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	follow(index.Manifests[0], &manifest)
	var config struct{ Config struct{ Entrypoint []string } }
	follow(manifest.Config, &config)
	layer := blobs["blobs/sha256/"+strings.TrimPrefix(manifest.Layers[0].Digest, "sha256:")]
	if got := names(t, layer); !slices.Equal(got, []string{"./usr/local/bin/erelong"}) ||
		!slices.Equal(config.Config.Entrypoint, []string{"/usr/local/bin/erelong"}) {
		t.Errorf("the files are %q, and %q starts", got, config.Config.Entrypoint)
	}
}

// Command playground makes a folder with a page on which specifications can be tried without a
// server: the page of package serve, with the program itself as WebAssembly in its worker.
//
//	go run ./tools/playground FOLDER
//
// Any web server can serve the folder.
package main

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"erelong.dev/erelong/internal/serve"
)

//go:embed page
var page embed.FS

// examples are the files of the playground, in the order of the list.
var examples = []string{
	"examples/tutorial/lock_wrong.ere", "examples/tutorial/lock_weak.ere",
	"examples/tutorial/lock.ere", "examples/tutorial/detector.ere",
	"examples/mutex_starvation.ere", "examples/peterson.ere", "examples/lease.ere",
	"examples/token_ring.ere", "examples/two_phase_commit.ere",
	"examples/heartbeat/stubborn.ere",
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./tools/playground FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("making the folder: %w", err)
	}
	files := map[string][]byte{}
	own, err := fs.Sub(page, "page")
	if err != nil {
		return err
	}
	for _, from := range []fs.FS{serve.Page(), own} { // the later one replaces modules of the first
		if err := collect(from, files); err != nil {
			return err
		}
	}
	files["index.html"] = bytes.Replace(files["index.html"], []byte("<meta charset"),
		[]byte(policy+"\n<meta charset"), 1)
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("asking for Go's folder: %w", err)
	}
	if files["wasm_exec.js"], err = os.ReadFile(filepath.Join(strings.TrimSpace(string(root)),
		"lib", "wasm", "wasm_exec.js")); err != nil {
		return fmt.Errorf("reading Go's loader: %w", err)
	}
	if files["erelong.wasm.gz"], err = program(); err != nil {
		return err
	}
	if files["examples.json"], err = texts(); err != nil {
		return err
	}
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(folder, name), b, 0o644); err != nil {
			return fmt.Errorf("writing the page: %w", err)
		}
	}
	return nil
}

// policy lets the page load nothing from elsewhere, and run its own WebAssembly.
const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; ` +
	`style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'">`

func collect(from fs.FS, files map[string][]byte) error {
	return fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[name], err = fs.ReadFile(from, name)
		return err
	})
}

// program builds the worker, and packs it.
func program() ([]byte, error) {
	dir, err := os.MkdirTemp("", "erelong-playground-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "worker.wasm")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w -buildid=", "-o", out,
		"./tools/playground/worker")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("building the program: %w", err)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(b); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}

// texts are the examples, as JSON.
func texts() ([]byte, error) {
	type example struct {
		File string `json:"file"`
		Text string `json:"text"`
	}
	var out []example
	for _, name := range examples {
		b, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			return nil, fmt.Errorf("reading an example: %w", err)
		}
		out = append(out, example{filepath.Base(name), string(b)})
	}
	return json.Marshal(out)
}

// Command embedz3 fetches z3 as WebAssembly, for programs with z3 inside.
//
// In: the npm package z3-solver in the version and with the hash below, from a file of an earlier
// run, through npm with its settings, or by HTTPS. Out: in the folder that is its argument, the
// packed module that package wasmz3 reads, the licence, and the package itself for the next run.
// The same package gives the same files.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"erelong.dev/erelong/internal/smt/wasmz3"
	"erelong.dev/erelong/internal/wasm/unwind"
)

// integrity is the hash of the package in the npm registry.
const integrity = "sha512-0mGfrkwV/3zKGLy+EPWlHGORWMVZ8BsaiVYxVxuztk28" +
	"YHRlD1XO0R7Op7g1nc6JX6kG2b8mHwXTuxSFnYQvww=="

const (
	file     = "z3-solver-" + wasmz3.Version + ".tgz"
	registry = "https://registry.npmjs.org/z3-solver/-/"

	// pages is the initial memory of an instance: 20 MiB are the stack of z3.
	pages = 32 << 20 >> 16
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: embedz3 FOLDER")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "embedz3:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	archive, err := fetch(dir)
	if err != nil {
		return err
	}
	files, err := extract(archive, "package/build/z3-built.wasm", "package/LICENSE.txt")
	if err != nil {
		return fmt.Errorf("reading %s: %w", file, err)
	}
	module, err := unwind.Rewrite(files[0], pages)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(module); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	fmt.Printf("z3-solver %s: module of %d bytes, packed %d\n", wasmz3.Version, len(module),
		packed.Len())
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "z3.wasm.gz"), packed.Bytes(), 0o644),
		os.WriteFile(filepath.Join(dir, "LICENSE.txt"), files[1], 0o644))
}

// fetch gives the package, after its hash has been checked.
func fetch(dir string) ([]byte, error) {
	path := filepath.Join(dir, file)
	if archive, err := os.ReadFile(path); err == nil && check(archive) == nil {
		return archive, nil
	}
	var npm error
	if _, npm = exec.LookPath("npm"); npm == nil {
		cmd := exec.Command("npm", "pack", "--silent", "z3-solver@"+wasmz3.Version)
		cmd.Dir = dir
		cmd.Stderr = os.Stderr
		npm = cmd.Run()
	}
	if npm != nil {
		if err := download(path); err != nil {
			return nil, fmt.Errorf("fetching z3-solver: npm: %w; by HTTPS: %w", npm, err)
		}
	}
	archive, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return archive, check(archive)
}

func download(path string) error {
	client := http.Client{Timeout: 5 * time.Minute}
	r, err := client.Get(registry + file)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		return errors.New(r.Status)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	return os.WriteFile(path, body, 0o644)
}

func check(archive []byte) error {
	sum := sha512.Sum512(archive)
	if got := "sha512-" + base64.StdEncoding.EncodeToString(sum[:]); got != integrity {
		return fmt.Errorf("%s has the hash %s, and not %s", file, got, integrity)
	}
	return nil
}

// extract gives files of the archive.
func extract(archive []byte, names ...string) ([][]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, err
	}
	out := make([][]byte, len(names))
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		for i, name := range names {
			if h.Name == name {
				if out[i], err = io.ReadAll(t); err != nil {
					return nil, err
				}
			}
		}
	}
	for i, b := range out {
		if len(b) == 0 {
			return nil, fmt.Errorf("there is no file %s", names[i])
		}
	}
	return out, nil
}

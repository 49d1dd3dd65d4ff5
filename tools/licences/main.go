// Command licences writes the licences of the parts of a program: Go itself, and the modules that
// it links on any of the systems it is built for. In: a package and a file. Out: the file.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: licences PACKAGE FILE")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

func run(pkg, file string) error {
	dirs, err := modules(pkg)
	if err != nil {
		return err
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("asking for GOROOT: %w", err)
	}
	dirs["Go"] = strings.TrimSpace(string(root))
	var out bytes.Buffer
	for _, path := range slices.Sorted(maps.Keys(dirs)) {
		text, err := licence(dirs[path])
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		fmt.Fprintf(&out, "==== %s ====\n\n%s\n\n", path, bytes.TrimSpace(text))
	}
	return os.WriteFile(file, out.Bytes(), 0o644)
}

// modules gives the folder of each module.
func modules(pkg string) (map[string]string, error) {
	dirs := map[string]string{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		cmd := exec.Command("go", "list", "-deps", "-f",
			"{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}{{end}}{{end}}", pkg)
		cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+runtime.GOARCH)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("listing what %s is made of on %s: %w", pkg, system, err)
		}
		for line := range strings.Lines(string(out)) {
			if path, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
				dirs[path] = dir
			}
		}
	}
	return dirs, nil
}

// licence reads the licence in a folder, and the notice beside it where there is one.
func licence(dir string) ([]byte, error) {
	var out []byte
	for _, name := range []string{"LICENSE", "LICENSE.txt", "LICENSE.md", "COPYING", "NOTICE"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(append(out, text...), '\n')
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("there is no licence in %s", dir)
	}
	return bytes.ReplaceAll(out, []byte("\r\n"), []byte("\n")), nil
}

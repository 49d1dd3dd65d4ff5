// Command release makes what a version is published as, in one folder.
//
//	go run ./tools/release -version v0.4.0 -date 2026-11-26T12:00:00Z [-z3] FOLDER
//
// Out, for Linux, macOS and Windows on amd64 and arm64: an archive with the program, its licences,
// manual pages and completion; Debian packages; a formula for Homebrew; a bill of materials
// (CycloneDX); and checksums of all of them. With -z3, archives of a program with z3 inside, and
// container images of it, too. The same sources, version and date give the same files. With -check
// it only says whether the version can be released from this checkout.
package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// target is a system for which the program is built.
type target struct{ os, arch string }

var targets = []target{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"},
	{"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"}}

// program is the name of the program on a system.
func (t target) program() string {
	if t.os == "windows" {
		return "erelong.exe"
	}
	return "erelong"
}

// release is a version, and what is common to its files.
type release struct {
	version string
	date    time.Time
	folder  string
	shared  []file            // what is in each archive beside the program
	sums    map[string]string // SHA-256 of the files that are made, by their names
}

func main() {
	version := flag.String("version", "", "the version, such as v0.4.0")
	date := flag.String("date", "", "the time of the files, as in RFC 3339")
	z3 := flag.Bool("z3", false, "also programs with z3 inside; make embed fetches it")
	only := flag.Bool("check", false, "only say whether the version can be released")
	flag.Parse()
	if flag.NArg() != 1 && !*only {
		fmt.Fprintln(os.Stderr, "usage: release -version V -date T [-z3] FOLDER")
		os.Exit(2)
	}
	err := releasable(".", *version)
	if err == nil && !*only {
		err = run(*version, *date, flag.Arg(0), *z3)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

var versions = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

// releasable refuses what is no version, and a checkout with changes that no commit has.
func releasable(root, version string) error {
	if !versions.MatchString(version) {
		return fmt.Errorf("%q is no version: write it as in make release VERSION=v0.4.0", version)
	}
	out, err := exec.Command("git", "-C", root, "status", "--porcelain").Output()
	if err != nil {
		return fmt.Errorf("a release is made from a checkout: %w", err)
	}
	if len(out) > 0 {
		return fmt.Errorf("no commit has these changes, so nobody could build %s again:\n%s",
			version, strings.TrimRight(string(out), "\n"))
	}
	return nil
}

func run(version, date, folder string, z3 bool) error {
	at, err := time.Parse(time.RFC3339, date)
	if err != nil {
		return fmt.Errorf("-date: %w", err)
	}
	r := &release{version: version, date: at.UTC(), folder: folder, sums: map[string]string{}}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("making the folder: %w", err)
	}
	if r.shared, err = r.documents(); err != nil {
		return err
	}
	for _, tags := range []string{"", "embedz3"} {
		if tags != "" && !z3 {
			continue
		}
		for _, t := range targets {
			if err := r.publish(t, tags); err != nil {
				return err
			}
		}
	}
	if err := r.put("erelong.rb", []byte(r.formula())); err != nil {
		return err
	}
	return r.checksums()
}

// number is the version without its letter.
func (r *release) number() string { return strings.TrimPrefix(r.version, "v") }

// publish builds the program for a system, and packs it.
func (r *release) publish(t target, tags string) error {
	name := fmt.Sprintf("erelong-%s-%s-%s", r.version, t.os, t.arch)
	if tags != "" {
		name += "-z3"
	}
	fmt.Println(name)
	built, err := r.build(t, tags)
	if err != nil {
		return err
	}
	files := append([]file{{name: t.program(), mode: 0o755, data: built}}, r.shared...)
	pack, ending := tarball, ".tar.gz"
	if t.os == "windows" {
		pack, ending = zipped, ".zip"
	}
	archive, err := pack(name, files, r.date)
	if err == nil {
		err = r.put(name+ending, archive)
	}
	if err != nil || t.os != "linux" {
		return err
	}
	if tags != "" {
		packed, err := image(r.version, t.arch, built, r.date)
		if err != nil {
			return err
		}
		return r.put(fmt.Sprintf("erelong-%s-image-%s.tar", r.version, t.arch), packed)
	}
	if t.arch == "amd64" { // the modules are the same everywhere
		if err := r.bill(built); err != nil {
			return err
		}
	}
	deb, err := debian(r.number(), t.arch, files, r.date)
	if err != nil {
		return err
	}
	return r.put(fmt.Sprintf("erelong_%s_%s.deb", r.number(), t.arch), deb)
}

// build gives the program: no paths, no symbols, and nothing of the checkout but the version.
func (r *release) build(t target, tags string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "erelong-release-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, t.program())
	flags := "-s -w -buildid= -X erelong.dev/erelong/internal/cli.released=" + r.version
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-tags", tags,
		"-ldflags", flags, "-o", out, "./cmd/erelong")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.os, "GOARCH="+t.arch)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("building for %s and %s: %w", t.os, t.arch, err)
	}
	return os.ReadFile(out)
}

// documents are the licences, the manual pages and the completion for shells.
func (r *release) documents() (out []file, err error) {
	dir, err := os.MkdirTemp("", "erelong-manual-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	cmd := exec.Command("go", "run", "./tools/manual", dir)
	cmd.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.date.Unix()))
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("writing the manual pages: %w", err)
	}
	sources := map[string]string{"LICENSE": "LICENSE", "README.md": "README.md",
		"licences.txt": "internal/cli/licences.txt"}
	for _, pattern := range []string{"man1/*.1", "completion/*"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil, err
		}
		for _, path := range found {
			name, err := filepath.Rel(dir, path)
			if err != nil {
				return nil, err
			}
			sources[filepath.ToSlash(name)] = path
		}
	}
	for name, path := range sources {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("reading what is packed: %w", err)
		}
		out = append(out, file{name: name, mode: 0o644, data: data})
	}
	slices.SortFunc(out, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return out, nil
}

// bill writes the bill of materials of a program.
func (r *release) bill(built []byte) error {
	info, err := buildinfo.Read(bytes.NewReader(built))
	if err != nil {
		return fmt.Errorf("reading what the program is made of: %w", err)
	}
	b, err := materials(r.version, info, r.date)
	if err != nil {
		return err
	}
	return r.put("erelong-"+r.version+".cdx.json", b)
}

func (r *release) put(name string, data []byte) error {
	r.sums[name] = fmt.Sprintf("%x", sha256.Sum256(data))
	if err := os.WriteFile(filepath.Join(r.folder, name), data, 0o644); err != nil {
		return fmt.Errorf("writing a file of the release: %w", err)
	}
	return nil
}

// checksums writes SHA256SUMS, which sha256sum -c reads.
func (r *release) checksums() error {
	var lines []string
	for name, sum := range r.sums {
		lines = append(lines, sum+"  "+name+"\n")
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[66:], b[66:]) })
	return r.put("SHA256SUMS", []byte(strings.Join(lines, "")))
}

package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// file is a file of an archive, or a folder, whose name ends with a slash.
type file struct {
	name string
	mode fs.FileMode
	data []byte
}

// tarball packs files below a folder. Nothing of the machine is in it, so that the same files give
// the same bytes.
func tarball(folder string, files []file, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(z)
	made := map[string]bool{}
	for _, f := range files {
		name := path.Join(folder, f.name)
		if err := folders(w, path.Dir(name), made, at); err != nil {
			return nil, err
		}
		if strings.HasSuffix(f.name, "/") {
			if err := directory(w, name, f.mode, at); err != nil {
				return nil, err
			}
			continue
		}
		h := &tar.Header{Name: "./" + name, Mode: int64(f.mode), Size: int64(len(f.data)),
			ModTime: at, Typeflag: tar.TypeReg, Format: tar.FormatGNU}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// folders writes the entries of a folder and of the ones above it.
func folders(w *tar.Writer, name string, made map[string]bool, at time.Time) error {
	if name == "." || made[name] {
		return nil
	}
	if err := folders(w, path.Dir(name), made, at); err != nil {
		return err
	}
	made[name] = true
	return directory(w, name, 0o755, at)
}

// directory writes the entry of a folder.
func directory(w *tar.Writer, name string, mode fs.FileMode, at time.Time) error {
	bits := int64(mode.Perm())
	if mode&fs.ModeSticky != 0 {
		bits |= 0o1000
	}
	return w.WriteHeader(&tar.Header{Name: "./" + name + "/", Mode: bits, ModTime: at,
		Typeflag: tar.TypeDir, Format: tar.FormatGNU})
}

// zipped packs files below a folder.
func zipped(folder string, files []file, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		h := &zip.FileHeader{Name: path.Join(folder, f.name), Method: zip.Deflate, Modified: at}
		h.SetMode(f.mode)
		one, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := one.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// places are where Debian has the files of an archive.
func places(name string) string {
	switch dir, base := path.Split(name); {
	case name == "erelong":
		return "usr/bin/erelong"
	case dir == "man1/":
		return "usr/share/man/man1/" + base
	case base == "erelong.bash":
		return "usr/share/bash-completion/completions/erelong"
	case base == "_erelong":
		return "usr/share/zsh/vendor-completions/_erelong"
	case base == "erelong.fish":
		return "usr/share/fish/vendor_completions.d/erelong.fish"
	case name == "LICENSE":
		return "usr/share/doc/erelong/copyright"
	case dir == "":
		return "usr/share/doc/erelong/" + base
	}
	return "" // of another system
}

const control = `Package: erelong
Version: %s
Architecture: %s
Maintainer: erelong <info@erelong.dev>
Installed-Size: %d
Recommends: z3 | cvc5
Section: devel
Priority: optional
Homepage: https://erelong.dev
Description: verifier for distributed protocols
 It explores small instances of a specification state by state, and proves
 properties for all instances with the SMT solvers z3 and cvc5.
`

// debian makes a package: an archive of ar with the version of the format, the control file, and
// the files (deb(5)).
func debian(version, arch string, files []file, at time.Time) ([]byte, error) {
	var placed []file
	size := 0
	for _, f := range files {
		if name := places(f.name); name != "" {
			placed = append(placed, file{name, f.mode, f.data})
			size += len(f.data)
		}
	}
	slices.SortFunc(placed, func(a, b file) int { return strings.Compare(a.name, b.name) })
	// before a version, a tilde sorts lower than its end, as a hyphen does in v1.0.0-rc1
	text := fmt.Sprintf(control, strings.ReplaceAll(version, "-", "~"), arch, (size+1023)/1024)
	about, err := tarball("", []file{{"control", 0o644, []byte(text)}}, at)
	if err != nil {
		return nil, err
	}
	data, err := tarball("", placed, at)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteString("!<arch>\n")
	for _, part := range []file{{name: "debian-binary", data: []byte("2.0\n")},
		{name: "control.tar.gz", data: about}, {name: "data.tar.gz", data: data}} {
		fmt.Fprintf(&out, "%-16s%-12d%-6d%-6d%-8s%-10d`\n", part.name, at.Unix(), 0, 0, "100644",
			len(part.data))
		out.Write(part.data)
		if len(part.data)%2 == 1 {
			out.WriteByte('\n')
		}
	}
	return out.Bytes(), nil
}

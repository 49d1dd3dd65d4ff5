package queue

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path"
	"strings"

	"erelong.dev/erelong/internal/engine/explicit"
)

// Saves is a folder in which members of divided explorations save their states, the same one for
// all of them and for the command. A save is a file in a folder of its exploration, which the
// command makes. Nothing else in the folder is written or read.
type Saves struct {
	Dir string // empty for none
	// create makes a file; nil for a plain one.
	create func(root *os.Root, name string) (io.WriteCloser, error)
}

// inFolder reports whether a save is a file, and no object on the server.
func inFolder(name string) bool { return strings.Contains(name, "/") }

func (s *Saves) open(name string) (*os.Root, error) {
	if s.Dir == "" {
		return nil, errors.New("this worker has no folder for saves; start it with --saves DIR")
	}
	if dir, file := path.Split(name); strings.Count(name, "/") != 1 || len(dir) < 2 ||
		!strings.HasPrefix(file, explicit.SavedPrefix) {
		return nil, fmt.Errorf("%q is no name of a save", name)
	}
	return os.OpenRoot(s.Dir) // no way out, not even over links
}

// save writes a file as a whole, or none, and gives its reference.
func (s *Saves) save(name string, write func(io.Writer) error) (ref string, err error) {
	root, err := s.open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }()
	create := s.create
	if create == nil {
		create = func(root *os.Root, name string) (io.WriteCloser, error) {
			return root.Create(name)
		}
	}
	part := name + ".new"
	f, err := create(root, part)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	err = write(io.MultiWriter(f, sum))
	if f, ok := f.(*os.File); ok && err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = root.Rename(part, name)
	}
	if err != nil {
		_ = root.Remove(part)
		return "", err
	}
	return reference(name, hex.EncodeToString(sum.Sum(nil))), nil
}

// read opens what save wrote. The end of a file with another content is an error.
func (s *Saves) read(name, digest string) (io.ReadCloser, error) {
	root, err := s.open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	return &summed{f, sha256.New(), digest}, nil
}

// summed is a file with the sum of what was read.
type summed struct {
	*os.File
	sum  hash.Hash
	want string
}

func (f *summed) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	f.sum.Write(p[:n])
	if errors.Is(err, io.EOF) && hex.EncodeToString(f.sum.Sum(nil)) != f.want {
		err = errors.New("it was changed")
	}
	return n, err
}

// savable says why a divided exploration cannot be saved in a folder: some worker has none.
func (c *Conn) savable(ctx context.Context, n need) error {
	fit, _, err := c.fitting(ctx, n)
	if err != nil {
		return err
	}
	for _, p := range fit {
		if !p.Saves {
			return fmt.Errorf("--checkpoint: the worker %s has no folder for saves; start it with "+
				"erelong worker --saves DIR, the folder of --checkpoint as it is seen there",
				p.Name)
		}
	}
	return nil
}

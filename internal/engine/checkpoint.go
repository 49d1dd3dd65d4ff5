package engine

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system"
)

// A checkpoint of an exploration is a folder. Its other files only grow, and a manifest says which
// part of them is valid. The manifest is replaced as a whole, after the other files are safe, so
// the folder holds a state of the search at every moment. It has a sum of itself, by a key where
// others can write to the folder: then nobody without the key can have a search go on from states
// of their own.

// ManifestName is the name of the manifest's file.
const ManifestName = "checkpoint.json"

// CheckpointError says why a checkpoint cannot be used.
type CheckpointError struct {
	Dir string
	Err error
}

func (e *CheckpointError) Error() string {
	return fmt.Sprintf("the checkpoint in %s: %v", e.Dir, e.Err)
}
func (e *CheckpointError) Unwrap() error { return e.Err }

// OpenCheckpoint finds or makes a folder below another one. It returns the manifest to resume from,
// nil if there is none.
func OpenCheckpoint(
	root, name string, resume bool, key []byte,
) (dir string, manifest []byte, err error) {
	dir = filepath.Join(root, url.PathEscape(name))
	text, err := os.ReadFile(filepath.Join(dir, ManifestName))
	switch {
	case resume && err == nil:
		if manifest, err = Unseal(text, key); err != nil {
			return dir, nil, &CheckpointError{dir, err}
		}
		return dir, manifest, nil
	case err == nil:
		return dir, nil, &CheckpointError{dir,
			errors.New("it is of an earlier run: go on from it with --resume, or remove it")}
	case !errors.Is(err, fs.ErrNotExist):
		return dir, nil, &CheckpointError{root, fmt.Errorf("reading it: %w", err)}
	}
	if resume {
		if _, err := os.Stat(root); err != nil {
			return dir, nil, &CheckpointError{root, fmt.Errorf("reading it: %w", err)}
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return dir, nil, fmt.Errorf("making the folder of the checkpoint: %w", err)
	}
	return dir, nil, nil
}

// ForgetManifest removes a manifest, because the files beside it begin anew.
func ForgetManifest(dir string) error {
	if err := os.Remove(filepath.Join(dir, ManifestName)); err != nil &&
		!errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing an old checkpoint: %w", err)
	}
	return nil
}

// ErrOther says that a checkpoint has the identity of another search.
var ErrOther = errors.New("it is of another system, or was made with other options or by another " +
	"version of the program")

// ErrContradiction says that a manifest cannot have been written by a search.
var ErrContradiction = errors.New("it contradicts itself")

// errDamaged says that a manifest is not what was written, and errForeign that it is not what
// somebody with the key wrote.
var (
	errDamaged = errors.New("it is damaged, or signed with the key of a team: its sum is not " +
		"that of its text")
	errForeign = errors.New("it was changed, or is not signed with the key of the team")
)

// ErrVersion says that a manifest has another form.
var ErrVersion = errors.New("it is of another version of the program")

// sealed is the contents of a manifest's file.
type sealed struct {
	Sum      string // SHA-256 of the text of the manifest, or its HMAC with a key
	Manifest json.RawMessage
}

// Seal makes the text of the file of a manifest. The key is nil for none.
func Seal(manifest, key []byte) []byte {
	h := sha256.New()
	if len(key) > 0 {
		h = hmac.New(sha256.New, key)
		_, _ = io.WriteString(h, "checkpoint\x00") // what else the key signs begins otherwise
	}
	h.Write(manifest)
	return fmt.Appendf(nil, "{\"Sum\":\"%x\",\"Manifest\":%s}\n", h.Sum(nil), manifest)
}

// Unseal gives the manifest in a file. It accepts exactly the texts that Seal makes, to the last
// byte.
func Unseal(text, key []byte) (manifest []byte, err error) {
	var s sealed
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("reading it: %w", err)
	}
	if s.Sum == "" {
		return nil, ErrVersion
	}
	switch {
	case hmac.Equal(text, Seal(s.Manifest, key)):
		return s.Manifest, nil
	case len(key) > 0:
		return nil, errForeign
	}
	return nil, errDamaged
}

// SaveManifest replaces the manifest of a checkpoint.
func SaveManifest(dir string, manifest any, key []byte) error {
	text, err := json.Marshal(manifest)
	if err == nil {
		err = replace(filepath.Join(dir, ManifestName), Seal(text, key))
	}
	if err != nil {
		return fmt.Errorf("writing the checkpoint: %w", err)
	}
	return nil
}

// replace writes a file as a whole: at any moment either the old or the new file exists.
func replace(path string, text []byte) error {
	tmp, err := os.Create(path + ".new")
	if err != nil {
		return err
	}
	_, err = tmp.Write(text)
	if err == nil {
		err = tmp.Sync()
	}
	if err := errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	// The folder must be synchronised, too, where that is possible.
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		_ = dir.Sync()
		_ = dir.Close()
	}
	return nil
}

// WriteIdentity writes what every exploration depends on: the program, the system and the instance.
func WriteIdentity(w io.Writer, sys *system.System, inst *system.Instance) {
	if info, ok := debug.ReadBuildInfo(); ok {
		fmt.Fprintln(w, info.Main.Version)
	}
	fmt.Fprintf(w, "%s\n%s\n", sys, inst.Name)
	for _, sort := range sys.Sorts {
		fmt.Fprintln(w, sort, inst.Sizes[sort])
	}
	for _, sym := range sys.Symbols {
		fmt.Fprintln(w, sym, inst.Values[sym])
	}
	for _, f := range inst.Facts {
		fmt.Fprintln(w, f.Term)
	}
}

// rechecked bounds the number of initial states that are compared when a search resumes.
const rechecked = 1000

// CompareInitial compares the first saved states with the initial states of the model, of which
// there are n, in case the meaning of packed states has changed. Pack gives the key of a state, and
// keys the keys of a range of saved states.
func CompareInitial(
	ctx context.Context, m *interp.Model, n int, pack func(interp.State) ([]uint64, error),
	keys func(from, to int, buf *[]uint64) ([]uint64, error),
) error {
	i := 0
	var buf []uint64
	err := m.Initial(ctx, func(state interp.State) error {
		if i == min(n, rechecked) {
			return interp.ErrStop
		}
		key, err := pack(state)
		if err != nil {
			return err
		}
		have, err := keys(i, i+1, &buf)
		if err != nil {
			return err
		}
		if !slices.Equal(have, key) {
			return errors.New("the saved initial states differ from the initial states of the " +
				"system")
		}
		i++
		return nil
	})
	if err != nil {
		return fmt.Errorf("checking the saved states: %w", err)
	}
	return nil
}

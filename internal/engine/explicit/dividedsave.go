package explicit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/interp"
)

// The checkpoint of a divided exploration is a folder that the leader and all members reach. The
// members write their states there, each save a file, and the leader writes the manifest, which has
// the digests of these files and what the states of each level showed.
const dividedFormat = 1

// dividedSaved is the manifest.
type dividedSaved struct {
	explore.Header
	Saved  []string // references
	Level  int      // the last one that was saved
	States int64    // on it
	Found  []Found  // what the levels before showed
}

// SavedPrefix begins the name of each file that a member saves.
const SavedPrefix = "crew-"

// prepareDivided finds the folder for an instance, and reads the checkpoint to continue from.
func (a *attempt) prepareDivided(m *interp.Model) (err error) {
	x, found := &dividedSaved{}, false
	a.dir, found, err = a.opts.Checkpoint.Find("divided-"+m.Instance.Name, a.opts.Crew.Key(),
		dividedFormat, x, &x.Header)
	if found {
		a.divisionSaved, a.forced = x, x.Forced
	}
	return err
}

// attach gives a division its folder, with nothing in it but the checkpoint to continue from.
func (d *division) attach(a *attempt) error {
	if a.dir == "" {
		return nil
	}
	d.dir = a.dir
	d.from = a.divisionSaved
	if d.from == nil {
		if err := engine.ForgetManifest(d.dir); err != nil {
			return err
		}
		return d.tidy(nil)
	}
	x := d.from
	switch {
	case x.Identity != d.identity():
		return &engine.CheckpointError{Dir: d.dir, Err: engine.ErrOther}
	case x.Level != len(x.Found)+1 || !d.answered(x.Found, len(x.Found)):
		return &engine.CheckpointError{Dir: d.dir, Err: engine.ErrContradiction}
	}
	return d.tidy(x.Saved)
}

// tidy removes the files that belong to no save: an earlier run was killed before it could.
func (d *division) tidy(saved []string) error {
	files, err := os.ReadDir(d.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, f := range files {
		used := slices.ContainsFunc(saved, func(ref string) bool {
			name, _, _ := strings.Cut(ref, " ")
			return filepath.Base(name) == f.Name()
		})
		if strings.HasPrefix(f.Name(), SavedPrefix) && !used {
			if err := os.Remove(filepath.Join(d.dir, f.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// resumed takes what the checkpoint says of the levels, which the members have by now. It reports
// whether the exploration is over.
func (d *division) resumed() (over bool, err error) {
	d.counts = nil
	for _, f := range d.from.Found {
		if err := d.found(&f); err != nil {
			return false, err
		}
		if d.settle() {
			return true, nil
		}
	}
	d.counts = append(d.counts, d.from.States)
	return false, nil
}

// saveLast saves the last whole level of an exploration that was interrupted, whatever the members
// are doing, and says from where the command goes on.
func (d *division) saveLast(ctx context.Context) (told string) {
	if d.dir == "" {
		return ""
	}
	why := ""
	// A limited search does not look for the level after its last one, and the initial states are
	// found anew as fast as they are read.
	some := d.expanded > 0 && (d.opts.Limits.Depth == 0 || int64(d.expanded) < d.opts.Limits.Depth)
	if level := d.expanded + 1; d.whole && some && level > d.manifestLevel {
		unsaved, err := d.save(ctx, level)
		if err != nil {
			d.whole, unsaved = false, err.Error()
		}
		if unsaved != "" {
			why = ": " + unsaved
		}
	}
	switch {
	case d.manifestLevel == 0:
		return "; nothing is saved" + why
	case why != "":
		why = "; later levels are not saved" + why
	}
	return fmt.Sprintf("; with --resume the same command goes on from depth %d%s",
		d.manifestLevel, why)
}

// keep writes the manifest of what was saved up to a level.
func (d *division) keep(states int64) error {
	if d.dir == "" {
		return nil
	}
	err := engine.SaveManifest(d.dir, dividedSaved{
		Header: explore.Header{Format: dividedFormat, Identity: d.identity(), Forced: d.forced},
		Saved:  d.saved, Level: d.upTo, States: states, Found: d.history}, d.crew.Key())
	if err == nil {
		d.manifestLevel = d.upTo
	}
	return err
}

package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/verify"
)

// cacheOptions are about proofs of earlier runs.
type cacheOptions struct{ cache string }

// The uses of proofs of earlier runs.
const (
	cacheUse    = "use"
	cacheVerify = "verify"
	cacheOff    = "off"
)

func (o *cacheOptions) flags(fl *pflag.FlagSet) {
	fl.StringVar(&o.cache, "cache", cacheUse, `proofs of earlier runs: use them; verify them, by asking the solvers again; or off.
They are kept in the folder ERELONG_CACHE (default: erelong/proofs in the user's cache folder; off for none)`)
}

// stabilityOptions are about proofs that depend on the seed.
type stabilityOptions struct{ runs int }

func (o *stabilityOptions) flags(fl *pflag.FlagSet) {
	fl.IntVar(&o.runs, "stability", 0,
		"prove everything this number of times with different seeds, and name the obligations "+
			"whose verdict depends on the seed")
}

// anew reports whether everything is asked again.
func (o *cacheOptions) anew() bool { return o != nil && o.cache == cacheVerify }

func isCacheUse(text string) bool {
	return slices.Contains([]string{cacheUse, cacheVerify, cacheOff}, text)
}

// cacheEnv names the folder of the cache, or is off.
const cacheEnv = "ERELONG_CACHE"

// apply sets the cache options. Saved queries must be asked, and each compared run must be a run of
// its own: in both cases there is no cache. The note says why there is none although one was asked
// for.
func (f *cacheOptions) apply(o *discharge.Options, stable bool) (note string, err error) {
	if !isCacheUse(f.cache) {
		return "", usage("--cache %s: write use, verify or off", f.cache)
	}
	if f.cache == cacheOff || stable || o.LogDir != "" {
		return "", nil
	}
	if os.Getenv(cacheEnv) == cacheOff {
		if f.cache == cacheVerify {
			note = "no proofs are kept, so there are none to verify: " + cacheEnv + " is off"
		}
		return note, nil
	}
	dir, err := proofsDir()
	if err != nil {
		return fmt.Sprintf("proofs are not kept for later runs: %v; set %s to a folder", err,
			cacheEnv), nil
	}
	o.Cache, o.Verify, o.Cores = smt.NewCache(dir), f.cache == cacheVerify, true
	return "", nil
}

// proofsDir is the folder of the cache, empty for none.
func proofsDir() (string, error) {
	switch dir := os.Getenv(cacheEnv); dir {
	case cacheOff:
		return "", nil
	case "", cacheUse, cacheVerify: // values of the option, as any other has them in a variable
		user, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		return filepath.Join(user, "erelong", "proofs"), nil
	default:
		return dir, nil
	}
}

// stable runs the proofs once for each seed. The outcome is the outcome of the first run.
func (f *stabilityOptions) stable(
	ctx context.Context, systems []*derive.Derived, o verify.Options,
) (*verify.Outcome, *result.Stability, error) {
	var first *verify.Outcome
	var runs [][]result.Result
	for i := range f.runs {
		again := o
		again.Induct.Seed += i
		outcome, err := verify.RunAll(ctx, systems, again, func(
			*system.System,
		) ([]*system.Instance, error) {
			return nil, nil
		})
		if err != nil {
			return nil, nil, err
		}
		if first == nil {
			first = outcome
		}
		if ctx.Err() != nil || outcome.NoSolver != nil {
			return first, nil, nil
		}
		runs = append(runs, outcome.Results)
	}
	return first, result.Compare(runs), nil
}

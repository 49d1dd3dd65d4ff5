package verify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
)

// searchEnd is how a search for a proof ended, as the cache keeps it: a run on the same file with
// the same options need not search again. It is kept under the hash of all that the search depends
// on, so what it says is what the search would say. What was found is proved again, with the kept
// proofs of its obligations; that a search was in vain is believed.
type searchEnd struct {
	// Results are the results of what was proved; of a search in vain for liveness, the result
	// without a proof.
	Results []result.Result       `json:"results,omitempty"`
	Lemmas  []engine.WrittenLemma `json:"lemmas,omitempty"` // that were found
	Kept    []string              `json:"kept,omitempty"`   // invariants of the file
	Open    []string              `json:"open,omitempty"`   // claims without a proof
	Notes   []string              `json:"notes,omitempty"`
	Reason  result.Reason         `json:"reason"` // of a search in vain for invariants
}

const searchEndKind = "search"

// memory keeps the ends of the searches of a run.
type memory struct{ *run }

// works reports whether the ends of searches are kept. A run that is to ask solvers again searches
// again.
func (r memory) works() bool {
	o := &r.o
	return o.Induct.Cache != nil && o.Induct.Cache.Earlier && !o.Induct.Verify &&
		o.Elsewhere == nil && o.Of != nil
}

// key names a search by what it depends on: the program, the solvers, the system, the settings, and
// what is asked. It is empty where the end of the search is not kept.
func (r memory) key(ctx context.Context, what ...string) string {
	if !r.works() {
		return ""
	}
	program := thisProgram()
	solvers := r.o.Induct.Drivers
	if len(solvers) == 0 {
		solvers, _ = smt.Find(ctx, r.o.Induct.Solvers) // without one nothing is searched
	}
	if program == "" || len(solvers) == 0 {
		return ""
	}
	sys := *r.sys
	if len(r.o.Instances) > 0 {
		sys.Instances = r.o.Instances
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n", program, sys.String())
	for _, p := range sys.Properties { // the text has no names that come from lines
		fmt.Fprintf(h, "%q ", p.Name)
	}
	for _, d := range solvers {
		fmt.Fprintf(h, "%s %s ", d.Name(), d.Version())
	}
	o, in := &r.o, &r.o.Induct
	fmt.Fprintf(h, "%+v %d %v %v %v %v %v %q %v %d %d\n", in.Solving, in.Induction, in.Split,
		in.Lead, in.Rendering, o.Infer, o.Prove, o.Rounds, o.Observe, o.Effort, in.Wall)
	fmt.Fprintf(h, "%q\n", what)
	return hex.EncodeToString(h.Sum(nil))
}

// thisProgram tells this build from others; empty where that is unknown.
func thisProgram() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), " ", info.ModTime().UnixNano())
}

// recall gives the end of an earlier search, nil if there is none. A damaged one counts as none.
func (r memory) recall(key string) *searchEnd {
	if key == "" {
		return nil
	}
	e, err := smt.Load[searchEnd](r.o.Induct.Cache, searchEndKind, key)
	if err != nil {
		r.ledger.add(nil, err.Error()+"; it is not used")
		return nil
	}
	return e
}

// keep keeps the end of a search, unless something failed in it that need not fail again.
func (r memory) keep(ctx context.Context, key string, e *searchEnd) {
	if key == "" || ctx.Err() != nil || r.failed.Load() {
		return
	}
	if err := smt.Store(r.o.Induct.Cache, searchEndKind, key, e); err != nil {
		r.ledger.add(nil, err.Error()+"; the results of this run are as good as ever")
	}
}

// inVain reports whether a reason ends the search of every run.
func inVain(r result.Reason) bool {
	return r.Code == result.Bounded || r.Code == result.NotProved
}

// tellInVain says why there was no search.
func (r memory) tellInVain(names ...string) {
	r.ledger.addOnce(fmt.Sprintf("the search for a proof of %s was in vain in an earlier run "+
		"with the same file and options; --cache off searches again", strings.Join(names, ", ")))
}

package ranking

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/ere/strip"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// A token that goes round a ring of any length comes to everybody, in both directions, and from a
// first place other than 0. Where it skips places, nothing is proved.
func TestRing(t *testing.T) {
	const ring = `
		immutable constant first: int
		immutable constant last: int
		axiom first <= last
		type node = first..last
		mutable constant token: node
		init token = first
		fair action pass() { token := STEP; }
		liveness [comes] forall P: node. true ~> token = P
		`
	const plain = `
		immutable constant n: int
		axiom n >= 1
		type node = 0..n - 1
		mutable constant token: int
		init token = 0
		fair action pass() { token := STEP; }
		invariant [inside] 0 <= token & token < n
		liveness [comes] true ~> token = P & 0 <= P & P < n | P < 0 | n <= P
		`
	for _, c := range []struct {
		name, text, step string
		holds            bool
	}{
		{"up", ring, "if token = last then first else token + 1", true},
		{"down", ring, "if token = first then last else token - 1", true},
		{"not round", ring, "if token = last then last else token + 1", false},
		{"integers", plain, "if token = n - 1 then 0 else token + 1", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := testkit.Compile(t, strings.Replace(c.text, "STEP", c.step, 1))
			r := prove1(t, options(t), sys)
			if (r.Verdict == result.Holds) != c.holds {
				t.Errorf("%s: %s", r.Verdict, r.Reason.Text)
			}
		})
	}
}

// Where nothing is found, the reason names the action and what it changes, and the rank to fill in
// is read.
func TestWhatIsMissing(t *testing.T) {
	const text = `
		sort s
		immutable function next(s): s
		mutable constant at: s
		fair action go() { at := next(at); }
		liveness [comes] true ~> at = P
		`
	r, notes := proved(t, options(t), testkit.Compile(t, text))
	if want := "; go changes at: what is missing is a number made of it"; !strings.Contains(
		r.Reason.Text, want) {
		t.Errorf("%s: %s", r.Verdict, r.Reason.Text)
	}
	if len(notes) != 1 {
		t.Fatalf("%q", notes)
	}
	paste(t, text, notes[0])
}

// paste reads a specification with the rank of a note.
func paste(t *testing.T, text, note string) {
	t.Helper()
	_, rank, ok := strings.Cut(note, "begin with ")
	rank, _, found := strings.Cut(rank, " and write in place of 0")
	if !ok || !found {
		t.Fatal(note)
	}
	if sys, list, err := ere.Compile("rank.ere", text+"\n"+rank+"\n"); err != nil ||
		len(sys.Rankings) != 1 {
		t.Errorf("%v\n%s\n%s", list, text, note)
	}
}

// The rank to fill in is read in every specification.
func TestSkeletonIsRead(t *testing.T) {
	var texts []string
	for seed := range 400 {
		text := generated(seed)
		if !strings.Contains(text, "rank [") { // one is enough
			texts = append(texts, text)
		}
	}
	files, err := filepath.Glob(filepath.FromSlash("../../../examples/liveness/*.ere"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		stripped, err := strip.Hints(path, string(text))
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, stripped)
	}
	chosen := 0
	for _, text := range texts {
		sys := testkit.Compile(t, text)
		for _, prop := range sys.Properties {
			if prop.Kind != system.Liveness {
				continue
			}
			s := newSearch(newProblem(sys, prop, nil, nil), prop)
			for _, root := range s.roots[:min(len(s.roots), 3)] {
				note := s.skeleton(root)
				paste(t, text, note)
				if strings.Contains(note, " choose ") {
					chosen++
				}
			}
		}
	}
	if chosen == 0 {
		t.Error("no rank chooses a value")
	}
}

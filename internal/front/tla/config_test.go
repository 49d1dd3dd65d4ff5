package tla

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestConfigurations reads wrong configurations of a small module.
func TestConfigurations(t *testing.T) {
	for config, want := range map[string]string{
		"INVARIANT Step":       "an INVARIANT is about one state",
		"INVARIANT Run":        "an INVARIANT is about one state",
		"VIEW Step":            "a VIEW is a value of one state",
		"CONSTRAINT Step":      "a CONSTRAINT is about one state",
		"SYMMETRY Value":       "a SYMMETRY is a constant set of permutations",
		"INVARIANT Nowhere":    "unknown operator 'Nowhere'",
		"PROPERTY Step":        "only as [A]_v or <<A>>_v",
		"CONSTANT x <- Value":  "no constant or definition 'x'",
		"SPECIFICATION Value":  "has no part [][Next]_vars",
		"PROPERTY Run":         "",
		"CONSTANT C <- [M] Up": "",
		"CONSTANT p = p":       "",
		"CONSTANT p = q":       "no constant or definition 'p'",
	} {
		_, list, err := Read(t.Context(), "M.tla", `---- MODULE M ----
EXTENDS Naturals
VARIABLE x
Spec == x = 0 /\ [][x < 3 /\ x' = x + 1]_x
Step == x' > x
Run == []<>(x = 3)
Value == x + 1
Holds == x < 4
Up == 1
====
`, func(path string) ([]byte, error) {
			if path != "M.cfg" {
				return nil, os.ErrNotExist
			}
			if strings.HasPrefix(config, "SPEC") {
				return []byte(config), nil
			}
			return []byte("SPECIFICATION Spec\n" + config), nil
		})
		text := list.Error()
		if (err != nil) != (want != "" && !strings.Contains(config, "CONSTANT")) ||
			!strings.Contains(text, want) || want == "" && text != "" {
			t.Errorf("%s: %v %s, not %s", config, err, text, want)
		}
	}
	_, err := read(t, "-- A.tla --\n---- MODULE A ----\nEXTENDS B\n====\n-- B.tla --\n"+
		"---- MODULE B ----\nEXTENDS A\n====\n")
	if err == nil || !strings.Contains(err.Error(), "extends itself") {
		t.Error(err)
	}
}

// FuzzRead reads a module and a configuration, and takes some steps. Nothing may panic.
func FuzzRead(f *testing.F) {
	for i := range models {
		a := txtar.Parse([]byte(archiveOf(i)))
		f.Add(string(a.Files[0].Data), string(a.Files[1].Data))
	}
	f.Fuzz(func(t *testing.T, module, config string) {
		spec, _, err := Read(t.Context(), "M.tla", module, func(path string) ([]byte, error) {
			if path == "M.cfg" {
				return []byte(config), nil
			}
			return nil, os.ErrNotExist
		})
		if err != nil {
			return
		}
		errEnough := errors.New("enough")
		c, found := spec.System.Computed.Computer(t.Context()), 0
		_ = c.Initial(t.Context(), func(state []int64) error {
			from := slices.Clone(state)
			_ = c.Steps(t.Context(), from, func(int, []int64, []int64) error {
				if found++; found > 20 {
					return errEnough
				}
				return nil
			})
			if found++; found > 20 {
				return errEnough
			}
			return nil
		})
	})
}

// A definition without parameters has bound places of its own: a step that is remembered depends on
// all that the definition reads.
func TestRememberedDefinition(t *testing.T) {
	spec, err := read(t, `-- Share.tla --
---- MODULE Share ----
CONSTANTS Client, Thing
VARIABLES wants, has
Free == Thing \ UNION {has[c] : c \in Client}
Init == wants = [c \in Client |-> {}] /\ has = [c \in Client |-> {}]
Ask(c, S) == wants[c] = {} /\ has[c] = {} /\ S # {} /\ wants' = [wants EXCEPT ![c] = S]
             /\ UNCHANGED has
Take(c, S) == S # {} /\ S \subseteq Free \cap wants[c] /\ has' = [has EXCEPT ![c] = @ \cup S]
              /\ wants' = [wants EXCEPT ![c] = @ \ S]
Next == \E c \in Client, S \in SUBSET Thing : Ask(c, S) \/ Take(c, S)
Alone == \A c, d \in Client : c # d => has[c] \cap has[d] = {}
====
-- Share.cfg --
CONSTANTS Client = {c1, c2}
          Thing = {t1, t2}
INIT Init
NEXT Next
INVARIANT Alone
`)
	if err != nil {
		t.Fatal(err)
	}
	c := spec.System.Computed
	want, err := explore(t, spec.System, c.Plain())
	if err != nil {
		t.Fatal(err)
	}
	got, err := explore(t, spec.System, c.Computer(t.Context()))
	if err != nil || got != want || want.distinct != 64 || want.violated != "" {
		t.Errorf("%+v, remembered %+v, %v", want, got, err)
	}
}

package explicit

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/testkit"
)

// An instance with a table of a relation has the initial states of the instance without it in which
// the relation equals the table, and all searches agree about it. The instance is written as text,
// as a user writes it.
func TestTablesOfInstances(t *testing.T) {
	tried := int64(0)
	for seed := int64(0); tried < testkit.Size(10, 60); seed++ {
		rng := rand.New(rand.NewSource(seed))
		sys, err := systemtest.Generate(rng, systemtest.Options{Bits: 8})
		if err != nil {
			t.Fatal(err)
		}
		edge := slices.IndexFunc(sys.Symbols, func(s *logic.Symbol) bool {
			return s.Name == "edge"
		})
		if edge < 0 {
			continue
		}
		tried++
		text, table := withTable(rng, sys, sys.Symbols[edge])
		all, err := ere.Instances(sys, text)
		if err != nil || len(all) != 1 {
			t.Fatalf("%s: %d instances, %v", text, len(all), err)
		}
		if got, want := initials(t, sys, all[0], nil),
			initials(t, sys, sys.Instances[0], table); !slices.Equal(got, want) {
			t.Fatalf("%s has the initial states\n%s\ninstead of\n%s\n%s", text, got, want, sys)
		}
		agree(t, sys, all[0], Options{}, threads(2), compiled(2))
	}
}

// withTable describes the instance of a system with a table of a relation, which it also lists
// point by point.
func withTable(
	rng *rand.Rand, sys *system.System, rel *logic.Symbol,
) (text string, table map[string]bool) {
	inst := sys.Instances[0]
	var items, points []string
	for s, n := range inst.Sizes {
		items = append(items, fmt.Sprintf("%s = %d", s.Name, n))
	}
	for s, v := range inst.Values {
		items = append(items, fmt.Sprintf("%s = %s", s.Name, v))
	}
	table = map[string]bool{}
	for i := range inst.Sizes[rel.Args[0]] {
		for j := range inst.Sizes[rel.Args[1]] {
			if i == j || rng.Intn(2) == 0 { // an axiom of the generator may require the diagonal
				points = append(points,
					fmt.Sprintf("(%s, %s)", logic.MemberName(rel.Args[0], i),
						logic.MemberName(rel.Args[1], j)))
				table[points[len(points)-1]] = true
			}
		}
	}
	items = append(items, fmt.Sprintf("%s = {%s}", rel.Name, strings.Join(points, ", ")))
	return strings.Join(items, ", "), table
}

// initials prints the initial states in which edge equals the table, if there is one.
func initials(
	t *testing.T, sys *system.System, inst *system.Instance, table map[string]bool,
) (out []string) {
	t.Helper()
	m, err := interp.NewModel(sys, inst)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Initial(t.Context(), func(s interp.State) error {
		printed := fmt.Sprint(m.Bindings(s, false), m.Bindings(s, true))
		for _, b := range m.Bindings(s, false) {
			if b.Name != "edge" || table == nil {
				continue
			}
			points := 0
			for p := range table {
				if strings.Contains(b.Value.String(), p) {
					points++
				}
			}
			if points != len(table) || strings.Count(b.Value.String(), "(") != points {
				return nil
			}
		}
		out = append(out, printed)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

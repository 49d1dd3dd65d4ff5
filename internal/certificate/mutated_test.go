package certificate

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"math/rand"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/testkit"
)

// counter has a true property and a false one, with and without an auxiliary invariant.
const counter = `
mutable constant n: 0..3
mutable relation odd
trusted invariant [calm] n <= 3
init n = 0 & !odd
action up() { require n < 3; n := n + 1; odd := !odd; }
safety [small] n <= 3
safety [never] n < 2
invariant [even] n = 0 -> !odd
theorem [valid] odd | !odd
`

// written makes a certificate of counter without the false property.
func written(t *testing.T) []byte {
	t.Helper()
	c, _ := prove(t, compile(t, counter))
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(c); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// accepted reads a certificate and compares it with its text, without solvers. It gives the claims
// and the obligations for solvers; false if the certificate is refused.
func accepted(text []byte) (claims []string, obligations map[identity]string, ok bool) {
	c, err := Read(bytes.NewReader(text))
	if err != nil {
		return nil, nil, false
	}
	_, plans, err := c.plans(context.Background())
	if err != nil {
		return nil, nil, false
	}
	obligations = map[identity]string{}
	for _, p := range plans {
		claims = append(claims, names(p.claimed)...)
		for _, q := range p.questions {
			obligations[q.identity()] = q.goal.String()
		}
	}
	return claims, obligations, true
}

// A certificate with one byte changed, inserted or removed is refused, or its meaning is the same:
// the same text, claims and obligations. The named solvers may differ.
func TestMutatedBytes(t *testing.T) {
	good := written(t)
	claims, obligations, ok := accepted(good)
	if !ok || slices.Contains(claims, "never") {
		t.Fatalf("accepted %t, claims %v", ok, claims)
	}
	masks, stride := []byte{1, 0x20}, int(testkit.Size(7, 3))
	if testkit.Long() {
		masks, stride = nil, 1
		for m := range 255 {
			masks = append(masks, byte(m+1))
		}
	}
	refused, same := 0, 0
	try := func(at int, bad []byte) {
		c, o, ok := accepted(bad)
		if !ok {
			refused++
			return
		}
		same++
		if !slices.Equal(c, claims) || !equal(o, obligations) {
			t.Errorf("byte %d of %q: claims %v, obligations %v", at,
				bad[max(at-20, 0):min(at+20, len(bad))], c, o)
		}
	}
	for i := 0; i < len(good); i += stride {
		try(i, slices.Delete(bytes.Clone(good), i, i+1))
		try(i, slices.Insert(bytes.Clone(good), i, good[i]))
		for _, m := range masks {
			bad := bytes.Clone(good)
			bad[i] ^= m
			try(i, bad)
		}
	}
	if refused == 0 || same == 0 {
		t.Errorf("refused %d, the same %d", refused, same)
	}
	t.Logf("%d bytes: %d refused, %d say the same", len(good), refused, same)
}

func equal(a, b map[identity]string) bool {
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return len(a) == len(b)
}

// A certificate with a forged structure and a matching sum never makes recheck accept a false
// property.
func TestMutatedStructure(t *testing.T) {
	drivers := testkit.Solvers(t)
	sys := compile(t, counter)
	good := written(t)
	var pool []Formula
	for _, p := range sys.Properties {
		pool = append(pool, formula(p))
	}
	rounds := testkit.Size(30, 60)
	if testkit.Long() {
		rounds = 5_000
	}
	seen := map[string]int{}
	for seed := range rounds {
		r := rand.New(rand.NewSource(seed))
		c, err := Read(bytes.NewReader(good))
		if err != nil {
			t.Fatal(err)
		}
		// Most changes are refused, so some start from a hand-made claim of everything, which is
		// well-formed.
		if r.Intn(2) == 0 {
			some := slices.DeleteFunc([]string{"small", "never", "even"}, func(string) bool {
				return r.Intn(3) == 0
			})
			if len(some) > 0 {
				c = claim(t, sys, some[:1+r.Intn(len(some))], some)
			}
		}
		for range r.Intn(3) {
			forgeStructure(r, c, pool)
		}
		ctx, cancel := context.WithCancel(t.Context())
		out, err := c.Recheck(ctx, Options{Drivers: drivers[:1], Rlimit: rlimit, Jobs: 1})
		cancel()
		if err != nil {
			seen["refused"]++
			continue
		}
		for _, x := range out.Results {
			seen[string(x.Verdict)]++
			if x.Property == "never" && x.Verdict == "holds" {
				t.Fatalf("seed %d: what is false was accepted", seed)
			}
		}
	}
	if seen["refused"] == 0 || seen["holds"] == 0 || seen["not inductive"] == 0 {
		t.Errorf("seen %v", seen)
	}
	t.Logf("%d rounds: %v", rounds, seen)
}

// TestMutatedTree changes the JSON of certificates as a tree: values are dropped, repeated,
// swapped, replaced by others of the certificate, and altered. No change makes recheck accept a
// false property.
func TestMutatedTree(t *testing.T) {
	drivers := testkit.Solvers(t)
	sys := compile(t, counter)
	good := written(t)
	rounds := testkit.Size(50, 100)
	if testkit.Long() {
		rounds = 5_000
	}
	seen := map[string]int{}
	for seed := range rounds {
		m := &treeMutation{Rand: rand.New(rand.NewSource(seed))}
		text := good
		if m.Intn(2) == 0 { // a well-formed claim of what is false
			var err error
			if text, err = json.Marshal(claim(t, sys,
				[]string{"small", "never", "even"}[:1+m.Intn(3)],
				[]string{"small", "never", "even"})); err != nil {
				t.Fatal(err)
			}
		}
		var tree any
		if err := json.Unmarshal(text, &tree); err != nil {
			t.Fatal(err)
		}
		m.collect(tree)
		for range 1 + m.Intn(3) {
			m.left = m.Intn(len(m.values))
			tree = m.change(tree)
		}
		bad, err := json.Marshal(tree)
		if err != nil {
			t.Fatal(err)
		}
		c, err := Read(bytes.NewReader(bad))
		if err != nil {
			seen["unreadable"]++
			continue
		}
		out, err := c.Recheck(t.Context(), Options{Drivers: drivers[:1], Rlimit: rlimit, Jobs: 1})
		if err != nil {
			seen["refused"]++
			continue
		}
		for _, x := range out.Results {
			seen[string(x.Verdict)]++
			if x.Verdict == "holds" &&
				(x.Property == "never" || out.System.Source.Text != sys.Source.Text) {
				t.Fatalf("seed %d: what is false was accepted: %s\n%s", seed, x.Property, bad)
			}
		}
	}
	t.Logf("%d rounds: %v", rounds, seen)
	for _, kind := range []string{"unreadable", "refused", "holds", "not inductive"} {
		if seen[kind] == 0 {
			t.Errorf("none is %s: %v", kind, seen)
		}
	}
}

// treeMutation changes one value of a JSON tree.
type treeMutation struct {
	*rand.Rand
	values []any // all values of the tree
	left   int   // values to pass before the change
}

func (m *treeMutation) collect(tree any) {
	m.values = append(m.values, tree)
	switch tree := tree.(type) {
	case []any:
		for _, x := range tree {
			m.collect(x)
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(tree)) {
			m.collect(tree[k])
		}
	}
}

func (m *treeMutation) change(tree any) any {
	if m.left--; m.left == -1 {
		return m.changed(tree)
	}
	switch tree := tree.(type) {
	case []any:
		out := slices.Clone(tree)
		for i, x := range tree {
			out[i] = m.change(x)
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for _, k := range slices.Sorted(maps.Keys(tree)) {
			out[k] = m.change(tree[k])
		}
		return out
	}
	return tree
}

func (m *treeMutation) changed(tree any) any {
	if m.Intn(4) == 0 {
		return m.values[m.Intn(len(m.values))]
	}
	switch tree := tree.(type) {
	case []any:
		if len(tree) == 0 {
			return append(tree, m.values[m.Intn(len(m.values))])
		}
		i, j := m.Intn(len(tree)), m.Intn(len(tree))
		out := slices.Clone(tree)
		switch m.Intn(3) {
		case 0:
			return slices.Delete(out, i, i+1)
		case 1:
			return slices.Insert(out, j, tree[i])
		}
		out[i], out[j] = out[j], out[i]
		return out
	case map[string]any:
		out := maps.Clone(tree)
		keys := slices.Sorted(maps.Keys(tree))
		i, j := keys[m.Intn(len(keys))], keys[m.Intn(len(keys))]
		switch m.Intn(3) {
		case 0:
			delete(out, i)
		case 1:
			out[i+"2"] = tree[i]
		default:
			out[i], out[j] = tree[j], tree[i]
		}
		return out
	case string:
		if tree == "" || m.Intn(3) == 0 {
			return tree + "x"
		}
		i := m.Intn(len(tree))
		return tree[:i] + tree[i+1:]
	case float64:
		return tree + float64(m.Intn(5)-2)
	case bool:
		return !tree
	}
	return nil
}

// forgeStructure makes one random change.
func forgeStructure(r *rand.Rand, c *Certificate, pool []Formula) {
	p := &c.Proofs[r.Intn(len(c.Proofs))]
	list := []*[]Formula{&p.Properties, &p.Invariant, &p.Trusted}[r.Intn(3)]
	f := pool[r.Intn(len(pool))]
	switch r.Intn(9) {
	case 0:
		*list = append(*list, f)
	case 1:
		if len(*list) > 0 {
			*list = slices.Delete(*list, 0, 1)
		}
	case 2:
		if len(*list) > 0 {
			(*list)[r.Intn(len(*list))] = f
		}
	case 3:
		if n := len(p.Obligations); n > 0 {
			i := r.Intn(n)
			p.Obligations = slices.Delete(p.Obligations, i, i+1)
		}
	case 4:
		if n := len(p.Obligations); n > 0 {
			o := &p.Obligations[r.Intn(n)]
			o.Property, o.Formula = f.Name, f.Formula
		}
	case 5:
		p.Induction = r.Intn(3)
	case 6:
		c.Proofs = append(c.Proofs, c.Proofs[r.Intn(len(c.Proofs))])
	case 7:
		p.Reductions = append(p.Reductions, Reduction{"none", "none"})
	case 8:
		c.Specification.Text += "safety [extra] n = 0\n"
		c.Specification.SHA256 = hash(c.Specification.Text)
	}
}

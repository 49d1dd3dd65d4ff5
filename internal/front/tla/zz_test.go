package tla

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/tla/eval"
	"erelong.dev/erelong/internal/value"
)

func load(t *testing.T, module, cfg string) (*eval.Program, error) {
	read := func(p string) *diag.Source {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		return diag.NewSource(p, string(b))
	}
	errs := &diag.List{}
	p := compileModel(read(module), read(cfg), os.ReadFile, errs)
	return p, errs.Err()
}

type counts struct {
	init, total, distinct int
	violated              string
	err                   error
}

func count(p *eval.Program, limit time.Duration) (c counts) {
	deadline := time.Now().Add(limit)
	m := p.Machine()
	n := len(p.Model.Variables)
	seen := map[string]bool{}
	var queue [][]*value.Value
	take := func(after []*value.Value) error {
		vs := make([]*value.Value, n)
		var key strings.Builder
		for i, v := range after {
			vs[i] = p.Space.Intern(v)
			id, _ := vs[i].ID()
			fmt.Fprintf(&key, "%d,", id)
		}
		c.total++
		if seen[key.String()] {
			return nil
		}
		in := true
		mm := c2(p)
		for _, t := range p.Constraints {
			ok, err := mm.Holds(t, vs, nil)
			if err != nil {
				return err
			}
			in = in && ok
		}
		for i, t := range p.Invariants {
			ok, err := mm.Holds(t, vs, nil)
			if err != nil {
				return err
			}
			if !ok && c.violated == "" {
				c.violated = p.Model.Invariants[i].Name
			}
		}
		if !in {
			return nil
		}
		seen[key.String()] = true
		queue = append(queue, vs)
		return nil
	}
	var fail error
	yield := func() bool {
		fail = take(m.After())
		return fail != nil || c.violated != "" || time.Now().After(deadline)
	}
	c.err = m.Initial(yield)
	c.init = len(queue)
	for len(queue) > 0 && c.err == nil && fail == nil && c.violated == "" {
		s := queue[0]
		queue = queue[1:]
		before := c.total
		for i := range p.Model.Actions {
			if c.err = m.Steps(i, s, yield); c.err != nil {
				break
			}
		}
		if c.total == before && p.Model.Deadlock && c.violated == "" && c.err == nil {
			c.violated = "deadlock"
		}
		if time.Now().After(deadline) {
			c.err = fmt.Errorf("timeout")
		}
	}
	if fail != nil {
		c.err = fail
	}
	c.distinct = len(seen)
	return c
}

var other *eval.Machine
var otherOf *eval.Program

func c2(p *eval.Program) *eval.Machine {
	if otherOf != p {
		other, otherOf = p.Machine(), p
	}
	return other
}

func TestCorpus(t *testing.T) {
	text, _ := os.ReadFile("/work/shared/golden/tla/tla-examples.json")
	var models []struct {
		Module, Cfg   string
		Distinct      int     `json:"measured_distinct"`
		Total         int     `json:"measured_total"`
		CPU           float64 `json:"cpu_s"`
		Result        string  `json:"expected_result"`
	}
	if err := json.Unmarshal(text, &models); err != nil {
		t.Fatal(err)
	}
	root := "/tmp/tla/Examples/specifications/"
	good, all := 0, 0
	var cpu, theirs float64
	for _, x := range models {
		if o := os.Getenv("ONLY"); o != "" && !strings.Contains(x.Cfg, o) || strings.HasPrefix(o, "-") && false {
			continue
		}
		all++
		func() {
			defer func() {
				if r := recover(); r != nil {
					fmt.Printf("PANIC %s: %v\n", x.Cfg, r)
					if os.Getenv("ONLY") != "" {
						panic(r)
					}
				}
			}()
			begin := time.Now()
			p, err := load(t, filepath.Join(root, x.Module), filepath.Join(root, x.Cfg))
			if err != nil {
				fmt.Printf("LOAD %s: %s\n", x.Cfg, strings.SplitN(err.Error(), "\n", 4)[0:1])
				if os.Getenv("ONLY") != "" {
					fmt.Println(err)
				}
				return
			}
			c := count(p, 8*time.Second)
			spent := time.Since(begin).Seconds()
			switch {
			case c.err != nil:
				where := ""
				if e, ok := c.err.(*eval.Error); ok {
					where = e.Span.String()
				}
				fmt.Printf("ERR %s: %s %v (%d of %d) %.1fs theirs %.1f\n", x.Cfg, where, c.err, c.distinct, x.Distinct, spent, x.CPU)
			case x.Result == "success" && (c.distinct != x.Distinct || c.total != x.Total || c.violated != ""):
				fmt.Printf("DIFF %s: %d %d, not %d %d %s\n", x.Cfg, c.distinct, c.total, x.Distinct, x.Total, c.violated)
			case x.Result != "success" && c.violated == "":
				fmt.Printf("NOFAIL %s: %s (%d)\n", x.Cfg, x.Result, c.distinct)
			default:
				good++
				cpu += spent
				theirs += x.CPU
				if spent > 2 || os.Getenv("ONLY") != "" {
					fmt.Printf("ok %s %.1fs theirs %.1f %d %s\n", x.Cfg, spent, x.CPU, c.distinct, c.violated)
				}
			}
		}()
	}
	fmt.Println(good, "of", all, cpu, theirs)
}

package cli

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"erelong.dev/erelong/internal/effort"
)

// explained is a context under which searches are written down, if the user asks for it, and shows
// them at the end.
func (o *effortOptions) explained(
	ctx context.Context, s *streams, elsewhere bool,
) (context.Context, func(), error) {
	if o == nil || !o.explain {
		return ctx, func() {}, nil
	}
	if elsewhere {
		return ctx, nil, usage("--explain-search shows searches of this process, and --workers " +
			"has them done by others: leave one of them out")
	}
	ctx, whole := effort.Explained(ctx)
	return ctx, func() { showSearch(s, whole) }, nil
}

// showSearch prints a tree of strategies, with the share that each has of the work of the whole.
func showSearch(s *streams, whole *effort.Strategy) {
	if len(whole.Parts) == 0 {
		fmt.Fprintln(s.err, "\nno search for a proof was made; --cache=off repeats one of an "+
			"earlier run")
		return
	}
	fmt.Fprintln(s.err, "\nwork in million units of z3's resources, and its share")
	w := tabwriter.NewWriter(s.err, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "times\twork\tshare\ttime\t  search\n")
	var show func(x *effort.Strategy, depth int)
	show = func(x *effort.Strategy, depth int) {
		share := 0.0
		if whole.Units > 0 {
			share = 100 * float64(x.Units) / float64(whole.Units)
		}
		fmt.Fprintf(w, "%d\t%.1f\t%.0f %%\t%s\t  %s%s\n", x.Times,
			float64(x.Units)/effort.Million, share, x.Elapsed.Round(time.Millisecond),
			strings.Repeat("  ", depth), x.Name)
		for _, p := range x.Parts {
			show(p, depth+1)
		}
	}
	for _, p := range whole.Parts {
		show(p, 0)
	}
	_ = w.Flush()
}

package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"erelong.dev/erelong/internal/serve"
	"erelong.dev/erelong/internal/verify"
)

// page is the handler of serve.
type page struct {
	Serve *serveOptions
	Solve *solveOptions
	Cache *cacheOptions
}

// solving has runs use the solvers as the options say.
func solving(solve *solveOptions, cache *cacheOptions) (
	configure func(*verify.Options), note string, err error,
) {
	plain, err := solve.options()
	if err != nil {
		return nil, "", err
	}
	kept := plain
	note, err = cache.apply(&kept, false)
	return func(o *verify.Options) {
		o.Induct.Options, o.Bmc.Options = kept, plain
	}, note, err
}

// serveOptions are the options of serve alone.
type serveOptions struct{ port int }

func (o *serveOptions) flags(fl *pflag.FlagSet) {
	fl.IntVar(&o.port, "port", 0, "the port on this machine (0: a free one)")
}

func serveCommand(s *streams) *cobra.Command {
	w := &page{&serveOptions{}, &solveOptions{}, &cacheOptions{}}
	return attach(&cobra.Command{
		Use:   "serve FILE",
		Short: "Show a specification in the browser: verdicts, engines, states, charts",
		Long: `serve prints the address of a page on this machine. The page shows the file with its verdicts, runs the engines with their
progress, and steps through runs: values as a tree with what changed, the steps to choose from, an expression in every
state, and why a formula is false. Only this machine can reach it, and only who knows the address. See erelong help browser.
Ctrl-C ends it.`,
		Args: oneFile,
	}, s, map[kind]handler{specifications: w, models: w})
}

func (w *page) run(ctx context.Context, s *streams, args []string) error {
	if w.Serve.port < 0 || w.Serve.port > 65535 {
		return usage("--port is a number from 0 to 65535")
	}
	configure, note, err := solving(w.Solve, w.Cache)
	if err != nil {
		return err
	}
	if note != "" {
		fmt.Fprintln(s.err, note)
	}
	server, err := serve.New(args[0],
		serve.Options{Port: w.Serve.port, Version: Version(), Configure: configure})
	if err != nil {
		return &exitError{ExitFile, err}
	}
	if _, err := fmt.Fprintf(s.out, "%s\n", server.Address()); err != nil {
		return fmt.Errorf("printing the address: %w", err)
	}
	return server.Serve(ctx)
}

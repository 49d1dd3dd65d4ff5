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
	Cache *cacheOptions
}

// serveOptions are the options of serve alone.
type serveOptions struct{ port int }

func (o *serveOptions) flags(fl *pflag.FlagSet) {
	fl.IntVar(&o.port, "port", 0, "the port on this machine (0: a free one)")
}

func serveCommand(s *streams) *cobra.Command {
	w := &page{&serveOptions{}, &cacheOptions{}}
	return attach(&cobra.Command{
		Use:   "serve FILE",
		Short: "Show a specification in the browser: verdicts, engines, states, charts",
		Long: `serve prints the address of a page on this machine. The page shows the file with its verdicts, runs the engines with their
progress, and steps through runs: values as a tree with what changed, the steps to choose from, an expression in every
state, and why a formula is false. Only this machine can reach it, and only who knows the address. See docs/browser.md.
Ctrl-C ends it.`,
		Args: oneFile,
	}, s, map[kind]handler{specifications: w, models: w})
}

func (w *page) run(ctx context.Context, s *streams, args []string) error {
	if w.Serve.port < 0 || w.Serve.port > 65535 {
		return usage("--port is a number from 0 to 65535")
	}
	prepared := verify.Default()
	note, err := w.Cache.apply(&prepared.Induct.Options, false)
	if err != nil {
		return err
	}
	if note != "" {
		fmt.Fprintln(s.err, note)
	}
	server, err := serve.New(args[0],
		serve.Options{Port: w.Serve.port, Version: Version(), Configure: func(o *verify.Options) {
			o.Induct = prepared.Induct
		}})
	if err != nil {
		return &exitError{ExitFile, err}
	}
	if _, err := fmt.Fprintf(s.out, "%s\n", server.Address()); err != nil {
		return fmt.Errorf("printing the address: %w", err)
	}
	return server.Serve(ctx)
}

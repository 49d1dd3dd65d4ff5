package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"erelong.dev/erelong/internal/lsp"
	"erelong.dev/erelong/internal/serve"
	"erelong.dev/erelong/internal/verify"
)

func lspCommand(s *streams) *cobra.Command {
	solve, cache := &solveOptions{}, &cacheOptions{}
	cmd := &cobra.Command{
		Use:   "lsp",
		Short: "Serve an editor, by the Language Server Protocol",
		Long: `lsp serves an editor on the standard input and output, by the Language Server Protocol: errors while you type, what a name
stands for, completion, renaming, layout, and verification with its outcome beside each property. erelong help editors is for
VS Code, Neovim, Helix and Emacs.`,
		Args: noFile,
		RunE: func(cmd *cobra.Command, _ []string) error {
			configure, note, err := solving(solve, cache)
			if err != nil {
				return err
			}
			if note != "" {
				fmt.Fprintln(s.err, note)
			}
			options := verify.Default()
			configure(&options)
			shown := &pages{ctx: cmd.Context(), servers: map[string]*serve.Server{},
				configure: configure}
			err = lsp.Serve(cmd.Context(), stdio{s.in, s.out}, lsp.Options{Version: Version(),
				Proofs: options.Induct.Options, Log: s.err, Explore: shown.explore})
			if errors.Is(err, lsp.ErrNoShutdown) {
				return &exitError{code: ExitInternal} // as the protocol asks for
			}
			return err
		},
	}
	bind(cmd.Flags(), solve)
	bind(cmd.Flags(), cache)
	cmd.Flags().Bool("stdio", true,
		"serve the standard streams, which is the only way; editors give this option")
	return cmd
}

// stdio is the standard input and output as one stream.
type stdio struct {
	io.Reader
	io.Writer
}

// Close closes what can be closed, so that nothing waits for input any more.
func (s stdio) Close() error {
	if c, ok := s.Reader.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

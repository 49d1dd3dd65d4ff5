package cli

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/lsp"
	"erelong.dev/erelong/internal/serve"
	"erelong.dev/erelong/internal/verify"
)

func lspCommand(s *streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lsp",
		Short: "Serve an editor, by the Language Server Protocol",
		Long: `lsp serves an editor on the standard input and output, by the Language Server Protocol: errors while you type, what a name
stands for, completion, renaming, layout, and verification with its outcome beside each property. See docs/editors.md for
VS Code, Neovim, Helix and Emacs.`,
		Args: noFile,
		RunE: func(cmd *cobra.Command, _ []string) error {
			solve := solveOptions{Solving: discharge.Solving{Rlimit: discharge.DefaultRlimit}}
			proofs, err := solve.options()
			if err != nil {
				return err
			}
			if _, err := (&cacheOptions{cache: cacheUse}).apply(&proofs, false); err != nil {
				return err
			}
			shown := &pages{ctx: cmd.Context(), servers: map[string]*serve.Server{},
				configure: func(o *verify.Options) { o.Induct.Options = proofs }}
			err = lsp.Serve(cmd.Context(), stdio{s.in, s.out}, lsp.Options{Version: Version(),
				Proofs: proofs, Log: s.err, Explore: shown.explore})
			if errors.Is(err, lsp.ErrNoShutdown) {
				return &exitError{code: ExitInternal} // as the protocol asks for
			}
			return err
		},
	}
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

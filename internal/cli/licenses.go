package cli

import (
	_ "embed"
	"fmt"

	"github.com/spf13/cobra"

	"erelong.dev/erelong/internal/smt/wasmz3"
)

// licences are the licences of Go and of the linked modules; tools/licences writes the file.
//
//go:embed licences.txt
var licences string

func licensesCommand(s *streams) *cobra.Command {
	return &cobra.Command{
		Use: "licenses", Short: "Print the licences of what is part of this program", Args: noFile,
		RunE: func(*cobra.Command, []string) error {
			text := licences
			if wasmz3.Licence != "" {
				text += fmt.Sprintf("==== z3 (npm package z3-solver %s) ====\n\n%s\n",
					wasmz3.Version, wasmz3.Licence)
			}
			_, err := fmt.Fprint(s.out, text)
			return err
		},
	}
}

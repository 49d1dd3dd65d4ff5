package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"erelong.dev/erelong/internal/diag"
)

func explainCommand(s *streams) *cobra.Command {
	return &cobra.Command{
		Use:               "explain [CODE]",
		Short:             "Explain an error code; without one, list them all",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeCodes,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				for _, e := range diag.Catalogue() {
					fmt.Fprintf(s.out, "%s  %s\n", e.Code, e.Title)
				}
				return nil
			}
			e, ok := diag.Explain(diag.Code(strings.ToUpper(args[0])))
			if !ok {
				return usage("there is no error code %q; 'erelong explain' lists them", args[0])
			}
			fmt.Fprintf(s.out, "%s: %s\n%s\n", e.Code, e.Title, e.Text)
			if example := printable(e.Example); example != "" {
				fmt.Fprintf(s.out, "\nThis specification has the error:\n\n%s\n", example)
			}
			return nil
		},
	}
}

// printable indents an example; an example that a terminal should not get is left out.
func printable(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.ContainsFunc(l, func(r rune) bool { return r < ' ' }) || len(l) > 200 {
			return ""
		}
		lines[i] = "    " + l
	}
	return strings.Join(lines, "\n")
}

package cli

import (
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

//go:embed completion.bash
var withoutPackage string

// BashCompletion writes the script by which bash completes. The script of cobra calls two functions
// of the package bash-completion; in this one functions of its own stand in where they are missing.
func BashCompletion(root *cobra.Command, w io.Writer, descriptions bool) error {
	var script strings.Builder
	if err := root.GenBashCompletionV2(&script, descriptions); err != nil {
		return fmt.Errorf("writing a script for bash: %w", err)
	}
	own := strings.NewReplacer(`_get_comp_words_by_ref "$@" cur prev words cword`,
		`__erelong_words "$@"`, "_filedir", "__erelong_files")
	if _, err := io.WriteString(w, withoutPackage+own.Replace(script.String())); err != nil {
		return fmt.Errorf("writing a script for bash: %w", err)
	}
	return nil
}

// completionCommand adds the command that prints the scripts of shells.
func completionCommand(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	bash, _, err := root.Find([]string{"completion", "bash"})
	if err != nil {
		return
	}
	bash.Long = `Print the script by which bash completes commands, options, files, properties, instances and error codes. The package
bash-completion is not needed.

In this shell:

	source <(erelong completion bash)

In each new shell: the same line in ~/.bashrc, or, with the package bash-completion,

	erelong completion bash > /etc/bash_completion.d/erelong`
	bash.RunE = func(cmd *cobra.Command, _ []string) error {
		plain, err := cmd.Flags().GetBool("no-descriptions")
		if err != nil {
			return fmt.Errorf("completion: %w", err)
		}
		return BashCompletion(root, cmd.OutOrStdout(), !plain)
	}
}

package main

import (
	"bytes"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/internal/process"
)

func newManCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Hidden: true,
		Short:  "Write the manual pages into a folder",
		Long: `Write a manual page for each command into a folder, for packagers. The date is
SOURCE_DATE_EPOCH if that is set.`,
		Example: `  pakdb man /usr/local/share/man/man1`,
		Args:    cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			header := &doc.GenManHeader{Source: "pakdb " + process.Version().Version, Manual: "pakdb"}
			if date, err := cli.SourceDateEpoch(); err != nil {
				return err
			} else if !date.IsZero() {
				header.Date = &date
			}
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return err
			}
			verbatim(cmd.Root())
			return doc.GenManTree(cmd.Root(), header, args[0])
		},
	}
}

// verbatim fences the help of every command, whose lists and columns cobra's generator
// would join as paragraphs of Markdown.
func verbatim(cmd *cobra.Command) {
	cmd.DisableAutoGenTag = true
	if cmd.Long != "" {
		cmd.Long = "```\n" + cmd.Long + "\n```"
	}
	if cmd.IsAdditionalHelpTopicCommand() { // else there is no page of it
		cmd.Run = func(*cobra.Command, []string) {}
	}
	for _, sub := range cmd.Commands() {
		verbatim(sub)
	}
}

// bashNeeds checks for the one package that the completion of bash requires.
const bashNeeds = `    if ! declare -F _get_comp_words_by_ref >/dev/null; then
        printf '\npakdb: completion needs the package bash-completion\n' >&2
        return 1
    fi
`

// explainBash makes the script for bash name a missing package; cobra's script fails
// with the name of a function.
func explainBash(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	bash, _, err := root.Find([]string{"completion", "bash"})
	if err != nil || bash.Name() != "bash" {
		return
	}
	bash.RunE = func(cmd *cobra.Command, _ []string) error {
		short, _ := cmd.Flags().GetBool("no-descriptions")
		var script bytes.Buffer
		if err := root.GenBashCompletionV2(&script, !short); err != nil {
			return err
		}
		const call = "    _get_comp_words_by_ref "
		_, err := io.WriteString(cmd.OutOrStdout(), strings.Replace(script.String(), call, bashNeeds+call, 1))
		return err
	}
}

// Package manual writes the manual pages of a command, and its completion for bash.
package manual

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pakdb/internal/version"
)

// Write writes the page of a command into dir, and those of its subcommands. date is
// the one that the pages bear.
func Write(cmd *cobra.Command, dir string, date time.Time) error {
	for _, sub := range cmd.Commands() {
		if !sub.IsAvailableCommand() {
			continue
		}
		if err := Write(sub, dir, date); err != nil {
			return err
		}
	}
	cmd.InitDefaultHelpFlag()
	return os.WriteFile(filepath.Join(dir, manName(cmd)+".1"), []byte(manPage(cmd, date)), 0o666)
}

// manName returns the name of a command's page, as "pakdb-delta-make".
func manName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manPage returns the page of a command. Help is written for terminals, and is kept
// as it is: cobra's own generator takes it for Markdown, which joins the lines of
// its lists, and links three modules.
func manPage(cmd *cobra.Command, date time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 %s %s pakdb\n", roffWord(strings.ToUpper(manName(cmd))), date.Format("2006-01-02"),
		roffWord("pakdb "+version.Current().Version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(manName(cmd)), roff(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n%s\n", roff(cmd.UseLine()))
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s", roffLines(cmd.Long))
	manOptions(&b, "OPTIONS", cmd.NonInheritedFlags())
	manOptions(&b, "OPTIONS OF ALL COMMANDS", cmd.InheritedFlags())
	if cmd.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n%s", roffLines(cmd.Example))
	}
	if also := manSeeAlso(cmd); len(also) > 0 {
		fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", strings.Join(also, " ,\n"))
	}
	return b.String()
}

func manOptions(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Deprecated != "" {
			return
		}
		value, text := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(strings.TrimSpace(name+" "+value)), roff(text+manDefault(f)))
	})
}

// manDefault returns the default of a flag, where it says something.
func manDefault(f *pflag.Flag) string {
	switch f.DefValue {
	case "", "0", "0s", "[]", "false":
		return ""
	}
	return " (default " + f.DefValue + ")"
}

// manSeeAlso returns the pages of the command above and of the subcommands.
func manSeeAlso(cmd *cobra.Command) (pages []string) {
	if cmd.HasParent() {
		pages = append(pages, manReference(cmd.Parent()))
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			pages = append(pages, manReference(sub))
		}
	}
	return pages
}

// manReference returns a request that names a page.
func manReference(cmd *cobra.Command) string { return ".BR " + roff(manName(cmd)) + " (1)" }

// roffLines returns lines that are neither filled nor joined.
func roffLines(text string) string {
	var b strings.Builder
	b.WriteString(".nf\n")
	for line := range strings.Lines(text) {
		b.WriteString(roff(strings.TrimRight(line, "\n")) + "\n")
	}
	return b.String() + ".fi\n"
}

// roff returns a line of text as roff prints it: a backslash, a hyphen, a quote and
// an accent mean something else there, and a dot does at the start of a line.
func roff(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`, "\n", " ").Replace(line)
	if strings.HasPrefix(line, ".") {
		line = `\&` + line
	}
	return line
}

// roffWord returns text as one argument of a request.
func roffWord(text string) string { return `"` + strings.ReplaceAll(roff(text), `"`, `\(dq`) + `"` }

// bashNeeds is what the completion of bash cannot do without, in the words of its
// script.
const bashNeeds = `    if ! declare -F _get_comp_words_by_ref >/dev/null; then
        printf '\npakdb: completion needs the package bash-completion\n' >&2
        return 1
    fi
`

// ExplainBash makes the script for bash say what it needs, where that is missing; by
// itself it fails with the name of a function.
func ExplainBash(root *cobra.Command) {
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

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pakdb/internal/version"
)

func newManCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages into a folder",
		Long: `Write a manual page for each command into a folder, for packagers. The date is
SOURCE_DATE_EPOCH where that is set.`,
		Example: `  pakdb man /usr/local/share/man/man1`,
		Args:    usage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			date, err := manDate()
			if err != nil {
				return err
			}
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return err
			}
			return writeManPages(cmd.Root(), args[0], date)
		},
	}
}

// manDate returns SOURCE_DATE_EPOCH, or the present time.
func manDate() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		return time.Now(), nil
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("%w: SOURCE_DATE_EPOCH=%s is no number of seconds", errUsage, text)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// writeManPages writes the page of a command and those of its subcommands.
func writeManPages(cmd *cobra.Command, dir string, date time.Time) error {
	for _, sub := range cmd.Commands() {
		if !sub.IsAvailableCommand() {
			continue
		}
		if err := writeManPages(sub, dir, date); err != nil {
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

package cli

import (
	"embed"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"
)

// Groups of commands, in the order in which help lists them.
const (
	GroupArchives = "archives"
	GroupCatalog  = "catalog"
	GroupChange   = "change"
	GroupShip     = "ship"
)

func groups() []*cobra.Group {
	return []*cobra.Group{
		{ID: GroupArchives, Title: "Look at archives:"},
		{ID: GroupCatalog, Title: "Ask a catalog:"},
		{ID: GroupChange, Title: "Make archives and patches:"},
		{ID: GroupShip, Title: "Ship builds:"},
	}
}

// In puts commands into a group of the help.
func In(group string, cmds ...*cobra.Command) []*cobra.Command {
	for _, cmd := range cmds {
		cmd.GroupID = group
	}
	return cmds
}

//go:embed topics
var topics embed.FS

// Topics returns the help topics: commands that do nothing and have a text.
func Topics() (all []*cobra.Command) {
	files, _ := fs.Glob(topics, "topics/*.txt") // the pattern is right
	for _, file := range files {
		text, _ := topics.ReadFile(file)
		title, body, _ := strings.Cut(string(text), "\n")
		name := strings.TrimSuffix(strings.TrimPrefix(file, "topics/"), ".txt")
		all = append(all, NewTopic(name, title, strings.Trim(body, "\n")))
	}
	return all
}

// NewTopic returns a help topic.
func NewTopic(name, title, text string) *cobra.Command {
	return &cobra.Command{Use: name, Short: title, Long: text}
}

// AddHelp makes root and all its commands explain themselves by [WriteHelp].
func AddHelp(root *cobra.Command) {
	root.AddGroup(groups()...)
	root.AddCommand(Topics()...)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { WriteHelp(cmd.OutOrStdout(), cmd) })
	root.SetUsageFunc(func(cmd *cobra.Command) error { WriteHelp(cmd.OutOrStderr(), cmd); return nil })
	root.InitDefaultHelpCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "help" {
			cmd.Hidden = true
			cmd.Args = func(_ *cobra.Command, args []string) error {
				if _, rest, err := root.Find(args); err != nil || len(rest) > 0 {
					return UsageError(root, fmt.Errorf("no command or topic %q", strings.Join(args, " ")))
				}
				return nil
			}
		}
	}
}

// WriteHelp writes what a command does, its usage, examples and flags.
func WriteHelp(w io.Writer, cmd *cobra.Command) {
	var b strings.Builder
	fmt.Fprintln(&b, cmd.Long)
	if len(cmd.Groups()) > 0 {
		writeRoot(&b, cmd)
	} else if cmd.Runnable() {
		writeCommand(&b, cmd)
	}
	_, _ = io.WriteString(w, b.String())
}

// writeCommand writes the usage, examples and own flags of a command.
func writeCommand(b *strings.Builder, cmd *cobra.Command) {
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\nCommands:\n")
		writeList(b, cmd.Commands())
	} else {
		fmt.Fprintf(b, "\nUsage:\n  %s\n", strings.ReplaceAll(usageOf(cmd), "\n", "\n  "))
	}
	if cmd.HasExample() {
		fmt.Fprintf(b, "\nExamples:\n%s\n", cmd.Example)
	}
	cmd.InitDefaultHelpFlag()
	help := cmd.Flags().Lookup("help")
	hidden := help.Hidden
	help.Hidden = true
	if flags := cmd.LocalNonPersistentFlags(); flags.HasAvailableFlags() {
		fmt.Fprintf(b, "\nFlags:\n%s", flags.FlagUsages())
	}
	help.Hidden = hidden
	if formats := FormatsOf(cmd); formats != nil {
		fmt.Fprintf(b, "\nFormats: %s\n", strings.Join(formats, ", "))
	}
	b.WriteString("\nFlags of all commands: pakdb --help\n")
}

// usageOf returns the usage line without the mark that cobra adds for flags.
func usageOf(cmd *cobra.Command) string {
	return strings.TrimSuffix(cmd.UseLine(), " [flags]")
}

func writeRoot(b *strings.Builder, root *cobra.Command) {
	for _, group := range root.Groups() {
		fmt.Fprintf(b, "\n%s\n", group.Title)
		for _, cmd := range root.Commands() {
			if cmd.GroupID == group.ID {
				writeLine(b, cmd)
			}
		}
	}
	b.WriteString("\nFlags of all commands:\n" + root.PersistentFlags().FlagUsages())
	var names []string
	for _, c := range root.Commands() {
		if c.IsAdditionalHelpTopicCommand() {
			names = append(names, c.Name())
		}
	}
	b.WriteString("\npakdb COMMAND --help explains a command, pakdb help TOPIC a topic:\n")
	half := len(names) / 2
	fmt.Fprintf(b, "  %s,\n  %s\n", strings.Join(names[:half], ", "), strings.Join(names[half:], ", "))
}

func writeList(b *strings.Builder, cmds []*cobra.Command) {
	for _, cmd := range cmds {
		writeLine(b, cmd)
	}
}

func writeLine(b *strings.Builder, cmd *cobra.Command) {
	if cmd.IsAvailableCommand() {
		fmt.Fprintf(b, "  %-10s%s\n", cmd.Name(), cmd.Short)
	}
}

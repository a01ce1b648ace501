package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/internal/process"
	"pakdb/query"
)

// formatsKey is the annotation of the commands that take --format: the names, comma-separated.
const formatsKey = "formats"

// AddFormat lets a command take --format, a flag of all commands, and sets format to its value
// before the command runs. Without names the formats are those of lists.
func AddFormat(cmd *cobra.Command, format *string, names ...string) {
	if len(names) == 0 {
		names = query.Formats()
	}
	annotate(cmd, formatsKey, strings.Join(names, ","))
	before := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if f := cmd.Flag("format"); f != nil && f.Changed {
			*format = f.Value.String()
		}
		if before != nil {
			return before(cmd, args)
		}
		return nil
	}
}

// FormatsOf returns the formats that a command takes, nil if it has no --format.
func FormatsOf(cmd *cobra.Command) []string {
	if names := cmd.Annotations[formatsKey]; names != "" {
		return strings.Split(names, ",")
	}
	return nil
}

// valuesKey is the annotation of the commands that read values of Unreal packages.
const valuesKey = "values"

// ReadsValues lets a command take --mappings and --engine, flags of all commands.
func ReadsValues(cmd *cobra.Command) { annotate(cmd, valuesKey, "yes") }

// checkValues refuses --mappings and --engine in commands that read no values by them.
func checkValues(cmd *cobra.Command) error {
	for _, name := range []string{"mappings", "engine"} {
		if f := cmd.Flag(name); f != nil && f.Changed && cmd.Annotations[valuesKey] == "" {
			return WithHint(UsageError(cmd, fmt.Errorf("%s has no --%s", cmd.CommandPath(), name)), "values are read by \"index\", \"show\", \"cat --as\", \"extract --as\" and \"mod set\"")
		}
	}
	return nil
}

func annotate(cmd *cobra.Command, key, value string) {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[key] = value
}

// addFormat declares --format for all commands.
func addFormat(root *cobra.Command) {
	root.PersistentFlags().String("format", "", "output as `FORMAT` (pakdb help output)")
	_ = root.RegisterFlagCompletionFunc("format", func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		return FormatsOf(cmd), cobra.ShellCompDirectiveNoFileComp
	})
}

// checkFormat refuses a --format that a command does not have.
func checkFormat(cmd *cobra.Command) error {
	f, known := cmd.Flag("format"), FormatsOf(cmd)
	switch {
	case f == nil || !f.Changed:
		return nil
	case known == nil:
		return UsageError(cmd, fmt.Errorf("%s has no --format: it lists and reports nothing", cmd.CommandPath()))
	case f.Value.String() != "" && !slices.Contains(known, f.Value.String()):
		return NoSuchFormat(f.Value.String(), known)
	}
	return nil
}

// Rows begins a result in the format that --format named. Formats for people have sizes as
// 1.5 MiB.
func (a *App) Rows(format string, columns ...string) (*query.Rows, error) {
	return a.Brief(format, nil, columns...)
}

// Brief is Rows of which formats for people show only some columns.
func (a *App) Brief(format string, only []string, columns ...string) (*query.Rows, error) {
	out := OutputOf(a, format)
	out.Bytes, out.Only = sizeColumns(), only
	return out.Rows(columns...)
}

// sizeColumns names the columns of commands that hold bytes.
func sizeColumns() []string {
	return []string{"size", "stored", "download", "difference", "old_size", "new_size", "old_stored", "new_stored", "cosmetic_download",
		"have_size", "want_size", "bytes", "dead_bytes", "patch_bytes", "own", "frees"}
}

// Reporting gives a command that does something --format json, by which its words go
// to stderr, and one object to stdout, also when it fails. zero has the keys of that
// object besides those of all commands.
func Reporting(a *App, cmd *cobra.Command, zero any) *cobra.Command {
	if FormatsOf(cmd) == nil {
		AddFormat(cmd, new(string), "json")
	}
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		format := ""
		if f := cmd.Flag("format"); f != nil {
			format = f.Value.String()
		}
		dryRun := cmd.Flags().Lookup("dry-run")
		if format != "json" && format != "junit" || dryRun != nil && dryRun.Value.String() == "true" {
			return run(cmd, args) // a plan has a format of its own
		}
		a.Result = NewResult(strings.TrimPrefix(cmd.CommandPath(), "pakdb "), zero)
		stdout := a.Stdout
		a.Stdout = a.Stderr
		err := a.verdict(ofCatalog(process.RescueCall(func() error { return run(cmd, args) })))
		a.Stdout = stdout
		return errors.Join(err, a.writeResult(format, err))
	}
	return cmd
}

// writeResult writes the result of a command that ended with err. Where the command
// line is wrong, or the user has had enough, there is none.
func (a *App) writeResult(format string, err error) error {
	code := Code(err)
	if code == ExitUsage || code == ExitInterrupted || code == ExitPipe {
		return nil
	}
	if err != nil && !errors.Is(err, ErrProblems) && !errors.Is(err, ErrFailures) {
		a.Result.Fail(err)
	}
	if format == "junit" {
		return a.Result.WriteJUnit(a.Stdout, code > ExitProblems)
	}
	return a.Result.Write(a.Stdout, code)
}

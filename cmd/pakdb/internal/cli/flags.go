package cli

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/internal/nearest"
	"pakdb/query"
	"pakdb/schema"
)

// Group makes a command of subcommands, which explains itself when it is called alone.
func Group(cmd *cobra.Command, subs ...*cobra.Command) *cobra.Command {
	cmd.Args = noSuchCommand
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(subs...)
	return cmd
}

// noSuchCommand is for what stands where a command should.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	err := UsageError(cmd, fmt.Errorf("no command %q", args[0]))
	if library, loadErr := query.Load(query.UserQueries()); loadErr == nil {
		if q, getErr := library.Get(args[0]); getErr == nil {
			return WithHint(err, "there is a query by that name: "+q.Usage())
		}
	}
	return WithHint(err, nearest.Hint(nearest.Names(args[0], names)))
}

// Args marks the errors of an argument check as errors of usage.
func Args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if check(cmd, args) == nil {
			return nil
		}
		for n := range args {
			if check(cmd, args[:n]) == nil {
				return UsageError(cmd, fmt.Errorf("too many arguments: %s", cmd.UseLine()))
			}
		}
		return UsageError(cmd, fmt.Errorf("too few arguments: %s", cmd.UseLine()))
	}
}

// Exclusive makes it an error of usage to give two of the flags.
func Exclusive(cmd *cobra.Command, names ...string) {
	cmd.MarkFlagsMutuallyExclusive(names...) // completion leaves the others out
	before := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		var given []string
		for _, name := range names {
			if cmd.Flags().Changed(name) {
				given = append(given, "--"+name)
			}
		}
		switch {
		case len(given) > 1:
			return UsageError(cmd, fmt.Errorf("%s exclude each other", strings.Join(given, " and ")))
		case before != nil:
			return before(cmd, args)
		}
		return nil
	}
}

// UsageError puts err into the class ErrUsage and points at the command's help.
func UsageError(cmd *cobra.Command, err error) error {
	return fmt.Errorf("%w: %w (see %s --help)", ErrUsage, err, cmd.CommandPath())
}

// NoSuchFormat returns the error for the name of an unknown format, with a hint at
// known ones.
func NoSuchFormat(name string, known []string) error {
	advice := nearest.Hint(nearest.Names(name, known))
	if advice == "" {
		advice = "there are " + strings.Join(known, ", ")
	}
	return WithHint(fmt.Errorf("%w: no format %q", ErrUsage, name), advice)
}

// CompleteFlag offers the values of a flag to the shell.
func CompleteFlag(cmd *cobra.Command, flag string, values ...string) {
	// The only error is a flag that does not exist, which any test would see.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// Completing makes a completion of the app one of cobra.
func Completing(a *App, complete func(*App, *cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		return complete(a, cmd, args, typed)
	}
}

// CompleteBuilds offers the labels of the builds in the catalog.
func CompleteBuilds(a *App, cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	db, err := schema.OpenReadOnly(cmd.Context(), a.Catalog)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer func() { _ = db.Close() }()
	labels, err := BuildLabels(cmd.Context(), db)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return labels, cobra.ShellCompDirectiveNoFileComp
}

// BuildLabels returns the labels of all builds, oldest first.
func BuildLabels(ctx context.Context, db *sql.DB) ([]string, error) {
	rows, err := db.QueryContext(ctx, "SELECT build FROM builds ORDER BY build_id")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var labels []string
	for rows.Next() {
		var label string
		if err := rows.Scan(&label); err != nil {
			return nil, err
		}
		labels = append(labels, label)
	}
	return labels, rows.Err()
}

// KnownBuilds returns the labels of the catalog, none when there is no catalog:
// paths need none.
func KnownBuilds(ctx context.Context, a *App) ([]string, error) {
	db, err := a.OpenCatalog(ctx)
	if errors.Is(err, ErrNoCatalog) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	return BuildLabels(ctx, db)
}

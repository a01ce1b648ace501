package cli

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/internal/glob"
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

// noSuchCommand refuses a name that is no command, with a hint at the one that is meant.
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
	name := strings.TrimPrefix(cmd.CommandPath()+" ", "pakdb ") + args[0]
	err := UsageError(cmd, fmt.Errorf("no command %q", args[0]))
	if use, ok := otherNames()[name]; ok {
		return WithHint(err, "use: pakdb "+use)
	}
	if library, loadErr := query.Load(query.UserQueries()); loadErr == nil {
		if q, getErr := library.Get(args[0]); getErr == nil {
			return WithHint(err, "there is a query by that name: "+q.Usage())
		}
	}
	return WithHint(err, glob.NearestHint(glob.Nearest(args[0], names)))
}

// otherNames maps names of other programs' commands, and words that come to mind, to the
// commands of pakdb.
func otherNames() map[string]string {
	return map[string]string{
		"add":               "index PATH...",
		"apply":             "delta apply FILE.pkdelta OLD... -o DIR",
		"archive":           "pack DIR -o OUT",
		"backup":            "publish BUILD -o STORE",
		"build":             "patch build OLD NEW -o DIR",
		"annotate":          "blame BUILD:PATH",
		"catalog":           "verify pakdb.db",
		"check":             "verify ARCHIVE|CATALOG...",
		"checkout":          "update DIR --from STORE",
		"clone":             "update DIR --from STORE",
		"commit":            "index --build LABEL PATH...",
		"compare":           "diff OLD NEW",
		"compact":           "rm --vacuum BUILD...",
		"create":            "pack DIR -o OUT",
		"decompress":        "extract ARCHIVE... -o DIR",
		"delta estimate":    "delta make --dry-run OLD NEW",
		"delta info":        "delta verify FILE.pkdelta",
		"delta keygen":      "store keys new FILE",
		"delta recover":     "delta apply, again; it finishes an interrupted update",
		"delta sign":        "store sign FILE.pkdelta --sign KEY",
		"delta undo":        "delta make NEW OLD -o FILE, which is the patch back",
		"dependencies":      "refs --needs PATH",
		"deps":              "refs --needs PATH",
		"describe":          "show ARCHIVE",
		"du":                "query @size-by-dir",
		"dump":              "show FILE, or export BUILD -o DIR",
		"fetch":             "update DIR --from STORE",
		"fsck":              "verify pakdb.db",
		"get":               "extract ARCHIVE... -o DIR",
		"grep":              "find TEXT",
		"import":            "index PATH...",
		"info":              "show ARCHIVE",
		"init":              "index PATH..., which makes the catalog",
		"keygen":            "store keys new FILE",
		"list":              "ls ARCHIVE",
		"merge":             "index OTHER.db..., or patch merge PATCH... -o OUT",
		"mount":             "ls --mounts DIR|BUILD",
		"mount-plan":        "ls --mounts DIR|BUILD",
		"patch apply":       "delta apply FILE.pkdelta OLD... -o DIR; a game mounts what patch build writes",
		"patch create":      "patch build OLD NEW -o DIR",
		"patch list":        "patch check DIR",
		"patch log":         "patch check DIR",
		"patch make":        "patch build OLD NEW -o DIR",
		"patch verify":      "patch check BASE... PATCH... --against NEW",
		"delta build":       "delta make OLD NEW -o FILE",
		"delta check":       "delta verify FILE.pkdelta",
		"pkg":               "show FILE --tables summary,imports,exports",
		"prompt":            "query",
		"prune":             "store prune STORE",
		"pull":              "update DIR --from STORE",
		"recover":           "delta apply, again; it finishes an interrupted update",
		"remove":            "rm BUILD...",
		"repack":            "pack ARCHIVE -o OUT",
		"scan":              "index PATH...",
		"search":            "find TEXT",
		"shell":             "query",
		"sign":              "store sign STORE --sign KEY",
		"sql":               "query SQL",
		"sqlite":            "query SQL",
		"status":            "query @builds",
		"store add":         "publish BUILD -o STORE",
		"store keygen":      "store keys new FILE",
		"store renew":       "store sign STORE --sign KEY",
		"store rotate":      "store keys change STORE --sign KEY",
		"store stats":       "store list -l STORE",
		"store trust":       "store keys list STORE",
		"store verify":      "store check STORE",
		"store keys add":    "store keys change STORE --role ROLE --add KEY --sign KEY",
		"store keys remove": "store keys change STORE --role ROLE --remove ID --sign KEY",
		"store keys rotate": "store keys change STORE --sign KEY",
		"tables":            "show FILE --tables summary,imports,exports",
		"tree":              "ls ARCHIVE, or show FILE",
		"unpack":            "extract --game-paths ARCHIVE... -o DIR",
		"unzip":             "extract ARCHIVE... -o DIR",
		"usage":             "query @size-by-dir",
		"views":             "query, and .views at the prompt",
		"zip":               "pack DIR -o OUT",
	}
}

// FlagError returns the error about a flag, with a hint where pakdb has another word for it.
func FlagError(cmd *cobra.Command, err error) error {
	_, name, unknown := strings.Cut(err.Error(), "unknown flag: --")
	err = UsageError(cmd, err)
	if hint := otherFlags()[name]; unknown && hint != "" {
		return WithHint(err, hint)
	}
	return err
}

// otherFlags says for flags of other programs, and of other commands, what does it here.
func otherFlags() map[string]string {
	return map[string]string{
		"aes-keys":      "--aes-key takes a file of keys, too",
		"allow-damaged": "patch build, delta make and publish have it",
		"encrypt-index": "--encrypt entries,index",
		"exact":         "pakdb delta make --dry-run prints exact sizes",
		"extract":       "pakdb extract ARCHIVE... -o DIR",
		"file":          "- reads the SQL from stdin",
		"force":         "--overwrite replaces existing files",
		"from":          "--base BUILD",
		"glob":          "an argument with * is a pattern",
		"hidden":        "pakdb ls --mounts -l lists entries that the game does not see",
		"human":         "tables have sizes for people; --format csv has bytes",
		"ignore-case":   "patterns ignore case",
		"json":          "--format json",
		"label":         "--build LABEL",
		"limit":         "... | head; in SQL: FROM diff('OLD', 'NEW') LIMIT 10",
		"list":          "pakdb query @ lists the named queries",
		"media":         "--semantic=all compares pixels and samples, too",
		"nested":        "the pattern '**!/**' leads into archives within archives; pakdb verify always looks there",
		"new-aes-key":   "--aes-key GUID=KEY for each key; entries by another main key are sent as they are stored",
		"no-pager":      "PAGER=cat pakdb ..., or ... | cat",
		"no-parts":      "--part none",
		"object":        "OBJECT:FIELD=VALUE",
		"platform":      "LABEL@PLATFORM",
		"print0":        "pakdb ls ... | tr '\\n' '\\0'",
		"response":      "pakdb pack LIST -o OUT",
		"reverse":       "--sort size lists the largest first",
		"under":         "the engine that reads the export selects rows",
		"version":       "--type NAME@VERSION, as unrealpak@11",
		"zero":          "pakdb ls ... | tr '\\n' '\\0'",
	}
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
	if own := func(name string) bool { return cmd.Flags().Lookup(name) != nil }; !slices.ContainsFunc(names, func(name string) bool { return !own(name) }) {
		cmd.MarkFlagsMutuallyExclusive(names...) // completion leaves the others out
	}
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
	advice := glob.NearestHint(glob.Nearest(name, known))
	if advice == "" {
		advice = "formats: " + strings.Join(known, ", ")
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

// RequireBuilds makes flags of a command required, and completes labels of builds for them.
func RequireBuilds(a *App, cmd *cobra.Command, names ...string) {
	for _, name := range names {
		_ = cmd.MarkFlagRequired(name)
		_ = cmd.RegisterFlagCompletionFunc(name, Completing(a, CompleteBuilds))
	}
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

// ParseDepth reads the value of --depth; 0 is all.
func ParseDepth(s string) (int, error) {
	if s == "all" {
		return 0, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%w: --depth %q: want a number from 1, or all", ErrUsage, s)
	}
	return n, nil
}

// IsCatalog reports whether a file is a catalog, by its bytes.
func IsCatalog(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && schema.IsCatalog(path)
}

// AddKinds adds --kind.
func AddKinds(cmd *cobra.Command, kinds *[]string) {
	for _, f := range sharedFlags() {
		if f.name == "kind" {
			cmd.Flags().StringSliceVar(kinds, f.name, nil, f.usage)
		}
	}
}

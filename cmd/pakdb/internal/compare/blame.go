package compare

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/locate"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/diff/semantic"
	"pakdb/internal/asset"
	"pakdb/internal/glob"
	"pakdb/query"
	"pakdb/schema"
)

type blameOptions struct {
	since, format string
}

func newBlameCommand(a *cli.App) *cobra.Command {
	var opts blameOptions
	cmd := &cobra.Command{
		Use:   "blame [flags] BUILD:PATH [NAME...]",
		Short: "Show which build gave each value",
		Long: `Show the values, rows, functions or lines of text of an entry, each with the
build that gave it, and the value before. The entry is named by its path or the
end of it; a pattern, as **/BP_*.uasset, names several. Renames are followed. An
element that moved in its array, or a row with another name, keeps its build.

NAME is the name of a value, or the end of it; * matches any text.`,
		Example: `  pakdb blame 1.52:DT_Weapons.uasset
  pakdb blame 1.52:DT_Weapons.uasset "[Rifle].*" --since 1.40
  pakdb blame "1.52:**/BP_*.uasset" Damage --format csv`,
		Args:              cli.Args(cobra.MinimumNArgs(1)),
		ValidArgsFunction: cli.Completing(a, operand.CompleteEntries),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runBlame(cmd.Context(), a, args[0], args[1:], opts)
		},
	}
	cmd.Flags().StringVar(&opts.since, "since", "", "leave out values that are older than `BUILD`")
	_ = cmd.RegisterFlagCompletionFunc("since", cli.Completing(a, cli.CompleteBuilds))
	cli.AddFormat(cmd, &opts.format)
	return cmd
}

func runBlame(ctx context.Context, a *cli.App, text string, names []string, opts blameOptions) error {
	db, err := a.OpenCatalog(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	labels, err := cli.BuildLabels(ctx, db)
	if err != nil {
		return err
	}
	b := &blaming{db: db, labels: labels}
	if opts.since != "" {
		if b.since = slices.Index(labels, opts.since); b.since < 0 {
			return cli.WithHint(fmt.Errorf("%w: %q", schema.ErrNoBuild, opts.since), glob.NearestHint(glob.Nearest(opts.since, labels)))
		}
	}
	for _, name := range names {
		b.names = append(b.names, namePattern(name))
	}
	paths, err := b.find(ctx, a, text)
	if err != nil {
		return err
	}
	contents := cli.Contents(a, a.Catalog)
	defer func() { _ = contents.Close() }()
	b.contents = contents
	columns := []string{"build", "name", "value", "before"}
	if len(paths) > 1 {
		columns = append([]string{"path"}, columns...)
	}
	rows, err := a.Rows(opts.format, columns...)
	if err != nil {
		return err
	}
	silent := int64(0)
	for _, path := range paths {
		err = b.each(ctx, path, func(o *semantic.Origin) error {
			row := []driver.Value{path, o.Build, o.Name, o.Value, nil}[5-len(columns):]
			if o.Before != nil {
				row[len(row)-1] = *o.Before
			}
			return rows.Write(row...)
		})
		if errors.Is(err, errNoValues) && len(paths) > 1 {
			silent, err = silent+1, nil
		}
		if err != nil {
			break
		}
	}
	if err == nil && silent > 0 && !a.Quiet {
		_, err = fmt.Fprintf(a.Stderr, "pakdb: %s: %v\n", cli.Plural(silent, "entry", "entries"), errNoValues)
	}
	return cmp.Or(err, rows.Close())
}

// blaming finds the origins of values in entries of a build.
type blaming struct {
	db       *sql.DB
	contents *query.Contents
	build    string
	labels   []string // of all builds
	since    int      // values of builds before this one are left out
	names    []*regexp.Regexp
}

// find sets the build, and returns the paths that BUILD:PATH names, one for each asset.
func (b *blaming) find(ctx context.Context, a *cli.App, text string) (paths []string, err error) {
	label, pattern, ok := b.splitPattern(text)
	if !ok {
		n, err := operand.Resolve(ctx, a, locate.Resolver{BuildsFirst: true}, text)
		switch {
		case err != nil:
			return nil, err
		case n.Build == "" || n.Entry == "":
			return nil, cli.WithHint(fmt.Errorf("%w: %q is no entry of a build", cli.ErrUsage, text), "pakdb blame BUILD:PATH")
		}
		b.build = n.Build
		f, err := operand.FindEntry(ctx, b.db, n.Build, n.Entry)
		if err != nil {
			return nil, err
		}
		return []string{f.Path}, nil
	}
	b.build = label
	g, err := glob.Parse(pattern, true)
	if err != nil {
		return nil, err
	}
	var all []string
	seen := map[string]bool{}
	err = schema.EachRow(ctx, b.db, "SELECT path FROM files WHERE build = ?1 ORDER BY path", []driver.Value{label}, func(v []driver.Value) {
		path, _ := v[0].(string)
		all = append(all, path)
		of := cmp.Or(asset.Of(path), path)
		if _, _, part := asset.Split(path); part <= asset.Header && g.Match(path) && !seen[of] {
			seen[of] = true
			paths = append(paths, path)
		}
	})
	if err == nil && len(paths) == 0 {
		err = cli.WithHint(fmt.Errorf("%w: no entry of build %q matches %q", cli.ErrUsage, label, pattern), g.Hint(slices.Values(all)))
	}
	return paths, err
}

// splitPattern divides BUILD:PATTERN, if it is one.
func (b *blaming) splitPattern(text string) (label, pattern string, ok bool) {
	for _, label := range b.labels {
		if pattern, ok := strings.CutPrefix(text, label+":"); ok && strings.ContainsAny(pattern, "*?[{") {
			return label, pattern, true
		}
	}
	return "", "", false
}

// each calls do for the values of an entry.
func (b *blaming) each(ctx context.Context, path string, do func(*semantic.Origin) error) error {
	all, err := semantic.Blame(ctx, b.db, b.contents, b.build, path)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return fmt.Errorf("%s: %w", path, errNoValues)
	}
	for i := range all {
		if slices.Index(b.labels, all[i].Build) < b.since || !b.wants(all[i].Name) {
			continue
		}
		if err := do(&all[i]); err != nil {
			return err
		}
	}
	return nil
}

// namePattern returns what matches a name of a value, or the end of one, as [isField] does;
// * matches any text.
func namePattern(text string) *regexp.Regexp {
	return regexp.MustCompile(`(?:^|\.)` + strings.ReplaceAll(regexp.QuoteMeta(strings.TrimPrefix(plainField(text), ".")), `\*`, ".*") + "$")
}

func (b *blaming) wants(name string) bool {
	name = plainField(name)
	return len(b.names) == 0 || slices.ContainsFunc(b.names, func(r *regexp.Regexp) bool { return r.MatchString(name) })
}

var errNoValues = errors.New("no values, functions or lines of text are known")

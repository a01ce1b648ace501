package operand

import (
	"context"
	"database/sql"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/schema"
)

// CompleteEntries offers files and builds for the first argument, and the paths of
// that archive or build for those after it, folder by folder.
func CompleteEntries(a *cli.App, cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return CompleteArchives(a, cmd, args, prefix)
	}
	sources, entry, err := Sources(cmd.Context(), a, args[0])
	if err != nil || entry != "" {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if len(sources) != 1 {
		return CompletePaths(a, cmd, args, prefix) // of a build
	}
	ar, err := sources[0].Open(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer func() { _ = ar.Close() }()
	return stepsTo(cli.Paths(ar.Archive), prefix)
}

// stepsTo returns what may follow: paths of the folder that is typed in full, and
// folders one step down.
func stepsTo(paths iter.Seq[string], prefix string) ([]string, cobra.ShellCompDirective) {
	found := map[string]bool{}
	for path := range paths {
		rest, ok := strings.CutPrefix(path, prefix)
		if !ok {
			continue
		}
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			rest = rest[:i+1]
		}
		found[prefix+rest] = true
	}
	all := slices.Sorted(maps.Keys(found))
	directive := cobra.ShellCompDirectiveNoFileComp
	if slices.ContainsFunc(all, func(path string) bool { return strings.HasSuffix(path, "/") }) {
		directive |= cobra.ShellCompDirectiveNoSpace
	}
	return all, directive
}

// CompleteArchives offers builds and files; after BUILD: the archives of the build,
// and paths.
func CompleteArchives(a *cli.App, cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	labels, _ := cli.CompleteBuilds(a, cmd, nil, typed)
	for _, label := range labels {
		rest, ok := strings.CutPrefix(typed, label+":")
		if !ok {
			continue
		}
		names := &catalogNames{a: a}
		defer names.close()
		files, _ := names.Files(cmd.Context(), label)
		paths, directive := CompletePaths(a, cmd, nil, rest)
		for _, f := range files {
			if strings.HasPrefix(f.Name, rest) && !slices.Contains(paths, f.Name) {
				paths = append(paths, f.Name)
			}
		}
		for i := range paths {
			paths[i] = label + ":" + paths[i]
		}
		return paths, directive
	}
	if typed != "" && slices.ContainsFunc(labels, func(label string) bool { return strings.HasPrefix(label, typed) }) {
		return labels, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveDefault // a file
}

// CompleteSides offers builds for the two sides of a diff, and files; after BUILD:
// and after the sides, paths.
func CompleteSides(a *cli.App, cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) >= 2 {
		return CompletePaths(a, cmd, args, typed)
	}
	if typed == "" {
		return cli.CompleteBuilds(a, cmd, args, typed)
	}
	return CompleteArchives(a, cmd, args, typed)
}

// CompletePaths offers the paths that the catalog knows, folder by folder.
func CompletePaths(a *cli.App, cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	db, err := schema.OpenReadOnly(cmd.Context(), a.Catalog)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer func() { _ = db.Close() }()
	paths, err := pathsBelow(cmd.Context(), db, typed)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	directive := cobra.ShellCompDirectiveNoFileComp
	if slices.ContainsFunc(paths, func(p string) bool { return strings.HasSuffix(p, "/") }) {
		directive |= cobra.ShellCompDirectiveNoSpace
	}
	return paths, directive
}

// mostOffered bounds what is offered.
const mostOffered = 2000

// pathsBelow returns the paths of a catalog that may follow what is typed: files of the
// folder that is typed in full, and folders one step down, which end in a slash. Without
// any, the names of files in all folders that begin so are returned.
func pathsBelow(ctx context.Context, db *sql.DB, typed string) ([]string, error) {
	folder := typed[:strings.LastIndexByte(typed, '/')+1]
	paths, err := schema.FirstTexts(ctx, db, `SELECT DISTINCT ?1 || substr(rest, 1, instr(rest, '/'))
		FROM (SELECT substr(prefix, length(?1) + 1) AS rest FROM x_dir WHERE prefix >= ?2 AND prefix < ?2 || char(0x10ffff) AND prefix <> ?1)
		UNION ALL
		SELECT ?1 || p.name FROM x_dir d JOIN x_path p USING (dir_id)
		WHERE d.prefix = ?1 AND substr(p.name, 1, length(?2) - length(?1)) = substr(?2, length(?1) + 1)
		ORDER BY 1
		LIMIT ?3`, folder, typed, mostOffered)
	if err != nil || len(paths) > 0 || typed == "" {
		return paths, err
	}
	return schema.FirstTexts(ctx, db, "SELECT DISTINCT name FROM x_path WHERE name >= ?1 AND name < ?1 || char(0x10ffff) ORDER BY name LIMIT ?2",
		typed, mostOffered)
}

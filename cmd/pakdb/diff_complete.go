package main

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/schema"
)

// completeSides offers builds for the two sides of a diff, and files; behind
// BUILD: and behind the sides, paths.
func completeSides(a *app, cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) >= 2 {
		return completePaths(a, cmd, args, typed)
	}
	labels, directive := completeBuilds(a, cmd, args, typed)
	for _, label := range labels {
		if rest, ok := strings.CutPrefix(typed, label+":"); ok {
			paths, directive := completePaths(a, cmd, args, rest)
			for i := range paths {
				paths[i] = label + ":" + paths[i]
			}
			return paths, directive
		}
	}
	if slices.ContainsFunc(labels, func(label string) bool { return strings.HasPrefix(label, typed) }) {
		return labels, directive
	}
	return nil, cobra.ShellCompDirectiveDefault // an archive or a folder
}

// completePaths offers the paths that the catalog knows, folder by folder.
func completePaths(a *app, cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	db, err := schema.OpenReadOnly(cmd.Context(), a.catalog)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer func() { _ = db.Close() }()
	paths, err := pathsBelow(cmd.Context(), db, typed)
	if err == nil && len(paths) == 0 && typed != "" {
		paths, err = namesLike(cmd.Context(), db, typed)
	}
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	directive := cobra.ShellCompDirectiveNoFileComp
	if slices.ContainsFunc(paths, func(p string) bool { return strings.HasSuffix(p, "/") }) {
		directive |= cobra.ShellCompDirectiveNoSpace
	}
	return paths, directive
}

// mostOffered bounds the names that a shell is given.
const mostOffered = 2000

// namesLike lists names of files, in any folder, that begin as what is typed.
func namesLike(ctx context.Context, db *sql.DB, typed string) ([]string, error) {
	return firstColumn(ctx, db, `SELECT DISTINCT name FROM path WHERE name >= ?1 AND name < ?1 || char(0x10ffff) ORDER BY name LIMIT ?2`,
		typed, mostOffered)
}

// pathsBelow lists what may follow: files of the folder that is typed in full,
// and folders one step down.
func pathsBelow(ctx context.Context, db *sql.DB, typed string) ([]string, error) {
	folder := typed[:strings.LastIndexByte(typed, '/')+1]
	return firstColumn(ctx, db, `SELECT DISTINCT ?1 || substr(rest, 1, instr(rest, '/'))
		FROM (SELECT substr(prefix, length(?1) + 1) AS rest FROM dir WHERE prefix >= ?2 AND prefix < ?2 || char(0x10ffff) AND prefix <> ?1)
		UNION ALL
		SELECT ?1 || p.name FROM dir d JOIN path p USING (dir_id)
		WHERE d.prefix = ?1 AND substr(p.name, 1, length(?2) - length(?1)) = substr(?2, length(?1) + 1)
		ORDER BY 1
		LIMIT ?3`, folder, typed, mostOffered)
}

// firstColumn returns the texts that a query yields.
func firstColumn(ctx context.Context, db *sql.DB, text string, args ...any) (all []string, err error) {
	rows, err := db.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, rows.Err()
}

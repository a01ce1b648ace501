package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/query"
	"pakdb/schema"
)

// completeSides offers builds for the two sides of a diff, and files; after BUILD:
// and after the sides, paths.
func completeSides(a *app, cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) >= 2 {
		return completePaths(a, cmd, args, typed)
	}
	if typed == "" {
		return completeBuilds(a, cmd, args, typed)
	}
	return completeArchives(a, cmd, args, typed)
}

// completePaths offers the paths that the catalog knows, folder by folder.
func completePaths(a *app, cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	db, err := schema.OpenReadOnly(cmd.Context(), a.catalog)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer func() { _ = db.Close() }()
	paths, err := query.PathsBelow(cmd.Context(), db, typed)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	directive := cobra.ShellCompDirectiveNoFileComp
	if slices.ContainsFunc(paths, func(p string) bool { return strings.HasSuffix(p, "/") }) {
		directive |= cobra.ShellCompDirectiveNoSpace
	}
	return paths, directive
}

package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/query"
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

package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/internal/choose"
	"pakdb/schema"
)

// completeFlag offers the values of a flag to the shell.
func completeFlag(cmd *cobra.Command, flag string, values ...string) {
	// The only error is a flag that does not exist, which any test would see.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// completing makes a completion of the app one of cobra.
func completing(a *app, complete func(*app, *cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		return complete(a, cmd, args, typed)
	}
}

// completeEntries offers files for the first argument, and what that archive
// holds for those behind it, folder by folder.
func completeEntries(a *app, cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	ar, err := a.open(cmd.Context(), args[0])
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer func() { _ = ar.Close() }()
	found := map[string]bool{}
	for e := range choose.Named(ar.Archive) {
		rest, ok := strings.CutPrefix(e.Name, prefix)
		if !ok {
			continue
		}
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			rest = rest[:i+1]
		}
		found[prefix+rest] = true
	}
	directive := cobra.ShellCompDirectiveNoFileComp
	var all []string
	for path := range found {
		all = append(all, path)
		if strings.HasSuffix(path, "/") {
			directive |= cobra.ShellCompDirectiveNoSpace
		}
	}
	slices.Sort(all)
	return all, directive
}

// completeBuilds offers the labels of the builds in the catalog.
func completeBuilds(a *app, cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	db, err := schema.OpenReadOnly(cmd.Context(), a.catalog)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer func() { _ = db.Close() }()
	labels, err := buildLabels(cmd.Context(), db)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return labels, cobra.ShellCompDirectiveNoFileComp
}

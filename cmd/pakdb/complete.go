package main

import (
	"iter"
	"maps"
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

// completeEntries offers files and builds for the first argument, and the paths of
// that archive or build for those after it, folder by folder.
func completeEntries(a *app, cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return completeArchives(a, cmd, args, prefix)
	}
	sources, entry, err := sourcesOf(cmd.Context(), a, args[0])
	if err != nil || entry != "" {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if len(sources) != 1 {
		return completePaths(a, cmd, args, prefix) // of a build
	}
	ar, err := sources[0].open(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer func() { _ = ar.Close() }()
	return stepsTo(choose.Paths(ar.Archive), prefix)
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

// completeArchives offers builds and files; after BUILD: the archives of the build,
// and paths.
func completeArchives(a *app, cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	labels, _ := completeBuilds(a, cmd, nil, typed)
	for _, label := range labels {
		rest, ok := strings.CutPrefix(typed, label+":")
		if !ok {
			continue
		}
		files, _ := catalogNames{a}.Files(cmd.Context(), label)
		paths, directive := completePaths(a, cmd, nil, rest)
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

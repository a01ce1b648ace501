package main

import (
	"bytes"
	"io"
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

// bashNeeds is what the completion of bash cannot do without, in the words of its
// script.
const bashNeeds = `    if ! declare -F _get_comp_words_by_ref >/dev/null; then
        printf '\npakdb: completion needs the package bash-completion\n' >&2
        return 1
    fi
`

// explainBash makes the script for bash say what it needs, where that is missing; by
// itself it fails with the name of a function.
func explainBash(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	bash, _, err := root.Find([]string{"completion", "bash"})
	if err != nil || bash.Name() != "bash" {
		return
	}
	bash.RunE = func(cmd *cobra.Command, _ []string) error {
		short, _ := cmd.Flags().GetBool("no-descriptions")
		var script bytes.Buffer
		if err := root.GenBashCompletionV2(&script, !short); err != nil {
			return err
		}
		const call = "    _get_comp_words_by_ref "
		_, err := io.WriteString(cmd.OutOrStdout(), strings.Replace(script.String(), call, bashNeeds+call, 1))
		return err
	}
}

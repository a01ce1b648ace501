package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/diff/overlay"
	"pakdb/query"
)

func newPatchLogCommand(a *app) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "log [flags] DIR",
		Short: "Show which builds a folder of patches can be brought to",
		Long: `Show which builds a folder of archives can be brought to, by the manifests of its
patches: what must stay, what must be taken out, and what is missing. Builds are
told apart by what a game sees of them, not by their labels alone.

An asterisk marks the build that the game sees with the patches that are there.`,
		Example: `  pakdb patch log Game/Content/Paks
  pakdb patch log Game/Content/Paks --format json`,
		Args: usage(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error { return runPatchLog(a, args[0], format) },
	}
	addFormat(cmd, &format)
	return cmd
}

func runPatchLog(a *app, dir, format string) error {
	if err := (query.Output{W: a.stdout, Format: format}).Check(); err != nil {
		return err
	}
	patches, err := overlay.FindPatches(dir)
	if err != nil {
		return hinted(err, nearestFile(dir))
	}
	if len(patches) == 0 {
		return hinted(fmt.Errorf("%w: no patches in %s", errUsage, dir), `"pakdb patch build" leaves a manifest, *`+overlay.ManifestExt+", beside what it writes")
	}
	reaches := overlay.Reaches(patches)
	if format == "" {
		return listReaches(a, reaches)
	}
	rows, err := a.rows(format, "build", "view", "files", "now", "keep", "remove", "missing")
	if err != nil {
		return err
	}
	for i := range reaches {
		r := &reaches[i]
		if err := rows.Write(r.Build, textOrNull(r.View), int64(r.Files), bit(isNow(r)), strings.Join(r.Keep, " "),
			strings.Join(r.Remove, " "), strings.Join(r.Missing, " ")); err != nil {
			return err
		}
	}
	return rows.Close()
}

// isNow: nothing would have to change.
func isNow(r *overlay.Reach) bool { return len(r.Remove)+len(r.Missing) == 0 }

func listReaches(a *app, reaches []overlay.Reach) error {
	for i := range reaches {
		r := &reaches[i]
		mark, what := " ", "take out all patches"
		switch {
		case len(r.Missing) > 0:
			mark, what = "!", "missing: "+strings.Join(r.Missing, ", ")
		case isNow(r):
			mark, what = "*", "as it is"
		case len(r.Keep) > 0:
			what = "take out " + strings.Join(r.Remove, ", ")
		}
		if _, err := fmt.Fprintf(a.stdout, "%s %s  %s  %s\n", mark, printable(r.Build), plural(int64(r.Files), "file", "files"), printable(what)); err != nil {
			return err
		}
	}
	return nil
}

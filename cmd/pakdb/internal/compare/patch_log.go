package compare

import (
	"context"
	"fmt"
	"strings"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/diff/ship/overlay"
	"pakdb/internal/terminal"
	"pakdb/query"
)

// runPatchLog shows the builds that a folder of patches can be brought to.
func runPatchLog(ctx context.Context, a *cli.App, dir, format string) error {
	if err := (query.Output{W: a.Stdout, Format: format}).Check(); err != nil {
		return err
	}
	patches, err := overlay.FindPatches(ctx, dir, a.LeftOut)
	if err != nil {
		return cli.WithHint(err, operand.NearestFile(dir))
	}
	if len(patches) == 0 {
		return cli.WithHint(fmt.Errorf("%w: no patches in %s", cli.ErrUsage, dir), `"pakdb patch build" leaves a manifest, *`+overlay.ManifestExt+", beside the archives")
	}
	reaches := overlay.Reaches(patches)
	if format == "" {
		return listReaches(a, reaches)
	}
	rows, err := a.Rows(format, "build", "view", "files", "now", "keep", "remove", "missing")
	if err != nil {
		return err
	}
	for i := range reaches {
		r := &reaches[i]
		if err := rows.Write(r.Build, cli.TextOrNull(r.View), int64(r.Files), cli.Bit(isNow(r)), strings.Join(r.Keep, " "),
			strings.Join(r.Remove, " "), strings.Join(r.Missing, " ")); err != nil {
			return err
		}
	}
	return rows.Close()
}

// isNow: nothing would have to change.
func isNow(r *overlay.Reach) bool { return len(r.Remove)+len(r.Missing) == 0 }

func listReaches(a *cli.App, reaches []overlay.Reach) error {
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
		if _, err := fmt.Fprintf(a.Stdout, "%s %s  %s  %s\n", mark, terminal.Printable(r.Build), cli.Plural(int64(r.Files), "file", "files"), terminal.Printable(what)); err != nil {
			return err
		}
	}
	return nil
}

package archive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync/atomic"

	"github.com/schollz/progressbar/v3"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/internal/terminal"
	"pakdb/schema"
)

// splitCatalogs separates catalogs from the other names: by their bytes, and the one that
// the command line names as the catalog, whose first bytes may be damaged.
func splitCatalogs(a *cli.App, names []string) (others, catalogs []string) {
	for _, name := range names {
		if cli.IsCatalog(name) || name == a.Catalog {
			catalogs = append(catalogs, name)
		} else {
			others = append(others, name)
		}
	}
	return others, catalogs
}

// catalog checks a catalog. Findings are reported as those of archives are, in the field
// that the check is called.
func (v *verification) catalog(ctx context.Context, path string) error {
	v.a.Result.Checked(path)
	var step atomic.Value
	step.Store("")
	stop := v.a.ShowBar(ctx, func(bar *progressbar.ProgressBar) { bar.Describe("checking: " + step.Load().(string)) })
	defer stop()
	var found []schema.Finding
	checked, err := schema.Check(ctx, path, func(f schema.Finding) { found = append(found, f) },
		func(name string) { step.Store(terminal.Printable(name)) })
	stop()
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, schema.ErrEmpty) {
		return fmt.Errorf("%w: %w", cli.ErrNoCatalog, err)
	}
	if err != nil {
		return err
	}
	return v.catalogFindings(path, found, checked)
}

// catalogFindings writes the findings of a catalog, and advice.
func (v *verification) catalogFindings(path string, found []schema.Finding, checked schema.Checked) error {
	v.found += int64(len(found))
	for _, f := range found {
		p := cli.Problem{Archive: &path, Field: &f.Check, Cause: f.Detail}
		build := ""
		if f.Build != "" {
			p.Cause = "build " + f.Build + ": " + f.Detail
			build = " build " + terminal.Printable(f.Build) + ":"
		}
		v.a.Result.Add(p)
		var err error
		if v.rows != nil {
			err = v.rows.Write(p.Row()...)
		} else {
			_, err = fmt.Fprintf(v.a.Stdout, "%s:%s %s\n", f.Check, build, terminal.Printable(f.Detail))
		}
		if err != nil {
			return err
		}
	}
	if len(found) > 0 {
		_, _ = fmt.Fprintln(v.a.Stderr, "pakdb: "+terminal.Printable(path)+": "+cli.Plural(int64(len(found)), "finding", "findings"))
		for _, line := range checkAdvice(checked) {
			_, _ = fmt.Fprintln(v.a.Stderr, "hint: "+terminal.Printable(line))
		}
		return nil
	}
	if v.a.Quiet || v.rows != nil {
		return nil
	}
	note := ""
	if checked.Interrupted {
		note = ", and what an interrupted scan left for the next one"
	}
	_, err := fmt.Fprintf(v.a.Stdout, "%s is sound: %s%s\n", terminal.Printable(path),
		cli.Plural(int64(len(checked.Readable)), "build", "builds"), note)
	return err
}

// checkAdvice says what to do about a catalog with findings.
func checkAdvice(c schema.Checked) []string {
	advice := []string{"do not write to it; put a copy from before the damage in its place, if there is one"}
	if len(c.Readable) > 0 {
		advice = append(advice, "all rows of these builds can still be read, though findings may concern them: "+strings.Join(c.Readable, ", "))
	}
	if len(c.Unreadable) > 0 {
		advice = append(advice, "not all rows can be read of: "+strings.Join(c.Unreadable, ", "))
	}
	return append(advice, `else scan the builds again into a new file: pakdb index --catalog NEW --build LABEL PATH...`)
}

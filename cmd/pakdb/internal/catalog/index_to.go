package catalog

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/indexer"
	"pakdb/internal/atomicfile"
	"pakdb/internal/terminal"
	"pakdb/schema"
)

// runIndexTo scans a build into a temporary catalog and copies it to an engine. A killed
// process leaves the catalog, which the next one removes, and no build that is seen.
func runIndexTo(ctx context.Context, a *cli.App, opts indexOptions, paths []string) (err error) {
	client, err := cli.ClickHouse(a, opts.to)
	if err != nil {
		return err
	}
	defer client.Close()
	if _, err := parseCreated(opts.created); err != nil {
		return err
	}
	if err := client.Reach(ctx); err != nil {
		return err
	}
	if err := client.Prepare(ctx); err != nil { // before the scan, which takes long
		return err
	}
	scratch, err := atomicfile.NewScratchDir("index")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, scratch.Close()) }()
	defer func(path string) { a.Catalog = path }(a.Catalog)
	a.Catalog = filepath.Join(scratch.Path(), "pakdb.db")
	report, err := scanAlone(ctx, a, opts, paths)
	if err != nil {
		return err
	}
	db, err := a.OpenCatalog(ctx)
	if err != nil {
		return err
	}
	stop := cli.Working(a, "copying build "+terminal.Printable(report.Build))
	pushed, err := client.Push(ctx, db, report.Build)
	stop()
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	problems := reportIndexed(ctx, a, report, opts.to)
	if !a.Quiet {
		_, err = fmt.Fprintf(a.Stdout, "%s build %s, %s\n", pushed.Did(), terminal.Printable(report.Build), cli.Plural(pushed.Rows, "row", "rows"))
	}
	return errors.Join(err, problems)
}

// scanAlone scans a build into a catalog that is not there yet.
func scanAlone(ctx context.Context, a *cli.App, opts indexOptions, paths []string) (*indexer.Report, error) {
	catalog, err := schema.Open(ctx, a.Catalog)
	if err != nil {
		return nil, err
	}
	report, err := scanBuild(ctx, a, catalog, opts, paths)
	return report, errors.Join(err, catalog.Close())
}

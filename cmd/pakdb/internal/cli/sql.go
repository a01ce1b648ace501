package cli

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"runtime/debug"
	"slices"

	"pakdb/codecs"
	"pakdb/codecs/gpak"
	"pakdb/diff/semantic"
	"pakdb/internal/objects"
	"pakdb/query"
	"pakdb/query/show"
	"pakdb/schema"
)

// OpenQueries opens the catalog with all SQL functions. It is the first to open a
// database in the process, and the last.
func OpenQueries(ctx context.Context, app *App) (db *query.DB, closeDB func(), err error) {
	if err := LimitMemory(); err != nil {
		return nil, nil, err
	}
	debug.SetGCPercent(50) // rows and pages are few large pieces, which cost little to go through
	return OpenQueriesOf(ctx, app, app.Catalog)
}

// OpenQueriesOf is OpenQueries of any catalog, and leaves the memory limit of the
// process as it is.
func OpenQueriesOf(ctx context.Context, app *App, catalog string) (db *query.DB, closeDB func(), err error) {
	contents := Contents(app, catalog)
	db, closeQueries, err := OpenQueriesWith(ctx, app, catalog, contents)
	if err != nil {
		return nil, nil, errors.Join(err, contents.Close())
	}
	return db, func() { closeQueries(); _ = contents.Close() }, nil
}

// OpenQueriesWith is OpenQueriesOf with these contents, which may be nil: then no function
// reads any.
func OpenQueriesWith(ctx context.Context, app *App, catalog string, contents *query.Contents) (db *query.DB, closeDB func(), err error) {
	beside := schema.ReadLater(catalog)
	db, err = query.Open(ctx, catalog, query.Options{Contents: contents, Functions: Functions(beside, contents, app.Registry()), Tables: Tables(beside)})
	if err != nil {
		return nil, nil, err
	}
	return db, func() { _ = errors.Join(db.Close(), beside.Close()) }, nil
}

// Functions are the SQL functions beside those of package query.
func Functions(catalog *sql.DB, contents *query.Contents, r *codecs.Registry) []schema.Function {
	return slices.Concat(show.GraphFunctions(catalog), show.Functions(catalog, contents, r), formatFunctions())
}

// formatFunctions are the SQL functions that formats bring along.
func formatFunctions() []schema.Function {
	hash := func(h func(string) uint64) func(string) driver.Value {
		return func(s string) driver.Value { return int64(h(s)) }
	}
	return []schema.Function{
		query.FunctionOf("gpak_hash(path)", "hash of a path in a Marvel Heroes .sip, signed", hash(gpak.Hash)),
		query.FunctionOf("calligraphy_id(path)", "id of a file of Marvel Heroes' database, signed", hash(gpak.FileID)),
		query.FunctionOf("resource_id(path)", "id of a resource file of Marvel Heroes, signed", hash(gpak.ResourceID)),
	}
}

// Tables are the SQL functions that yield rows.
func Tables(catalog *sql.DB) []schema.TableFunction {
	docs := map[string]string{
		"diff":           "what changed between two builds, a row a change, as pakdb diff shows it",
		"diff_files":     "the same, the files of an Unreal asset one by one",
		"diff_downloads": "what the update takes, by ways of transport",
		"diff_fields":    "what changed inside: fields, points and references, a row each",
		"search":         "where texts, names, values and paths are found, as pakdb find shows it",
	}
	tables := append(semantic.Tables(catalog), query.SearchFunction(catalog))
	for i := range tables {
		tables[i].Doc = docs[tables[i].Name]
	}
	return tables
}

// Contents returns the contents of a catalog: of the folder beside the user's own, and of
// archives. The caller closes it.
func Contents(a *App, catalog string) *query.Contents {
	return query.NewContents(catalog, a.Registry(), objects.For(a.Catalog), a.OpenOptions()) // a temporary catalog has no folder
}

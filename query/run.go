package query

import (
	"context"
	"database/sql/driver"
	"errors"
	"maps"
	"slices"

	"pakdb/schema"
)

// Run runs the statements of an SQL text one after the other and writes their
// results to out. It ends at the first error; what was written by then stays
// written. A name in args that no statement uses is an error, as is a parameter
// without a value; :build alone has one, the newest build.
func (db *DB) Run(ctx context.Context, text string, args Args, out Output) error {
	statements := Split(text)
	args, err := db.withBuild(ctx, statements, args)
	if err != nil {
		return err
	}
	w, err := out.writer()
	if err != nil {
		return err
	}
	for _, s := range statements {
		err := db.one(ctx, s, args, w.columns, w.row)
		if errors.Is(err, ErrLeft) {
			return err // w may still be in use
		}
		if err == nil {
			err = w.end()
		}
		if err != nil {
			return withFlush(db.describe(ctx, text, s, err), w.flush())
		}
	}
	return w.flush()
}

// withFlush joins the error of a statement and that of the flush after it. A write
// that failed fails the flush with the same error, which is said once.
func withFlush(err, flush error) error {
	if flush == nil || errors.Is(err, flush) {
		return err
	}
	return errors.Join(err, flush)
}

// one runs a statement.
func (db *DB) one(ctx context.Context, s Statement, args Args, columns func([]string) error, row func([]driver.Value) error) error {
	values, err := args.bind(s.SQL)
	if err != nil {
		return err
	}
	return db.inside(ctx, s.SQL, values, columns, row)
}

// Each runs one statement of a user's: columns is called once, row for every row, whose values
// belong to it until it returns. An error of either ends the statement and is returned. The
// parameter build has a value as for [DB.Run].
func (db *DB) Each(ctx context.Context, text string, args Args, columns func([]string) error, row func([]driver.Value) error) error {
	statements := Split(text)
	if len(statements) != 1 {
		return Usagef("", "%d statements; one is wanted", len(statements))
	}
	args, err := db.withBuild(ctx, statements, args)
	if err != nil {
		return err
	}
	if err := db.one(ctx, statements[0], args, columns, row); err != nil {
		return db.describe(ctx, text, statements[0], err)
	}
	return nil
}

// withBuild checks the values of statements and gives :build its default where one asks for it.
func (db *DB) withBuild(ctx context.Context, statements []Statement, args Args) (Args, error) {
	if err := args.check(statements); err != nil {
		return args, err
	}
	_, given := args.Named["build"]
	if given || !slices.ContainsFunc(statements, func(s Statement) bool {
		names, _ := parameters(s.SQL)
		return slices.Contains(names, "build")
	}) {
		return args, nil
	}
	build, err := db.Build(ctx, "newest")
	if err != nil {
		return args, err
	}
	named := map[string]driver.Value{"build": build}
	maps.Copy(named, args.Named)
	args.Named = named
	return args, nil
}

// Builds returns the labels of all builds, oldest first.
func (db *DB) Builds(ctx context.Context) ([]string, error) {
	builds, err := db.Texts(ctx, "SELECT build FROM builds ORDER BY build_id")
	if err != nil {
		return nil, db.describe(ctx, "", Statement{}, err)
	}
	return builds, nil
}

// Build returns label if there is such a build; "newest" is the build
// that was added last. Its errors are of class ErrUsage.
func (db *DB) Build(ctx context.Context, label string) (string, error) {
	builds, err := db.Builds(ctx)
	if err != nil {
		return "", err
	}
	if len(builds) == 0 {
		return "", Usagef("run pakdb index first", "%s: %w", db.catalog, errNoBuilds)
	}
	switch {
	case slices.Contains(builds, label):
		return label, nil
	case label == "newest":
		return builds[len(builds)-1], nil
	}
	return "", Usagef(suggest(label, builds), "%w: %s", schema.ErrNoBuild, label)
}

// before returns the build that was added before label, NULL for the first.
func (db *DB) before(ctx context.Context, label string) (driver.Value, error) {
	builds, err := db.Builds(ctx)
	if i := slices.Index(builds, label); i > 0 {
		return builds[i-1], nil
	}
	return nil, err
}

var errNoBuilds = errors.New("the catalog holds no build")

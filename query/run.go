package query

import (
	"context"
	"database/sql/driver"
	"errors"
	"maps"

	"pakdb/schema"
)

// Run runs the statements of an SQL text one after the other and writes their
// results to out. It ends at the first error; what was written by then stays
// written. A name in args that no statement uses is an error, as is a parameter
// without a value; :build alone has one, the newest build.
func (db *DB) Run(ctx context.Context, text string, args Args, out Output) error {
	statements := Split(text)
	if err := args.check(statements); err != nil {
		return err
	}
	args, err := db.withBuild(ctx, statements, args)
	if err != nil {
		return err
	}
	w, err := out.writer()
	if err != nil {
		return err
	}
	for _, s := range statements {
		err := db.runOne(ctx, text, s, args, w)
		if errors.Is(err, ErrLeft) {
			return err // w may still be in use
		}
		if err != nil {
			return withFlush(err, w.flush())
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

func (db *DB) runOne(ctx context.Context, text string, s Statement, args Args, w *output) error {
	values, err := args.bind(s.SQL)
	if err != nil {
		return err
	}
	err = db.sessions.inside(ctx, s.SQL, values, func(st *statement) error {
		return st.each(s.SQL, values, w.columns, w.row)
	})
	if err != nil {
		return db.explain.describe(ctx, text, s, err)
	}
	return w.end()
}

// Each runs one statement of a user's: columns is called once, row for every row, whose values
// belong to it until it returns. An error of either ends the statement and is returned. The
// parameter build has a value as for [DB.Run].
func (db *DB) Each(ctx context.Context, text string, args Args, columns func([]string) error, row func([]driver.Value) error) error {
	statements := Split(text)
	if len(statements) != 1 {
		return Usagef("", "%d statements; one is wanted", len(statements))
	}
	if err := args.check(statements); err != nil {
		return err
	}
	args, err := db.withBuild(ctx, statements, args)
	if err != nil {
		return err
	}
	values, err := args.bind(statements[0].SQL)
	if err != nil {
		return err
	}
	var own error // of columns or row
	keep := func(err error) error {
		own = err
		return err
	}
	err = db.sessions.inside(ctx, statements[0].SQL, values, func(st *statement) error {
		return st.each(statements[0].SQL, values, func(names []string) error { return keep(columns(names)) }, func(v []driver.Value) error { return keep(row(v)) })
	})
	switch {
	case errors.Is(err, ErrLeft):
		return err
	case own != nil:
		return own
	case err != nil:
		return db.explain.describe(ctx, text, statements[0], err)
	}
	return nil
}

// Column runs one statement of a user's and returns its first column, as text,
// without NULLs. Named values that it has no use for are passed over.
func (db *DB) Column(ctx context.Context, text string, args Args) ([]string, error) {
	statements := Split(text)
	if len(statements) != 1 {
		return nil, Usagef("", "%d statements; one is wanted", len(statements))
	}
	values, err := args.bind(statements[0].SQL)
	if err != nil {
		return nil, err
	}
	var all []string
	err = db.sessions.inside(ctx, statements[0].SQL, values, func(st *statement) error {
		return st.each(statements[0].SQL, values, func([]string) error { return nil }, func(row []driver.Value) error {
			if s, ok := row[0].(string); ok {
				all = append(all, s)
			}
			return nil
		})
	})
	if err != nil {
		return nil, db.explain.describe(ctx, text, statements[0], err)
	}
	return all, nil
}

// withBuild gives :build its default where a statement asks for it.
func (db *DB) withBuild(ctx context.Context, statements []Statement, args Args) (Args, error) {
	if _, given := args.Named["build"]; given {
		return args, nil
	}
	for _, s := range statements {
		names, _ := parameters(s.SQL)
		for _, name := range names {
			if name != "build" {
				continue
			}
			build, err := db.Build(ctx, "newest")
			if err != nil {
				return args, err
			}
			args.Named = maps.Clone(args.Named)
			if args.Named == nil {
				args.Named = map[string]driver.Value{}
			}
			args.Named["build"] = build
			return args, nil
		}
	}
	return args, nil
}

// Builds returns the labels of all builds, oldest first.
func (db *DB) Builds(ctx context.Context) ([]string, error) {
	builds, err := db.Texts(ctx, "SELECT build FROM builds ORDER BY build_id")
	if err != nil {
		return nil, db.explain.describe(ctx, "", Statement{}, err)
	}
	return builds, nil
}

// Build returns label if there is such a build; "newest" stands for the build
// that was added last. Its errors are of class ErrUsage.
func (db *DB) Build(ctx context.Context, label string) (string, error) {
	builds, err := db.Builds(ctx)
	if err != nil {
		return "", err
	}
	if len(builds) == 0 {
		return "", Usagef("run pakdb index first", "%s: %w", db.catalog, errNoBuilds)
	}
	for _, b := range builds {
		if b == label {
			return b, nil
		}
	}
	if label == "newest" {
		return builds[len(builds)-1], nil
	}
	return "", Usagef(suggest(label, builds), "%w: %s", schema.ErrNoBuild, label)
}

// Before returns the build that was added before label, NULL for the first.
func (db *DB) Before(ctx context.Context, label string) (driver.Value, error) {
	builds, err := db.Builds(ctx)
	if err != nil {
		return nil, err
	}
	for i, b := range builds {
		if b == label && i > 0 {
			return builds[i-1], nil
		}
	}
	return nil, nil
}

var errNoBuilds = errors.New("the catalog holds no build")

package semantic

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"pakdb/diff"
	"pakdb/schema"
)

// Tables returns the SQL functions diff(old, new), diff_files(old, new),
// diff_downloads(old, new) and diff_fields(old, new) over a catalog.
func Tables(catalog *sql.DB) []schema.TableFunction {
	t := &tableSource{catalog}
	params := []string{"old_build", "new_build"}
	return []schema.TableFunction{
		{Name: "diff", Params: params, Columns: diff.RowColumns(), Rows: t.rows(diff.Options{}, changeRows)},
		{Name: "diff_files", Params: params, Columns: diff.RowColumns(), Rows: t.rows(diff.Options{Files: true}, changeRows)},
		{Name: "diff_downloads", Params: params, Columns: diff.WayColumns(), Rows: t.rows(diff.Options{Brief: true}, downloadRows)},
		{Name: "diff_fields", Params: params, Columns: append([]string{"kind", "path", "old_path"}, Columns()...), Rows: t.rows(diff.Options{}, fieldRows)},
	}
}

type tableSource struct{ catalog *sql.DB }

// rows compares the builds that the arguments name, and has emit write what
// comes of it.
func (t *tableSource) rows(o diff.Options, emit func(context.Context, *sql.DB, *diff.Result, func([]driver.Value) error) error) func(context.Context, []driver.Value, func([]driver.Value) error) error {
	return func(ctx context.Context, args []driver.Value, add func([]driver.Value) error) error {
		labels := make([]string, 2)
		for i := range labels {
			switch label := args[i].(type) {
			case string:
				labels[i] = label
			case nil: // of @changes, for one
				return fmt.Errorf("%w: NULL; none is older than the first", schema.ErrNoBuild)
			default:
				return fmt.Errorf("%w: %v is no text: quote labels, as in diff('1.0', '1.1')", schema.ErrNoBuild, label)
			}
		}
		r, err := diff.Compare(ctx, t.catalog, labels[0], labels[1], o)
		if err != nil {
			return err
		}
		return emit(ctx, t.catalog, r, add)
	}
}

func changeRows(ctx context.Context, _ *sql.DB, r *diff.Result, write func([]driver.Value) error) error {
	for c, err := range r.Changes(ctx) {
		if err == nil {
			err = write(c.Row())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func downloadRows(ctx context.Context, db *sql.DB, r *diff.Result, write func([]driver.Value) error) error {
	all, err := diff.Ways(ctx, db, r)
	for i := range all {
		if err == nil {
			err = write(all[i].Row())
		}
	}
	return err
}

func fieldRows(ctx context.Context, db *sql.DB, r *diff.Result, write func([]driver.Value) error) (err error) {
	s := &Comparer{DB: db, OldBuild: r.OldBuild, NewBuild: r.NewBuild}
	defer func() { err = errors.Join(err, s.Close()) }()
	for c, err := range r.Changes(ctx) {
		if err != nil {
			return err
		}
		if (c.Kind|c.Also)&(diff.Modified|diff.Cosmetic) == 0 {
			continue
		}
		in, err := s.Compare(ctx, &c)
		if err != nil {
			return err
		}
		if in == nil {
			continue
		}
		for _, f := range in.AllFields() {
			if err := write(append(c.RowOf("kind", "path", "old_path"), f.Row()...)); err != nil {
				return err
			}
		}
	}
	return nil
}

package lifetime

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"iter"
	"strconv"

	"pakdb/schema"
)

// Functions returns the functions over a catalog; closeAll closes their connection.
func Functions(catalog string) (functions []schema.TableFunction, closeAll func() error) {
	c := &connection{schema.NewOnDemand(catalog)}
	return []schema.TableFunction{{
		Name:    "path_builds",
		Columns: []string{"path_id", "first_build", "last_build", "builds", "first_build_id", "last_build_id"},
		Params:  []string{"deleted"},
		Rows: func(ctx context.Context, args []driver.Value) iter.Seq2[[]driver.Value, error] {
			deleted, _ := args[0].(int64)
			return c.rows(ctx, func(db *sql.DB, yield func([]driver.Value, error) bool) error {
				return pathBuilds(ctx, db, deleted != 0, yield)
			})
		},
	}, {
		Name:    "path_changes",
		Columns: []string{"path_id", "changes", "builds", "stored_changed", "changed_in"},
		Rows: func(ctx context.Context, _ []driver.Value) iter.Seq2[[]driver.Value, error] {
			return c.rows(ctx, func(db *sql.DB, yield func([]driver.Value, error) bool) error {
				return pathChanges(ctx, db, yield)
			})
		},
	}, {
		Name:    "pakdb_contents", // statements are rewritten to read it, as the others whose names begin so
		Columns: []string{"content_id", "entries", "builds"},
		Rows: func(ctx context.Context, _ []driver.Value) iter.Seq2[[]driver.Value, error] {
			return c.rows(ctx, func(db *sql.DB, yield func([]driver.Value, error) bool) error {
				return contentBuilds(ctx, db, yield)
			})
		},
	}, {
		Name:    "pakdb_copies",
		Columns: []string{"build TEXT", "build_id", "content_id", "copies", "wasted"},
		Filters: []string{"build TEXT", "build_id"},
		Rows: func(ctx context.Context, filters []driver.Value) iter.Seq2[[]driver.Value, error] {
			return c.rows(ctx, func(db *sql.DB, yield func([]driver.Value, error) bool) error {
				return contentCopies(ctx, db, filters, yield)
			})
		},
	}, {
		Name:    "pakdb_pairs", // no column is called like one of the statement
		Columns: []string{"pakdb_old_archive_id", "pakdb_old_row_id", "pakdb_new_archive_id", "pakdb_new_row_id"},
		Params:  []string{"pakdb_old", "pakdb_new"},
		Rows: func(ctx context.Context, args []driver.Value) iter.Seq2[[]driver.Value, error] {
			labels, err := buildLabels(args)
			if err != nil {
				return failing(err)
			}
			return c.rows(ctx, func(db *sql.DB, yield func([]driver.Value, error) bool) error {
				return entryPairs(ctx, db, labels, yield)
			})
		},
	}, {
		Name:    "pakdb_alone",
		Columns: []string{"pakdb_row_id"},
		Params:  []string{"pakdb_old", "pakdb_new"},
		Rows: func(ctx context.Context, args []driver.Value) iter.Seq2[[]driver.Value, error] {
			labels, err := buildLabels(args)
			if err != nil {
				return failing(err)
			}
			return c.rows(ctx, func(db *sql.DB, yield func([]driver.Value, error) bool) error {
				return rowsAlone(ctx, db, labels, yield)
			})
		},
	}}, c.catalog.Close
}

// buildLabels returns the labels of two builds, as SQLite compares values with labels.
func buildLabels(args []driver.Value) (labels [2]string, err error) {
	for i := range labels {
		switch label := args[i].(type) {
		case string:
			labels[i] = label
		case int64:
			labels[i] = strconv.FormatInt(label, 10)
		case float64:
			return labels, errors.New("the label of a build is no number with a fraction")
		}
	}
	return labels, nil
}

func failing(err error) iter.Seq2[[]driver.Value, error] {
	return func(yield func([]driver.Value, error) bool) { yield(nil, err) }
}

// connection is opened when the first function is called.
type connection struct{ catalog *schema.OnDemand }

// rows yields what list does, and its error.
func (c *connection) rows(ctx context.Context, list func(*sql.DB, func([]driver.Value, error) bool) error) iter.Seq2[[]driver.Value, error] {
	return func(yield func([]driver.Value, error) bool) {
		ended := false
		err := error(nil)
		if db, openErr := c.catalog.Open(ctx); openErr != nil {
			err = openErr
		} else {
			err = list(db, func(row []driver.Value, err error) bool {
				ended = ended || !yield(row, err)
				return !ended
			})
		}
		if err != nil && !ended {
			yield(nil, err)
		}
	}
}

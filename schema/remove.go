package schema

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// removeUnfinished clears what an interrupted run left: its build, and archives
// that were not completed. Completed archives stay for the next run.
func removeUnfinished(ctx context.Context, tx *sql.Tx) error {
	err := execAll(ctx, tx,
		"DELETE FROM build_archive WHERE build_id IN (SELECT build_id FROM build WHERE complete = 0)",
		"DELETE FROM build_symbol WHERE build_id IN (SELECT build_id FROM build WHERE complete = 0)",
		"DELETE FROM build_shadow WHERE build_id IN (SELECT build_id FROM build WHERE complete = 0)",
		"DELETE FROM build WHERE complete = 0")
	if err != nil {
		return err
	}
	return removeArchives(ctx, tx, "complete = 0")
}

// removeReplaced deletes the build that has the label.
func removeReplaced(ctx context.Context, tx *sql.Tx, label string) error {
	var old int64
	err := tx.QueryRowContext(ctx, "SELECT build_id FROM build WHERE label = ? AND complete = 1", label).Scan(&old)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	return removeBuild(ctx, tx, old)
}

// hasReferences reports whether anything in the build refers to something: what
// names and ids stand for is of no use to a build that was only listed.
func hasReferences(ctx context.Context, tx *sql.Tx, id int64) (found bool, err error) {
	err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM ref) AND EXISTS (SELECT 1
		FROM build_archive ba
		CROSS JOIN entry e ON e.archive_id = ba.archive_id
		CROSS JOIN ref r ON r.content_id = e.content_id
		WHERE ba.build_id = ?)`, id).Scan(&found)
	return found, err
}

// mountsTheSame reports whether the complete build of that label mounts the very
// same archives as build id.
func mountsTheSame(ctx context.Context, tx *sql.Tx, id int64, label string) (bool, error) {
	var old int64
	err := tx.QueryRowContext(ctx, "SELECT build_id FROM build WHERE label = ? AND complete = 1", label).Scan(&old)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	const mounts = "SELECT ordinal, archive_id, name, location, mount_order, place, last_wins, stem FROM build_archive WHERE build_id = "
	var differ bool
	err = tx.QueryRowContext(ctx, "SELECT EXISTS ("+mounts+"?1 EXCEPT "+mounts+"?2) OR EXISTS ("+
		mounts+"?2 EXCEPT "+mounts+"?1)", id, old).Scan(&differ)
	return !differ, err
}

// removeBuild deletes a build, but not what it mounts.
func removeBuild(ctx context.Context, tx *sql.Tx, id int64) error {
	for _, table := range []string{"build_archive", "build_symbol", "build_shadow", "build_name", "build"} {
		if _, err := tx.ExecContext(ctx, "DELETE FROM "+table+" WHERE build_id = ?", id); err != nil {
			return err
		}
	}
	return nil
}

// removeUnmounted deletes archives that no build mounts.
func removeUnmounted(ctx context.Context, tx *sql.Tx) error {
	return removeArchives(ctx, tx, "NOT EXISTS (SELECT 1 FROM build_archive ba WHERE ba.archive_id = a.archive_id)")
}

// Remove deletes builds by label, and whatever no other build needs: archives,
// contents and their facts, paths. It returns an error that names the first
// label that is not there, and then removes nothing.
func (c *Catalog) Remove(ctx context.Context, labels ...string) error {
	err := c.inTx(ctx, func(tx *sql.Tx) error {
		for _, label := range labels {
			var id int64
			err := tx.QueryRowContext(ctx, "SELECT build_id FROM build WHERE label = ? AND complete = 1", label).Scan(&id)
			if errors.Is(err, sql.ErrNoRows) {
				return fmt.Errorf("%w: %q", ErrNoBuild, label)
			}
			if err != nil {
				return err
			}
			if err := removeBuild(ctx, tx, id); err != nil {
				return err
			}
		}
		if err := removeUnmounted(ctx, tx); err != nil {
			return err
		}
		return removeOrphans(ctx, tx)
	})
	return c.named(err)
}

// named adds the catalog's path and its class to an error of SQLite.
func (c *Catalog) named(err error) error {
	if code(err) == 0 {
		return err
	}
	return fmt.Errorf("catalog %s: %w", c.path, classify(err))
}

// removeOrphans deletes contents and paths that no entry has.
func removeOrphans(ctx context.Context, tx *sql.Tx) error {
	const contents = "(SELECT content_id FROM content c WHERE NOT EXISTS (SELECT 1 FROM entry_row e WHERE e.content_id = c.content_id))"
	facts, err := factTables(ctx, tx)
	if err != nil {
		return err
	}
	usedPaths, err := usedBy(ctx, tx, "path", facts)
	if err != nil {
		return err
	}
	usedNames, err := usedBy(ctx, tx, "name", append(facts, "entry_symbol"))
	if err != nil {
		return err
	}
	paths := "(SELECT path_id FROM path p WHERE NOT EXISTS (SELECT 1 FROM entry_row e WHERE e.path_id = p.path_id)" +
		" AND path_id NOT IN (" + usedPaths + "))"
	for _, table := range append(facts, "content_sketch", "content_key", "sum_key", "content") { // content last: the others ask it
		if _, err := tx.ExecContext(ctx, "DELETE FROM "+table+" WHERE content_id IN "+contents); err != nil {
			return err
		}
	}
	return execAll(ctx, tx,
		"DELETE FROM path_symbol WHERE path_id IN "+paths,
		"DELETE FROM path_key WHERE path_id IN "+paths,
		"DELETE FROM path WHERE path_id IN "+paths,
		"DELETE FROM name WHERE name_id NOT IN ("+usedNames+")",
		"DELETE FROM name_key WHERE name_id NOT IN (SELECT name_id FROM name)")
}

// Holds reports whether the catalog knows a content.
func (c *Catalog) Holds(ctx context.Context, d Digest) (held bool, err error) {
	err = c.db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1
		FROM content_key k
		JOIN content c ON c.content_id = k.content_id
		WHERE k.key = ? AND substr(c.hash, 1, ?) = ?)`, ContentKey(d[:]), StatedSize, d[:StatedSize]).Scan(&held)
	return held, c.named(err)
}

// Vacuum gives the space of removed rows back to the file system.
func (c *Catalog) Vacuum(ctx context.Context) error {
	_, err := c.db.ExecContext(ctx, "VACUUM")
	return c.named(err)
}

func execAll(ctx context.Context, tx *sql.Tx, statements ...string) error {
	for _, s := range statements {
		if _, err := tx.ExecContext(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

func (c *Catalog) inTx(ctx context.Context, do func(*sql.Tx) error) error {
	c.checkpoint.room()
	tx, err := c.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if err := do(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	c.checkpoint.committed()
	return nil
}

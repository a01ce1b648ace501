package schema

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/intern"
)

// scratch is what a catalog has beside others that one process compares builds in and
// then deletes; nil for all others.
type scratch struct {
	interner *intern.Interner // of the builds before; nil: there is none, or it failed
	labels   []string         // of the builds that have begun
}

// notCompared are indexes that no comparison uses.
const notCompared = `DROP INDEX path_dir;
DROP INDEX calligraphy_record_guid`

// OpenScratch makes a catalog at path, where there is nothing, in which builds are
// compared and which is then deleted. It is not for other use: it lacks the keys by
// which contents, names and references are found, and some indexes, and does not wait
// for the disk. All builds are written by the Catalog that is returned, each under
// another label, and none after one that failed.
func OpenScratch(ctx context.Context, path string) (*Catalog, error) {
	return openNamed(ctx, path, &scratch{})
}

func (s *scratch) sync() conn.Sync {
	if s == nil {
		return conn.SyncNormal
	}
	return conn.SyncOff
}

func (s *scratch) prepare(ctx context.Context, db *sql.DB) error {
	if s == nil {
		return nil
	}
	_, err := db.ExecContext(ctx, notCompared)
	return err
}

// interner returns what gives out the ids of a build that begins. That of a scratch
// catalog remembers the builds before, whose keys were not written.
func (c *Catalog) interner(ctx context.Context, tx *sql.Tx, label string) (*intern.Interner, error) {
	s := c.scratch
	if s == nil {
		return intern.New(ctx, c.finder, tx, false)
	}
	in := s.interner
	s.interner = nil
	again := slices.Contains(s.labels, label) // what only the old build has would be deleted
	s.labels = append(s.labels, label)
	switch {
	case again:
		return nil, fmt.Errorf("scratch catalog %s has build %q", c.path, label)
	case in != nil:
		in.Continue()
		return in, nil
	case len(s.labels) > 1:
		return nil, fmt.Errorf("scratch catalog %s: the build before has failed", c.path)
	}
	return intern.New(ctx, c.finder, tx, true)
}

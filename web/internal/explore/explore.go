package explore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"

	"pakdb/schema"
)

// Catalog is a catalog that is looked at. It is safe for concurrent use.
type Catalog struct {
	db    *sql.DB
	trees *Recent[int64, *Tree] // by build_id
}

// New returns the catalog of a database that schema.OpenReadOnly opened, which stays the
// caller's and must allow several connections.
func New(db *sql.DB) *Catalog { return &Catalog{db: db, trees: NewRecent[int64, *Tree](mostFolders)} }

// Build is a complete build, with sums of its archives.
type Build struct {
	Label    string `json:"build"`
	Created  string `json:"created_at"` // RFC 3339, UTC
	Archives int64  `json:"archive_count"`
	Entries  int64  `json:"entry_count"`
	Size     int64  `json:"size"` // bytes, decoded
	Stored   int64  `json:"stored"`
	Problems int64  `json:"problem_count"`
	ID       int64  `json:"build_id"` // a build that is scanned again gets another
}

const buildsSQL = `SELECT build, created_at, archive_count, entry_count, size, stored, problem_count, build_id FROM builds`

// Builds returns all builds, the oldest first.
func (c *Catalog) Builds(ctx context.Context) ([]Build, error) {
	rows, err := c.db.QueryContext(ctx, buildsSQL+" ORDER BY build_id")
	if err != nil {
		return nil, schema.Classify(err)
	}
	defer func() { _ = rows.Close() }()
	all := []Build{}
	for rows.Next() {
		var b Build
		if err := rows.Scan(&b.Label, &b.Created, &b.Archives, &b.Entries, &b.Size, &b.Stored, &b.Problems, &b.ID); err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return all, schema.Classify(rows.Err())
}

// Build returns the build of a label. The error is of class schema.ErrNoBuild if there is
// none.
func (c *Catalog) Build(ctx context.Context, label string) (*Build, error) {
	all, err := c.Builds(ctx)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].Label == label {
			return &all[i], nil
		}
	}
	return nil, fmt.Errorf("%w: %q", schema.ErrNoBuild, label)
}

// Archive is a file of a build.
type Archive struct {
	Name     string `json:"archive"`
	Format   string `json:"format"`
	Version  string `json:"version"`
	Size     int64  `json:"size"` // of the file
	Digest   string `json:"digest,omitempty"`
	Mount    string `json:"mount_point"`
	Order    int64  `json:"mount_order"`
	Entries  int64  `json:"entry_count"`
	Problems int64  `json:"problem_count"`
	Location string `json:"-"` // where it lay when it was scanned
	ID       int64  `json:"archive_id"`
}

// Archives returns the archives of a build, in its order.
func (c *Catalog) Archives(ctx context.Context, build string) ([]Archive, error) {
	all := []Archive{}
	err := schema.EachRow(ctx, c.db, `SELECT a.archive, a.format, a.version, a.size, a.digest, a.mount_point, a.mount_order, a.entry_count,
			a.problem_count, a.location, a.archive_id
		FROM archives a
		JOIN x_build_archive ba ON ba.build_id = a.build_id AND ba.archive_id = a.archive_id AND ba.name = a.archive
		WHERE a.build = ? ORDER BY ba.ordinal`, []driver.Value{build}, func(v []driver.Value) {
		all = append(all, Archive{Name: text(v[0]), Format: text(v[1]), Version: text(v[2]), Size: integer(v[3]), Digest: text(v[4]),
			Mount: text(v[5]), Order: integer(v[6]), Entries: integer(v[7]), Problems: integer(v[8]), Location: text(v[9]), ID: integer(v[10])})
	})
	return all, schema.Classify(err)
}

func text(v driver.Value) string {
	s, _ := v.(string)
	return s
}

func integer(v driver.Value) int64 {
	n, _ := v.(int64)
	return n
}

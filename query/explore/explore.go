package explore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"hash/fnv"

	"pakdb/internal/recent"
	"pakdb/schema"
)

// Catalog is a catalog that is looked at. It is safe for concurrent use.
type Catalog struct {
	db    *sql.DB
	trees *recent.Cache[int64, *Tree] // by build_id
}

// New returns the catalog of a database that schema.OpenReadOnly opened, which stays the
// caller's and must allow several connections.
func New(db *sql.DB) *Catalog { return &Catalog{db: db, trees: recent.New[int64, *Tree](mostFolders)} }

// Build is a complete build, with sums of its archives.
type Build struct {
	Label    string `json:"build"`
	Created  string `json:"created_at"` // RFC 3339, UTC
	Archives int64  `json:"archive_count"`
	Entries  int64  `json:"entry_count"`
	Size     int64  `json:"size"` // bytes, decoded
	Stored   int64  `json:"stored"`
	Problems int64  `json:"problem_count"`
	ID       int64  `json:"build_id,omitempty"` // of a catalog; 0 in a copy
	Copy     string `json:"-"`                  // identifies a copy, "" in a catalog
}

// Key identifies the build in this process: what is kept of it is for that key. A build that
// is scanned or copied again has another one.
func (b *Build) Key() int64 {
	if b.Copy == "" {
		return b.ID
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(b.Copy)) // a hash takes everything
	return int64(h.Sum64() >> 1)
}

// Source is what is asked of builds: those of a catalog ([Catalog]), or copies of them in an
// engine. It is safe for concurrent use. Errors for a build that is not there are of class
// schema.ErrNoBuild.
type Source interface {
	// Builds returns all builds, the oldest first.
	Builds(ctx context.Context) ([]Build, error)
	// Build returns the build of a label.
	Build(ctx context.Context, label string) (*Build, error)
	// Archives returns the archives of a build, in its order.
	Archives(ctx context.Context, build string) ([]Archive, error)
	// Problems returns what was found wrong with a build, at most so many.
	Problems(ctx context.Context, b *Build, most int) ([]BuildProblem, error)
	// Tree returns the folders of a build, with sums.
	Tree(ctx context.Context, build string) (*Tree, error)
	// Entry returns an entry of a build, or an error of class [ErrNoEntry].
	Entry(ctx context.Context, b *Build, at Place) (*Entry, error)
	// Places returns where a build has a path, what the game sees first.
	Places(ctx context.Context, b *Build, path string) ([]Place, error)
	// Search finds what a person typed in a build, at most so many answers.
	Search(ctx context.Context, b *Build, typed string, most int) (*Answers, error)
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
		JOIN build_archive ba ON ba.build_id = a.build_id AND ba.archive_id = a.archive_id AND ba.name = a.archive
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

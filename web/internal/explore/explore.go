package explore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"slices"

	"pakdb/schema"
)

// Catalog is a catalog that is looked at. It is safe for concurrent use.
type Catalog struct {
	db      *sql.DB
	trees   *Recent[int64, *Tree] // by build_id
	members *Recent[memberKey, []member]
}

// New returns the catalog of a database that schema.OpenReadOnly opened, which stays the
// caller's and must allow several connections.
func New(db *sql.DB) *Catalog {
	return &Catalog{db: db, trees: NewRecent[int64, *Tree](mostFolders), members: NewRecent[memberKey, []member](mostMembers)}
}

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

const buildsSQL = `SELECT build, created_at, archive_count, entry_count, size, stored, problem_count, build_id FROM builds ORDER BY build_id`

// Builds returns all builds, the oldest first.
func (c *Catalog) Builds(ctx context.Context) ([]Build, error) {
	all := []Build{}
	err := schema.EachRow(ctx, c.db, buildsSQL, nil, func(v []driver.Value) {
		all = append(all, Build{text(v[0]), text(v[1]), integer(v[2]), integer(v[3]), integer(v[4]), integer(v[5]), integer(v[6]), integer(v[7])})
	})
	return all, schema.Classify(err)
}

// Build returns the build of a label. The error is of class schema.ErrNoBuild if there is
// none.
func (c *Catalog) Build(ctx context.Context, label string) (*Build, error) {
	all, err := c.Builds(ctx)
	if err != nil {
		return nil, err
	}
	return find(all, label)
}

func find(builds []Build, label string) (*Build, error) {
	for i := range builds {
		if builds[i].Label == label {
			return &builds[i], nil
		}
	}
	return nil, fmt.Errorf("%w: %q", schema.ErrNoBuild, label)
}

// Rows returns the rows of a statement, which are not many.
func (c *Catalog) Rows(ctx context.Context, query string, args ...driver.Value) ([][]driver.Value, error) {
	all := [][]driver.Value{}
	err := schema.EachRow(ctx, c.db, query, args, func(v []driver.Value) { all = append(all, slices.Clone(v)) })
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

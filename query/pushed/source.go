package pushed

import (
	"cmp"
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pakdb/query/clickhouse"
	"pakdb/query/explore"
	"pakdb/schema"
)

// Source is the builds that a database of ClickHouse has. It is safe for concurrent use.
type Source struct {
	client *clickhouse.Client
	trees  *explore.Trees
}

var _ explore.Source = (*Source)(nil)

// New returns the builds of a database. The client stays the caller's.
func New(client *clickhouse.Client) *Source {
	return &Source{client: client, trees: explore.NewTrees()}
}

// values are those of parameters.
type values map[string]driver.Value

// each runs a statement of this package and calls row for each of its rows.
func (s *Source) each(ctx context.Context, sql string, named values, row func(v []driver.Value) error) error {
	return s.client.Ask(ctx, sql, named, func([]string) error { return nil }, row)
}

func text(v driver.Value) string {
	s, _ := v.(string)
	return s
}

func integer(v driver.Value) int64 {
	n, _ := v.(int64)
	return n
}

// pakdb_live has the rows of the view builds, and push, by which each is told from an earlier
// copy of the build.
const buildsSQL = "SELECT push, build, created_at, archive_count, entry_count, size, stored, problem_count FROM pakdb_live "

// Builds implements [explore.Source]. The oldest build is the one that was created first.
func (s *Source) Builds(ctx context.Context) ([]explore.Build, error) {
	return s.builds(ctx, buildsSQL+"ORDER BY created_at, build", nil)
}

func (s *Source) builds(ctx context.Context, sql string, named values) ([]explore.Build, error) {
	all := []explore.Build{}
	err := s.each(ctx, sql, named, func(v []driver.Value) error {
		all = append(all, explore.Build{Copy: text(v[0]), Label: text(v[1]), Created: text(v[2]), Archives: integer(v[3]), Entries: integer(v[4]),
			Size: integer(v[5]), Stored: integer(v[6]), Problems: integer(v[7])})
		return nil
	})
	return all, err
}

// Build implements [explore.Source].
func (s *Source) Build(ctx context.Context, label string) (*explore.Build, error) {
	found, err := s.builds(ctx, buildsSQL+"WHERE build = :build", values{"build": label})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%w: %q", schema.ErrNoBuild, label)
	}
	return &found[0], nil
}

// Archives implements [explore.Source].
func (s *Source) Archives(ctx context.Context, build string) ([]explore.Archive, error) {
	all := []explore.Archive{}
	err := s.each(ctx, `SELECT archive, format, version, size, digest, mount_point, mount_order, entry_count, problem_count
		FROM archives WHERE build = :build ORDER BY archive`, values{"build": build}, func(v []driver.Value) error {
		all = append(all, explore.Archive{Name: text(v[0]), Format: text(v[1]), Version: text(v[2]), Size: integer(v[3]), Digest: text(v[4]),
			Mount: text(v[5]), Order: integer(v[6]), Entries: integer(v[7]), Problems: integer(v[8])})
		return nil
	})
	return all, err
}

// Problems implements [explore.Source].
func (s *Source) Problems(ctx context.Context, b *explore.Build, most int) ([]explore.BuildProblem, error) {
	var all []explore.BuildProblem
	err := s.each(ctx, "SELECT archive, path, ordinal, field, `offset`, cause, whole FROM problems WHERE build = :build ORDER BY whole DESC, archive, ordinal NULLS FIRST LIMIT "+strconv.Itoa(most),
		values{"build": b.Label}, func(v []driver.Value) error {
			p := explore.BuildProblem{Archive: text(v[0]), Path: text(v[1]), Ordinal: -1, Problem: explore.Problem{Field: text(v[3]), Offset: integer(v[4]), Cause: text(v[5])}, Whole: integer(v[6]) != 0}
			if v[2] != nil {
				p.Ordinal = integer(v[2])
			}
			all = append(all, p)
			return nil
		})
	return all, err
}

// mounts are the archives of a build, by their names.
type mounts map[string]mount

type mount struct {
	root  string // what stands before its paths in the game's file system
	order int64  // the greatest wins
}

func (s *Source) mounts(ctx context.Context, build string) (mounts, error) {
	all := mounts{}
	err := s.each(ctx, "SELECT archive, mount_point, mount_order FROM archives WHERE build = :build", values{"build": build}, func(v []driver.Value) error {
		all[text(v[0])] = mount{schema.GameRoot(text(v[1])), integer(v[2])}
		return nil
	})
	return all, err
}

// roots returns the roots, each once.
func (m mounts) roots() (all []string) {
	for _, one := range m {
		all = append(all, one.root)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// compare compares places by which of them wins: the first one does.
func (m mounts) compare(a, b explore.Place) int {
	return cmp.Or(cmp.Compare(m[b.Archive].order, m[a.Archive].order), strings.Compare(a.Archive, b.Archive), cmp.Compare(a.Ordinal, b.Ordinal))
}

package diff

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"pakdb/codecs/mount"
	"pakdb/schema"
)

// build is one side of a comparison.
type build struct {
	id       int64
	label    string
	archives []archive // in the order of the build

	rows  []row
	times []int64 // of rows, by seq; nil unless they are compared
	reads []read

	places    []int64 // the rows of rows in their lineages, by seq; nil unless archives are akin
	keepsRows bool

	total  int  // rows that were read, of which mounting leaves some
	partly bool // not all of them by reads

	hidden map[entryAt]bool  // what the game does not see
	hides  map[entryAt]int32 // how many of these each entry hides
	names  map[entryAt]below // of chunks that another archive gives a path
	under  map[int32]string  // mount points of rows that are not below their archive's, by seq
}

// entryAt is an entry by the ordinals of its archive and its own.
type entryAt struct{ archive, ordinal int64 }

// below is a path and the mount point that it is below.
type below struct {
	path  int64
	mount string
}

// read is what one query added to rows: those from a place on, of archives whose
// ordinals are a JSON array.
type read struct {
	from     int
	ordinals string
}

// archive is one that a build mounts.
type archive struct {
	id, ordinal, entries int64
	name, format, mount  string

	place    int64 // the lowest wins
	lastWins bool  // of several entries of one path the last counts
	group    int32 // the same for an archive and its counterpart in the other build
	shared   bool  // both builds mount it
	twin     int64 // its ordinal in the other build, when shared
	loaded   bool  // its rows are in rows

	lineage, edition int64
	akin             bool // its counterpart, twin, is another edition of the lineage
	twinEdition      int64
}

// openBuild reads a build's archives.
func openBuild(ctx context.Context, db *sql.DB, label string) (*build, error) {
	b := &build{label: label}
	err := db.QueryRowContext(ctx, "SELECT build_id FROM build WHERE label = ? AND complete = 1", label).Scan(&b.id)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("%w: %q", schema.ErrNoBuild, label)
	}
	if err != nil {
		return nil, err
	}
	err = schema.EachRow(ctx, db, buildArchives, []driver.Value{b.id}, func(v []driver.Value) {
		b.archives = append(b.archives, archive{id: integer(v[0]), ordinal: integer(v[1]), place: integer(v[2]),
			entries: integer(v[3]), name: str(v[4]), format: str(v[5]), mount: mountPoint(str(v[6])), lastWins: integer(v[7]) != 0, group: -1,
			lineage: integer(v[8]), edition: integer(v[9])})
	})
	if err == nil {
		err = b.readNames(ctx, db)
	}
	if err == nil {
		err = b.readShadows(ctx, db)
	}
	return b, err
}

func (b *build) readNames(ctx context.Context, db *sql.DB) error {
	mounts := map[int64]string{}
	for i := range b.archives {
		mounts[b.archives[i].ordinal] = b.archives[i].mount
	}
	b.names, b.under = map[entryAt]below{}, map[int32]string{}
	return schema.EachRow(ctx, db, chunkNames, []driver.Value{b.id}, func(v []driver.Value) {
		b.names[entryAt{integer(v[0]), integer(v[1])}] = below{integer(v[2]), mounts[integer(v[3])]}
	})
}

// mountOf is the mount point that the path of a row is below.
func (b *build) mountOf(r *row) string {
	if mount, ok := b.under[r.seq]; ok {
		return mount
	}
	return b.archives[r.archive].mount
}

// mountPoint is where an archive's paths begin: "" or a folder with its slash.
func mountPoint(point string) string {
	if point = mount.Path(point, ""); point == "" {
		return ""
	}
	return point + "/"
}

// pairArchives gives each archive and its counterpart the same group: the one of
// the same name, else the very same file; the last that are left over, one on
// each side, are counterparts as well, for a file's name often tells the version.
func pairArchives(old, new *build) {
	next := int32(0)
	pair := func(a, b *archive) {
		a.group, b.group = next, next
		next++
	}
	for _, key := range []func(*archive) any{
		func(a *archive) any { return a.name },
		func(a *archive) any { return a.id },
	} {
		open := map[any]*archive{}
		for i := range old.archives {
			if a := &old.archives[i]; a.group < 0 {
				open[key(a)] = a
			}
		}
		for i := range new.archives {
			b := &new.archives[i]
			if a := open[key(b)]; b.group < 0 && a != nil && a.group < 0 {
				pair(a, b)
			}
		}
	}
	if a, b := old.lone(), new.lone(); a != nil && b != nil && a.format == b.format {
		pair(a, b)
	}
	for _, side := range []*build{old, new} {
		for i := range side.archives {
			if a := &side.archives[i]; a.group < 0 {
				a.group = next
				next++
			}
		}
	}
}

// lone returns the only archive without a counterpart.
func (b *build) lone() *archive {
	var found *archive
	for i := range b.archives {
		if a := &b.archives[i]; a.group < 0 {
			if found != nil {
				return nil
			}
			found = a
		}
	}
	return found
}

// baseMount is the mount point of most entries: their path ids are their keys.
func baseMount(builds ...*build) string {
	entries := map[string]int64{}
	best := ""
	for _, b := range builds {
		for i := range b.archives {
			a := &b.archives[i]
			entries[a.mount] += a.entries
			if n := entries[a.mount]; n > entries[best] || n == entries[best] && a.mount < best {
				best = a.mount
			}
		}
	}
	return best
}

package show

import (
	"context"
	"database/sql"
)

// Locality says how far apart the parts of a named resource lie in its archive:
// what the drive's head travels while the player waits at a door. Sizes and
// distances are in bytes.
type Locality struct {
	Archive   string `json:"archive"`
	Name      string `json:"name"`
	Path      string `json:"path"`      // of the resource; "" when the archive does not hold it
	Entries   int64  `json:"entries"`   // that it needs, itself included
	Stored    int64  `json:"stored"`    // bytes of them
	Spread    int64  `json:"spread"`    // from the first byte of any to the last
	Seek      int64  `json:"seek"`      // skipped, either way, when loaded as the game does
	FileOrder int64  `json:"sorted"`    // skipped when loaded in the order of the file
	Elsewhere int64  `json:"elsewhere"` // needed, but in other archives only
}

// Locality measures every named resource of the build, in the order of archives
// and names. Weak references count when weak is set.
//
// The load goes depth first, in the order of references, each entry after what
// it needs, which is how the games' archives are laid out. Of several copies it
// takes the nearest ahead of where the last read ended, and the nearest after
// when there is none ahead, as the games do. It begins at that copy of the
// first entry which lies closest before the resource. Entries that only other
// archives hold are counted and not followed.
func (g *Graph) Locality(ctx context.Context, weak bool) ([]Locality, error) {
	archives, err := g.namedArchives(ctx)
	if err != nil {
		return nil, err
	}
	all := []Locality{}
	for _, a := range archives {
		l, err := newLayout(ctx, g, a, weak)
		if err != nil {
			return nil, err
		}
		for _, r := range l.roots {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			all = append(all, l.measure(r))
		}
	}
	return all, nil
}

type namedArchive struct {
	id   int64
	name string
}

func (g *Graph) namedArchives(ctx context.Context) (all []namedArchive, err error) {
	return all, g.each(ctx, func(rows *sql.Rows) error {
		var a namedArchive
		err := rows.Scan(&a.id, &a.name)
		all = append(all, a)
		return err
	}, `SELECT ba.archive_id, ba.name FROM x_build_archive ba
		WHERE ba.build_id = ?1 AND EXISTS (SELECT 1 FROM x_named_resource n WHERE n.archive_id = ba.archive_id)
		ORDER BY ba.ordinal`, g.build)
}

// each runs a query and calls scan for every row.
func (g *Graph) each(ctx context.Context, scan func(*sql.Rows) error, query string, args ...any) error {
	rows, err := g.db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

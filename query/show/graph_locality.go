package show

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"

	"pakdb/schema"
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
	type named struct {
		id   int64
		name string
	}
	archives, err := schema.All(ctx, g.db, func(a *named) []any { return []any{&a.id, &a.name} }, `SELECT ba.archive_id, ba.name
		FROM x_build_archive ba
		WHERE ba.build_id = ?1 AND EXISTS (SELECT 1 FROM x_named_resource n WHERE n.archive_id = ba.archive_id)
		ORDER BY ba.ordinal`, g.build)
	if err != nil {
		return nil, err
	}
	all := []Locality{}
	for _, a := range archives {
		l, err := newLayout(ctx, g, a.id, weak)
		if err != nil {
			return nil, err
		}
		for _, r := range l.roots {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			r.Archive = a.name
			all = append(all, l.measure(r))
		}
	}
	return all, nil
}

// measure loads a named resource, and follows the drive's head on its way.
func (l *layout) measure(r root) Locality {
	m := r.Locality
	if r.asset == nil {
		return m
	}
	l.visit++
	var at, first, end int64 // where the last read ended; all that was read
	l.afterNeeds(r.asset, loadsAlone(r.Name), func(a *placedAsset) {
		if len(a.copies) == 0 {
			m.Elsewhere++
			return
		}
		if m.Entries == 0 {
			at = a.copies[0].off
			for _, c := range a.copies {
				if c.off <= r.asset.copies[0].off {
					at = c.off
				}
			}
			first = at
		}
		x := a.copies[len(a.copies)-1]
		if ahead := slices.IndexFunc(a.copies, func(c extent) bool { return c.off >= at }); ahead >= 0 {
			x = a.copies[ahead]
		}
		m.Entries++
		m.Stored += x.stored
		m.Seek += max(x.off-at, at-x.off)
		at = x.off + x.stored
		first, end = min(first, x.off), max(end, at)
	})
	m.Spread = end - first
	m.FileOrder = max(m.Spread-m.Stored, 0)
	return m
}

// step is an asset whose needs are being followed.
type step struct {
	asset *placedAsset
	next  int // of its needs
}

// afterNeeds calls do for all that an asset needs and was not visited before,
// each after what it needs itself, the asset last. It keeps its own stack: a
// chain may be as long as the archive.
func (l *layout) afterNeeds(from *placedAsset, alone bool, do func(*placedAsset)) {
	from.visit = l.visit
	steps := []step{{asset: from}}
	for len(steps) > 0 {
		s := &steps[len(steps)-1]
		a := s.asset
		if !a.isAlone && !alone && s.next < len(a.needs) {
			to := a.needs[s.next]
			s.next++
			if to.visit != l.visit {
				to.visit = l.visit
				steps = append(steps, step{asset: to})
			}
			continue
		}
		do(a)
		steps = steps[:len(steps)-1]
	}
}

// layout is where an archive has its assets, and what they need.
type layout struct {
	archive int64
	assets  []*placedAsset // in the order of the file
	roots   []root
	visit   int32

	byPath    map[int64]*placedAsset
	byContent map[int64][]*placedAsset
	byID      map[assetID]*placedAsset
}

// placedAsset is a path: copies share it.
type placedAsset struct {
	copies  []extent       // by offset; none: other archives have it
	needs   []*placedAsset // in the order of references
	isAlone bool           // what it refers to is not loaded with it
	visit   int32          // the last that came by
}

type extent struct{ off, stored int64 }

// root is a named resource that is not measured yet; asset is nil when the archive does not
// hold it.
type root struct {
	Locality
	asset *placedAsset
}

// loadsAlone reports whether a named resource of Retro Studios' games is loaded
// without its references.
func loadsAlone(name string) bool { return strings.HasSuffix(name, "NODEPEND") }

// typeAlone is a type of which the same holds.
const typeAlone = "CSNG"

type assetID struct{ id, typ int64 }

// newLayout reads the layout of an archive.
func newLayout(ctx context.Context, g *Graph, archive int64, weak bool) (*layout, error) {
	l := &layout{archive: archive, byPath: map[int64]*placedAsset{}, byContent: map[int64][]*placedAsset{}, byID: map[assetID]*placedAsset{}}
	err := l.entries(ctx, g.db)
	if err == nil {
		err = l.references(ctx, g, weak)
	}
	if err == nil {
		err = l.names(ctx, g.db)
	}
	return l, err
}

func (l *layout) asset(path int64) *placedAsset {
	if l.byPath[path] == nil {
		l.byPath[path] = &placedAsset{}
		l.assets = append(l.assets, l.byPath[path])
	}
	return l.byPath[path]
}

// entries reads where copies are. The first copy of an asset has its
// references.
func (l *layout) entries(ctx context.Context, db *sql.DB) error {
	err := schema.Each(ctx, db, func(rows *sql.Rows) error {
		var path, content int64
		var x extent
		var id assetID
		var word string
		if err := rows.Scan(&path, &x.off, &x.stored, &content, &id.id, &id.typ, &word); err != nil {
			return err
		}
		a := l.asset(path)
		if a.copies == nil {
			a.isAlone = word == typeAlone
			l.byID[id] = a
			l.byContent[content] = append(l.byContent[content], a)
		}
		a.copies = append(a.copies, x)
		return nil
	}, `SELECT e.path_id, e.row, e.stored, coalesce(e.content_id, 0), coalesce(e.id_lo, 0), coalesce(e.type_id, 0), coalesce(w.word, '')
		FROM x_entry e LEFT JOIN x_word w ON w.word_id = e.type_id
		WHERE e.archive_id = ? AND e.path_id IS NOT NULL AND e.flags & 2 = 0
		ORDER BY e.row`, l.archive)
	if err != nil {
		return err
	}
	return schema.Locate(ctx, db, func(at func(archive, row int64) (int64, error)) (err error) {
		for _, a := range l.assets {
			for k := range a.copies {
				x := &a.copies[k] // it has the row so far
				if x.off, err = at(l.archive, x.off); err != nil {
					return err
				}
			}
			slices.SortFunc(a.copies, func(a, b extent) int { return cmp.Compare(a.off, b.off) })
		}
		return nil
	})
}

func (l *layout) references(ctx context.Context, g *Graph, weak bool) error {
	return schema.Each(ctx, g.db, func(rows *sql.Rows) error {
		var content, path int64
		if err := rows.Scan(&content, &path); err != nil {
			return err
		}
		to := l.asset(path)
		for _, from := range l.byContent[content] {
			from.needs = append(from.needs, to)
		}
		return nil
	}, `SELECT r.content_id, bs.path_id
		FROM (SELECT DISTINCT content_id FROM x_entry WHERE archive_id = ?2) c
		CROSS JOIN x_ref r ON r.content_id = c.content_id
		CROSS JOIN x_build_symbol bs ON bs.build_id = ?1 AND bs.space_id = r.space_id AND bs.key = r.key
		WHERE bs.present = 1 AND r.flags & 1 <= ?3
		ORDER BY r.content_id, r.seq`, g.build, l.archive, weak)
}

func (l *layout) names(ctx context.Context, db *sql.DB) error {
	return schema.Each(ctx, db, func(rows *sql.Rows) error {
		var r root
		var id assetID
		err := rows.Scan(&r.Name, &id.id, &id.typ, &r.Path)
		if r.asset = l.byID[id]; r.asset == nil {
			r.Path = ""
		}
		l.roots = append(l.roots, r)
		return err
	}, `SELECT n.name, n.id_lo, n.type_id,
		       coalesce((SELECT d.prefix || p.name
		        FROM x_entry e
		        JOIN x_path p ON p.path_id = e.path_id
		        JOIN x_dir d ON d.dir_id = p.dir_id
		        WHERE e.id_lo = n.id_lo AND e.type_id = n.type_id AND e.archive_id = n.archive_id
		        LIMIT 1), '')
		FROM x_named_resource n WHERE n.archive_id = ? ORDER BY n.ordinal`, l.archive)
}

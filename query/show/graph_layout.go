package show

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"

	"pakdb/schema"
)

// layout is where an archive has its assets, and what they need.
type layout struct {
	archive namedArchive
	assets  []placedAsset
	roots   []root
	visit   int32
}

// placedAsset is a path: copies share it.
type placedAsset struct {
	path    int64
	copies  []extent // by offset; none: other archives have it
	needs   []int32  // in the order of references
	isAlone bool     // what it refers to is not loaded with it
	visit   int32    // the last that came by
}

type extent struct{ off, stored int64 }

func (x extent) end() int64 { return x.off + x.stored }

// root is a named resource; asset is -1 when the archive does not hold it.
type root struct {
	name  string
	path  string
	asset int32
}

// loadsAlone reports whether a named resource of Retro Studios' games is loaded
// without its references.
func loadsAlone(name string) bool { return strings.HasSuffix(name, "NODEPEND") }

// typeAlone is a type of which the same holds.
const typeAlone = "CSNG"

// loader reads a layout.
type loader struct {
	*layout
	g         *Graph
	byPath    map[int64]int32
	byContent map[int64][]int32
	byID      map[assetID]int32
}

type assetID struct{ id, typ int64 }

// newLayout reads the layout of an archive.
func newLayout(ctx context.Context, g *Graph, a namedArchive, weak bool) (*layout, error) {
	l := &loader{&layout{archive: a}, g, map[int64]int32{}, map[int64][]int32{}, map[assetID]int32{}}
	for _, load := range []func() error{
		func() error { return l.entries(ctx) },
		func() error { return l.references(ctx, weak) },
		func() error { return l.names(ctx) },
	} {
		if err := load(); err != nil {
			return nil, err
		}
	}
	return l.layout, nil
}

func (l *loader) asset(path int64) int32 {
	i, ok := l.byPath[path]
	if !ok {
		i = int32(len(l.assets))
		l.byPath[path] = i
		l.assets = append(l.assets, placedAsset{path: path})
	}
	return i
}

// entries reads where copies are. The first copy of an asset has its
// references.
func (l *loader) entries(ctx context.Context) error {
	err := l.g.each(ctx, func(rows *sql.Rows) error {
		var path int64
		var x extent
		var content, id, typ sql.NullInt64
		var word sql.NullString
		if err := rows.Scan(&path, &x.off, &x.stored, &content, &id, &typ, &word); err != nil {
			return err
		}
		i := l.asset(path)
		a := &l.assets[i]
		if a.copies == nil {
			a.isAlone = word.String == typeAlone
			l.byID[assetID{id.Int64, typ.Int64}] = i
			l.byContent[content.Int64] = append(l.byContent[content.Int64], i)
		}
		a.copies = append(a.copies, x)
		return nil
	}, `SELECT e.path_id, e.row, e.stored, e.content_id, e.id_lo, e.type_id, w.word
		FROM x_entry e LEFT JOIN x_word w ON w.word_id = e.type_id
		WHERE e.archive_id = ? AND e.path_id IS NOT NULL AND e.flags & 2 = 0
		ORDER BY e.row`, l.archive.id)
	if err != nil {
		return err
	}
	err = schema.Locate(ctx, l.g.db, func(at func(archive, row int64) (int64, error)) (err error) {
		for i := range l.assets {
			for k := range l.assets[i].copies {
				x := &l.assets[i].copies[k] // it has the row so far
				if x.off, err = at(l.archive.id, x.off); err != nil {
					return err
				}
			}
		}
		return nil
	})
	for i := range l.assets {
		slices.SortFunc(l.assets[i].copies, func(a, b extent) int { return cmp.Compare(a.off, b.off) })
	}
	return err
}

func (l *loader) references(ctx context.Context, weak bool) error {
	return l.g.each(ctx, func(rows *sql.Rows) error {
		var content, path int64
		if err := rows.Scan(&content, &path); err != nil {
			return err
		}
		to := l.asset(path)
		for _, from := range l.byContent[content] {
			l.assets[from].needs = append(l.assets[from].needs, to)
		}
		return nil
	}, `SELECT r.content_id, bs.path_id
		FROM (SELECT DISTINCT content_id FROM x_entry WHERE archive_id = ?2) c
		CROSS JOIN x_ref r ON r.content_id = c.content_id
		CROSS JOIN x_build_symbol bs ON bs.build_id = ?1 AND bs.space_id = r.space_id AND bs.key = r.key
		WHERE bs.present = 1 AND r.flags & 1 <= ?3
		ORDER BY r.content_id, r.seq`, l.g.build, l.archive.id, weak)
}

func (l *loader) names(ctx context.Context) error {
	return l.g.each(ctx, func(rows *sql.Rows) error {
		r := root{asset: -1}
		var id assetID
		var path sql.NullString
		if err := rows.Scan(&r.name, &id.id, &id.typ, &path); err != nil {
			return err
		}
		if i, ok := l.byID[id]; ok {
			r.asset, r.path = i, path.String
		}
		l.roots = append(l.roots, r)
		return nil
	}, `SELECT n.name, n.id_lo, n.type_id,
		       (SELECT d.prefix || p.name
		        FROM x_entry e
		        JOIN x_path p ON p.path_id = e.path_id
		        JOIN x_dir d ON d.dir_id = p.dir_id
		        WHERE e.id_lo = n.id_lo AND e.type_id = n.type_id AND e.archive_id = n.archive_id
		        LIMIT 1)
		FROM x_named_resource n WHERE n.archive_id = ? ORDER BY n.ordinal`, l.archive.id)
}

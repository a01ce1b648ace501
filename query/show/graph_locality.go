package show

import (
	"cmp"
	"context"
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
	type root struct {
		Locality
		archive, path int64
	}
	roots, err := schema.All(ctx, g.db, func(r *root) []any { return []any{&r.archive, &r.Archive, &r.Name, &r.path, &r.Path} },
		`SELECT ba.archive_id, ba.name, n.name, coalesce(p.path_id, 0), coalesce(d.prefix || p.name, '')
		FROM x_build_archive ba
		CROSS JOIN x_named_resource n ON n.archive_id = ba.archive_id
		LEFT JOIN x_path p ON p.path_id = (SELECT e.path_id
			FROM x_entry e
			WHERE e.id_lo = n.id_lo AND e.type_id = n.type_id AND e.archive_id = n.archive_id AND e.path_id IS NOT NULL AND e.flags & 2 = 0
			LIMIT 1)
		LEFT JOIN x_dir d ON d.dir_id = p.dir_id
		WHERE ba.build_id = ?1
		ORDER BY ba.ordinal, n.ordinal`, g.build)
	if err != nil {
		return nil, err
	}
	all := make([]Locality, len(roots))
	var assets map[int64]*placedAsset
	for i, r := range roots {
		if i == 0 || r.archive != roots[i-1].archive {
			if assets, err = g.layout(ctx, r.archive, weak); err != nil {
				return nil, err
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		all[i] = r.Locality
		if a := assets[r.path]; a != nil {
			all[i].measure(a, i+1)
		}
	}
	return all, nil
}

// measure loads a named resource, and follows the drive's head on its way. visit is the number
// of the load.
func (m *Locality) measure(root *placedAsset, visit int) {
	var at, first, end int64 // where the last read ended; all that was read
	root.afterNeeds(loadsAlone(m.Name), visit, func(a *placedAsset) {
		if len(a.copies) == 0 {
			m.Elsewhere++
			return
		}
		if m.Entries == 0 {
			at = a.copies[0].off
			for _, c := range a.copies {
				if c.off <= root.copies[0].off {
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
}

// placedAsset is a path of an archive: copies share it.
type placedAsset struct {
	copies  []extent       // by offset; none: other archives have it
	needs   []*placedAsset // in the order of references
	isAlone bool           // what it refers to is not loaded with it
	visit   int            // the last load that came by
	next    int            // of its needs, in that load
}

type extent struct{ off, stored int64 }

// loadsAlone reports whether a named resource of Retro Studios' games is loaded
// without its references.
func loadsAlone(name string) bool { return strings.HasSuffix(name, "NODEPEND") }

// afterNeeds calls do for all that an asset needs and this load has not visited before,
// each after what it needs itself, the asset last. It keeps its own stack: a
// chain may be as long as the archive.
func (a *placedAsset) afterNeeds(alone bool, visit int, do func(*placedAsset)) {
	a.visit, a.next = visit, 0
	for stack := []*placedAsset{a}; len(stack) > 0; {
		a := stack[len(stack)-1]
		if a.isAlone || alone || a.next == len(a.needs) {
			do(a)
			stack = stack[:len(stack)-1]
			continue
		}
		to := a.needs[a.next]
		a.next++
		if to.visit != visit {
			to.visit, to.next = visit, 0
			stack = append(stack, to)
		}
	}
}

// layout returns where an archive has its assets, and what they need, by their path_id. The
// first copy of an asset has its references. Those of type CSNG are loaded alone.
func (g *Graph) layout(ctx context.Context, archive int64, weak bool) (map[int64]*placedAsset, error) {
	type pair struct {
		path, to, stored int64 // to: a row, or a path
		isAlone          bool
	}
	copies, err := schema.All(ctx, g.db, func(p *pair) []any { return []any{&p.path, &p.to, &p.stored, &p.isAlone} },
		`SELECT e.path_id, e.row, e.stored, coalesce(w.word = 'CSNG', 0)
		FROM x_entry e LEFT JOIN x_word w ON w.word_id = e.type_id
		WHERE e.archive_id = ? AND e.path_id IS NOT NULL AND e.flags & 2 = 0
		ORDER BY e.row DESC`, archive)
	if err != nil {
		return nil, err
	}
	assets := map[int64]*placedAsset{}
	asset := func(path int64) *placedAsset {
		if assets[path] == nil {
			assets[path] = &placedAsset{}
		}
		return assets[path]
	}
	err = schema.Locate(ctx, g.db, func(at func(archive, row int64) (int64, error)) error {
		for _, c := range copies {
			off, err := at(archive, c.to)
			if err != nil {
				return err
			}
			a := asset(c.path)
			a.isAlone = c.isAlone
			a.copies = append(a.copies, extent{off, c.stored})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, a := range assets {
		slices.SortFunc(a.copies, func(a, b extent) int { return cmp.Compare(a.off, b.off) })
	}
	needs, err := schema.All(ctx, g.db, func(p *pair) []any { return []any{&p.path, &p.to} },
		`SELECT e.path_id, bs.path_id
		FROM (SELECT path_id, content_id, min(row) FROM x_entry WHERE archive_id = ?2 AND path_id IS NOT NULL AND flags & 2 = 0 GROUP BY path_id) e
		CROSS JOIN x_ref r ON r.content_id = e.content_id
		CROSS JOIN x_build_symbol bs ON bs.build_id = ?1 AND bs.space_id = r.space_id AND bs.key = r.key
		WHERE bs.present = 1 AND r.flags & 1 <= ?3
		ORDER BY e.path_id, r.seq`, g.build, archive, weak)
	for _, n := range needs {
		from := asset(n.path)
		from.needs = append(from.needs, asset(n.to))
	}
	return assets, err
}

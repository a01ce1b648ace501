package other

import (
	"context"
	"database/sql/driver"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/zeebo/blake3"
	sqlite3 "modernc.org/sqlite/lib"

	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/record"
	"pakdb/schema/internal/rows"
)

// Catalog is a catalog as it was when it was opened, whatever is written to it meanwhile. It
// is for one goroutine.
type Catalog struct {
	finder     *conn.Finder
	statements *conn.Statements // on the connection of finder
	words      map[int64]string
	texts      *rows.Texts
	filled     map[string]bool // whether a table has rows
}

// Open opens the catalog at path, whose tables are those of this pakdb.
func Open(ctx context.Context, path string) (*Catalog, error) {
	c := &Catalog{finder: conn.NewFinder(path), words: map[int64]string{}, filled: map[string]bool{}}
	var err error
	if c.statements, err = c.finder.Hold(ctx); err == nil {
		c.texts, err = rows.NewTexts(ctx, c.statements)
	}
	if err == nil {
		err = c.each(ctx, "x_word", "SELECT word_id, word FROM x_word", nil, func(r *row) { c.words[r.number("word_id")] = r.text("word") })
	}
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

// Close closes the catalog.
func (c *Catalog) Close() error {
	if c.statements != nil {
		_ = c.statements.Close()
	}
	return c.finder.Close()
}

// Words returns all words. Some that no row names say what has been scanned.
func (c *Catalog) Words() []string { return slices.Sorted(maps.Values(c.words)) }

// Build is a complete build.
type Build struct {
	ID      int64
	Label   string
	Created time.Time
	State   int64 // see column value_state
	Valued  bool  // it has a State

	Archives, Bytes int64  // how many, and the size of their files
	Print           string // see [Prints]
}

// Builds returns the complete builds, in the order in which they were scanned.
func (c *Catalog) Builds(ctx context.Context) (all []Build, err error) {
	err = c.each(ctx, "x_build", `SELECT b.build_id, b.label, b.created_at, b.value_state, count(a.archive_id), coalesce(sum(a.size), 0)
		FROM x_build b
		LEFT JOIN x_build_archive ba ON ba.build_id = b.build_id
		LEFT JOIN x_archive a ON a.archive_id = ba.archive_id
		WHERE b.complete = 1
		GROUP BY b.build_id
		ORDER BY b.build_id`, nil, func(r *row) {
		b := Build{ID: r.number("build_id"), Label: r.text("label")}
		var err error
		if b.Created, err = time.Parse(time.RFC3339, r.text("created_at")); err != nil || b.Label == "" {
			r.fail("created_at", "no time, or the label is empty")
		}
		b.State, b.Valued = r.maybeNumber("value_state")
		b.Archives, b.Bytes = r.number("archives"), r.number("size")
		all = append(all, b)
	})
	if err != nil {
		return nil, err
	}
	prints, err := Prints(ctx, c.finder.DB)
	for i := range all {
		all[i].Print = prints[all[i].Label]
	}
	return all, conn.Classify(err)
}

// Mounts returns the mounts of a build in their order. Archive is the id in this catalog.
func (c *Catalog) Mounts(ctx context.Context, build int64) (all []record.Mount, err error) {
	const query = `SELECT archive_id, name, location, mount_order, place, last_wins, stem
		FROM x_build_archive WHERE build_id = ? ORDER BY ordinal`
	err = c.each(ctx, "x_build_archive", query, []driver.Value{build}, func(r *row) {
		m := record.Mount{Archive: r.number("archive_id"), Name: r.text("name"), Location: r.text("location"), Order: r.number("mount_order"),
			Place: r.number("place"), LastWins: r.flag("last_wins"), Stem: r.maybeText("stem")}
		all = append(all, m)
	})
	return all, err
}

// Archive is an archive of this catalog.
type Archive struct {
	record.Archive
	ID      int64
	Digest  *record.Digest // of the whole file, when it is known
	Entries int64

	lineage, edition int64
}

// Archive returns an archive by its id.
func (c *Catalog) Archive(ctx context.Context, id int64) (*Archive, error) {
	const query = `SELECT size, mtime, quick, digest, scan, format, version, mount_point, encrypted, entry_count, lineage_id, edition
		FROM x_archive WHERE archive_id = ? AND complete = 1`
	var a *Archive
	err := c.each(ctx, "x_archive", query, []driver.Value{id}, func(r *row) {
		a = &Archive{ID: id}
		a.Size, a.ModTime, a.Quick = r.number("size"), r.number("mtime"), r.digest("quick")
		if d := r.blob("digest", 32); len(d) == 32 {
			a.Digest = (*record.Digest)(d)
		}
		a.Scan, a.Format, a.Version, a.MountPoint = r.text("scan"), r.text("format"), r.text("version"), r.text("mount_point")
		a.Encrypted, a.Entries = r.flag("encrypted"), r.number("entry_count")
		a.lineage, a.edition = r.number("lineage_id"), r.number("edition")
	})
	if err == nil && a == nil {
		err = fmt.Errorf("%w: build_archive.archive_id: %d leads to no row", conn.ErrDamaged, id)
	}
	return a, err
}

// Problems calls take for what was found about an archive.
func (c *Catalog) Problems(ctx context.Context, archive int64, take func(record.Problem)) error {
	const query = "SELECT ordinal, path, field, offset, cause, whole FROM x_problem WHERE archive_id = ? ORDER BY seq"
	return c.each(ctx, "x_problem", query, []driver.Value{archive}, func(r *row) {
		take(record.Problem{Ordinal: r.place("ordinal"), Path: r.maybeText("path"), Field: r.text("field"), Offset: r.place("offset"),
			Cause: r.text("cause"), Whole: r.flag("whole")})
	})
}

// Names calls take for the public names in an archive.
func (c *Catalog) Names(ctx context.Context, archive int64, take func(record.Name)) error {
	const query = "SELECT ordinal, name, type_id, id_hi, id_lo, id_bits FROM x_named_resource WHERE archive_id = ? ORDER BY ordinal"
	return c.each(ctx, "x_named_resource", query, []driver.Value{archive}, func(r *row) {
		n := record.Name{Ordinal: r.number("ordinal"), Name: r.text("name"), Type: r.word("type_id")}
		high, _ := r.maybeNumber("id_hi")
		n.ID, n.IDBits = [2]uint64{uint64(high), uint64(r.number("id_lo"))}, r.number("id_bits")
		take(n)
	})
}

// Mappings returns the mappings that were given, those that were given together in one list, the
// last ones last.
func (c *Catalog) Mappings(ctx context.Context) (all [][]record.Mapping, err error) {
	var ids []int64
	var last int64
	classes := map[int64]*record.Values{}
	err = c.each(ctx, "x_mapping", "SELECT mapping_id, name, digest, data, used FROM x_mapping ORDER BY used, mapping_id", nil, func(r *row) {
		id := r.number("mapping_id")
		ids, classes[id] = append(ids, id), &record.Values{}
		m := record.Mapping{Name: r.text("name"), Classes: classes[id]}
		digest := r.digest("digest")
		if m.Data = r.need("data"); blake3.Sum256(m.Data) != digest {
			r.fail("data", "%s has another digest", m.Name)
		}
		if used := r.number("used"); all == nil || used != last {
			all, last = append(all, nil), used
		}
		all[len(all)-1] = append(all[len(all)-1], m)
	})
	if err != nil {
		return nil, err
	}
	sets, err := c.setsWhere(ctx, "v.mapping_id = src.a", ids)
	for _, s := range sets {
		*classes[s.mapping] = *s.Values
	}
	return all, err
}

// Prints returns what the complete builds of a catalog mount, as texts that are equal where
// the archives are, and were scanned alike, by the labels of the builds.
func Prints(ctx context.Context, db conn.Querier) (map[string]string, error) {
	return conn.Map[string, string](ctx, db, `SELECT b.label, group_concat(json_array(ba.name, ba.mount_order, ba.place, ba.last_wins, ba.stem,
			a.size, hex(coalesce(a.digest, a.quick)), a.format, a.scan) ORDER BY ba.ordinal)
		FROM x_build b
		LEFT JOIN x_build_archive ba ON ba.build_id = b.build_id
		LEFT JOIN x_archive a ON a.archive_id = ba.archive_id
		WHERE b.complete = 1
		GROUP BY b.build_id`)
}

// each runs a query and calls take for each of its rows, up to the first that is damaged.
func (c *Catalog) each(ctx context.Context, table, query string, args []driver.Value, take func(*row)) error {
	r := &row{Catalog: c, table: table}
	err := conn.EachRow(ctx, c.finder.DB, query, args, r.taking(take))
	return first(err, r.err)
}

// eachOf is each with temp.src showing ids. Tables without rows are passed over: most formats
// fill few of them.
func (c *Catalog) eachOf(ctx context.Context, table, query string, ids []int64, take func(*row)) error {
	filled, known := c.filled[table]
	if !known {
		err := c.each(ctx, table, "SELECT EXISTS (SELECT 1 FROM "+table+")", nil, func(r *row) { filled = r.flag("rows") })
		if err != nil {
			return err
		}
		c.filled[table] = filled
	}
	if !filled {
		return nil
	}
	r := &row{Catalog: c, table: table}
	err := c.finder.Each(ctx, query, len(ids), func(row, _ int) driver.Value { return ids[row] }, r.taking(take))
	return first(err, r.err)
}

// first returns the error of a query, or what is wrong with a row of it. A statement that
// does not compile means tables that are not those of a catalog.
func first(err, damage error) error {
	if damage != nil {
		return damage
	}
	if conn.Primary(conn.Code(err)) == sqlite3.SQLITE_ERROR {
		return fmt.Errorf("%w: %w", conn.ErrDamaged, err)
	}
	return conn.Classify(err)
}

// row is a row of a query. Its methods take the next column, or keep the first error.
type row struct {
	*Catalog
	table string
	v     []driver.Value
	err   error
}

func (r *row) taking(take func(*row)) func([]driver.Value) {
	return func(v []driver.Value) {
		if r.err == nil {
			r.v = v
			take(r)
		}
	}
}

func (r *row) fail(field string, format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s.%s: %s", conn.ErrDamaged, r.table, field, fmt.Sprintf(format, args...))
	}
}

// next returns the next column.
func (r *row) next() driver.Value {
	v := r.v[0]
	r.v = r.v[1:]
	return v
}

// maybe returns the next column; ok is false for NULL.
func maybe[T any](r *row, field string) (v T, ok bool) {
	next := r.next()
	if next == nil {
		return v, false
	}
	v, isOne := next.(T)
	if !isOne {
		r.fail(field, "%T, not %T", next, v)
	}
	return v, true
}

// must is maybe of a column that has a value in each row.
func must[T any](r *row, field string) T {
	v, ok := maybe[T](r, field)
	if !ok {
		r.fail(field, "it is NULL")
	}
	return v
}

func (r *row) number(field string) int64                   { return must[int64](r, field) }
func (r *row) maybeNumber(field string) (n int64, ok bool) { return maybe[int64](r, field) }
func (r *row) flag(field string) bool                      { return r.number(field) != 0 }
func (r *row) text(field string) string                    { return must[string](r, field) }

// maybeText returns a text, "" for NULL.
func (r *row) maybeText(field string) string {
	s, _ := maybe[string](r, field)
	return s
}

// blob returns bytes, nil for NULL. Sizes, if any are given, are those that it may have.
func (r *row) blob(field string, sizes ...int) []byte {
	b, ok := maybe[[]byte](r, field)
	if !ok {
		return nil
	}
	if len(sizes) > 0 && !slices.Contains(sizes, len(b)) {
		r.fail(field, "%d bytes", len(b))
	}
	return append([]byte{}, b...)
}

// need is blob of a column that has bytes in each row.
func (r *row) need(field string, sizes ...int) []byte {
	b := r.blob(field, sizes...)
	if b == nil {
		r.fail(field, "it is NULL")
	}
	return b
}

// digest returns a hash that must be there.
func (r *row) digest(field string) (d [32]byte) {
	copy(d[:], r.need(field, 32))
	return d
}

// place returns an ordinal or an offset, -1 for NULL.
func (r *row) place(field string) int64 {
	n, ok := r.maybeNumber(field)
	if !ok {
		return -1
	}
	return n
}

// word, name and path return the text that an id in the next column leads to, "" for NULL.
func (r *row) word(field string) string { return r.textOf(field, r.Catalog.word) }
func (r *row) name(field string) string { return r.textOf(field, r.texts.Name) }
func (r *row) path(field string) string { return r.textOf(field, r.texts.Whole) }

func (r *row) textOf(field string, find func(id int64) (string, error)) string {
	id, ok := r.maybeNumber(field)
	if !ok {
		return ""
	}
	text, err := find(id)
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("%s.%s: %w", r.table, field, conn.Classify(err))
	}
	return text
}

func (c *Catalog) word(id int64) (string, error) {
	w, found := c.words[id]
	if !found {
		return "", fmt.Errorf("%w: x_word: %d leads to no row", conn.ErrDamaged, id)
	}
	return w, nil
}

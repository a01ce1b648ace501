package views

import (
	"context"
	"database/sql/driver"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/rows"
)

// reader reads rows of a view in the order in which the view yields them.
type reader interface {
	// read appends up to max rows to a store and reports whether there may be more.
	read(s *store, max int) (more bool, err error)
	close() error
}

// condition is what an inner statement asks of a view beside its columns.
type condition struct {
	where string // with one ?
	arg   driver.Value
}

// sqlReader reads rows by a statement over the view as it is stored in the file.
type sqlReader struct {
	rows    driver.Rows
	columns []int
	values  []driver.Value
	packed  int           // the place of the offset among the columns; the archive and the row come after them
	offsets *rows.Offsets // nil: it is not read
}

// bySQL reads rows that fulfil all conditions.
func (t *table) bySQL(columns []int, conditions ...condition) (reader, error) {
	var b strings.Builder
	b.WriteString("SELECT ")
	for i, c := range columns {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quoted(t.columns[t.readAs(c)].name))
	}
	packed := slices.IndexFunc(columns, t.isPacked)
	if packed >= 0 {
		b.WriteString(", archive_id, row_id")
	}
	if len(columns) == 0 {
		b.WriteString("1")
	}
	b.WriteString(" FROM main." + quoted(t.name))
	var args []driver.Value
	for i, c := range conditions {
		b.WriteString([2]string{" WHERE ", " AND "}[min(i, 1)] + c.where)
		args = append(args, c.arg)
	}
	found, err := t.statements.Query(t.ctx, b.String(), args)
	if err != nil {
		return nil, err
	}
	r := &sqlReader{rows: found, columns: columns, values: make([]driver.Value, max(1, len(columns)))}
	if packed >= 0 {
		r.packed, r.values = packed, make([]driver.Value, len(columns)+2)
		if r.offsets, err = t.offsets(); err != nil {
			return nil, errors.Join(err, r.close())
		}
	}
	return r, nil
}

func (r *sqlReader) read(s *store, n int) (more bool, err error) {
	for range n {
		switch err := r.rows.Next(r.values); {
		case err == io.EOF:
			return false, nil
		case err != nil:
			return false, err
		}
		if r.offsets != nil {
			archive, _ := r.values[len(r.columns)].(int64)
			row, _ := r.values[len(r.columns)+1].(int64)
			offset, err := r.offsets.At(archive, row)
			if err != nil {
				return false, err
			}
			r.values[r.packed] = offset
		}
		for i, c := range r.columns {
			s.columns[c].add(s.pool, r.values[i])
		}
		s.n++
	}
	return true, nil
}

func (r *sqlReader) close() error { return r.rows.Close() }

// entryReader reads the view entries past SQL, which takes a tenth of the time.
type entryReader struct {
	t       *table
	columns []int
	tests   []test
	builds  []build // that are read together
	rest    []build // that are read afterwards
	scanner *rows.Scanner
	fill    []func(s *store, e *rows.Row)
	named   map[[2]int64]named // by mount and row
}

// named is a path that another archive gives an entry.
type named struct {
	path int64
	root string // of that archive
}

// loadNamed reads which entries of a build have their paths of another archive.
func (r *entryReader) loadNamed(b build) error {
	r.named = map[[2]int64]named{}
	return r.t.each(`SELECT n.mount, n.row, n.path_id, a.game_root
		FROM main.x_build_name n
		JOIN main.x_build_archive ba ON ba.build_id = n.build_id AND ba.ordinal = n.by_mount
		JOIN main.x_archive a ON a.archive_id = ba.archive_id
		WHERE n.build_id = ?`, []driver.Value{b.id}, func(v []driver.Value) {
		mount, _ := v[0].(int64)
		row, _ := v[1].(int64)
		path, _ := v[2].(int64)
		root, _ := v[3].(string)
		r.named[[2]int64{mount, row}] = named{path, strings.Clone(root)}
	})
}

// entries reads the entries of builds that pass tests of columns that are the same in all archives
// that have a row.
func (t *table) entries(builds []build, columns []int, tests []test) (reader, error) {
	r := &entryReader{t: t, columns: columns, tests: tests, rest: builds}
	return r, r.next()
}

// next begins to read builds together, or a single one where each has names of its own.
func (r *entryReader) next() error {
	uses := func(names ...string) bool {
		return slices.ContainsFunc(r.columns, func(c int) bool { return slices.Contains(names, r.t.columns[c].name) })
	}
	n := len(r.rest)
	if uses("game_path") {
		n = 1
		if err := r.loadNamed(r.rest[0]); err != nil {
			return err
		}
	}
	r.builds, r.rest, r.fill = r.rest[:n], r.rest[n:], nil
	labels := make([]string, n)
	for i, b := range r.builds {
		labels[i] = b.label
	}
	ids, err := r.t.ids()
	if err == nil {
		r.scanner, err = rows.NewScanner(r.t.ctx, r.t.statements, uses("ordinal", "offset"), labels...)
	}
	if err != nil {
		return err
	}
	for _, c := range r.columns {
		r.fill = append(r.fill, r.filler(ids, c))
	}
	if len(r.tests) > 0 {
		r.scanner.Wants = r.wants(ids, r.tests)
	}
	return nil
}

// wants returns the function that says whether a row passes tests.
func (r *entryReader) wants(ids *ids, tests []test) func(e *rows.Row) (bool, error) {
	one := newStore(len(r.t.columns), &pool{})
	fill := make([]func(s *store, e *rows.Row), len(tests))
	for i := range tests {
		tests[i].prepare()
		fill[i] = r.filler(ids, tests[i].column)
	}
	return func(e *rows.Row) (bool, error) {
		for i := range tests {
			c := &one.columns[tests[i].column]
			c.kinds, c.cells, one.pool.values = c.kinds[:0], c.cells[:0], one.pool.values[:0]
			fill[i](one, e)
			if ok, err := tests[i].passes(one, 0); !ok || err != nil {
				return false, err
			}
		}
		return true, nil
	}
}

// isOfArchive reports whether a column of the view entries differs between archives that have a
// row.
func (t *table) isOfArchive(column int) bool {
	switch t.columns[column].name {
	case "archive", "archive_id", "ordinal", "offset", "game_path":
		return true
	}
	return t.isOfBuild(column)
}

func (r *entryReader) read(s *store, n int) (more bool, err error) {
	for range n {
		e, err := r.scanner.Next()
		switch {
		case err != nil || e == nil && len(r.rest) == 0:
			return false, err
		case e == nil: // rows of other builds need other texts, so that they begin another chunk
			return true, r.next()
		}
		for _, fill := range r.fill {
			fill(s, e)
		}
		s.n++
	}
	return true, nil
}

func (r *entryReader) close() error { return nil }

// filler returns the function that appends a cell to a column.
func (r *entryReader) filler(ids *ids, column int) func(s *store, e *rows.Row) {
	ref := func(texts texts, id func(e *rows.Row) int64) func(s *store, e *rows.Row) {
		return func(s *store, e *rows.Row) {
			c := &s.columns[column]
			c.refs = texts
			if n := id(e); n != 0 {
				c.ref(n)
			} else {
				c.null()
			}
		}
	}
	optional := func(n func(e *rows.Row) int64) func(s *store, e *rows.Row) {
		return func(s *store, e *rows.Row) {
			if n := n(e); n != 0 {
				s.columns[column].int(n)
			} else {
				s.columns[column].null()
			}
		}
	}
	path := func(e *rows.Row) int64 { return e.Path }
	content := func(e *rows.Row) int64 { return e.Content }
	name := r.t.columns[r.t.readAs(column)].name
	switch name {
	case "build":
		labels := make([]driver.Value, len(r.builds))
		for i, b := range r.builds {
			labels[i] = b.label
		}
		return ref(func(id int64) (driver.Value, error) { return labels[id-1], nil }, func(e *rows.Row) int64 { return int64(e.Archive.Build) + 1 })
	case "build_id":
		return func(s *store, e *rows.Row) { s.columns[column].int(r.builds[e.Archive.Build].id) }
	case "archive":
		names := map[int64]driver.Value{} // by the number: a build may have one archive under several names
		return ref(func(number int64) (driver.Value, error) { return names[number], nil }, func(e *rows.Row) int64 {
			if names[e.Archive.Number] == nil {
				names[e.Archive.Number] = e.Archive.Name
			}
			return e.Archive.Number
		})
	case "path":
		return ref(ids.paths.text, path)
	case "game_path":
		texts := &gamePaths{ids: ids}
		return ref(texts.text, func(e *rows.Row) int64 {
			switch other, ok := r.named[[2]int64{e.Mount, e.Row}]; {
			case e.Flags&40 != 0: // no file of the game
				return 0
			case ok:
				return texts.id(other.root, other.path)
			}
			return texts.id(e.Archive.Root, e.Path)
		})
	case "dir":
		return ref(ids.dir, path)
	case "name":
		return ref(ids.name, path)
	case "ext":
		return ref(ids.ext, path)
	case "type":
		return ref(ids.word, func(e *rows.Row) int64 { return e.Type })
	case "method":
		return ref(ids.word, func(e *rows.Row) int64 { return e.Method })
	case "content":
		return ref(ids.contents.text, content)
	case "kind":
		return ref(ids.kind, content)
	case "path_id":
		return optional(path)
	case "content_id":
		return optional(content)
	}
	if number := numbers[name]; number != nil {
		return func(s *store, e *rows.Row) { s.columns[column].int(number(e)) }
	}
	if value := values[name]; value != nil {
		return func(s *store, e *rows.Row) { s.columns[column].add(s.pool, value(e)) }
	}
	return nil
}

// Columns of the view entries, by what they are of a row.
var (
	numbers = map[string]func(e *rows.Row) int64{
		"archive_id": func(e *rows.Row) int64 { return e.ID },
		"ordinal":    func(e *rows.Row) int64 { return e.Ordinal },
		"offset":     func(e *rows.Row) int64 { return e.Offset },
		"stored":     func(e *rows.Row) int64 { return e.Stored.Stored },
		"size":       func(e *rows.Row) int64 { return e.Size },
		"encrypted":  func(e *rows.Row) int64 { return e.Flags & 1 },
		"deleted":    func(e *rows.Row) int64 { return e.Flags >> 1 & 1 },
		"nested":     func(e *rows.Row) int64 { return e.Flags >> 3 & 1 },
		"row_id":     func(e *rows.Row) int64 { return e.Row },
	}
	values = map[string]func(e *rows.Row) driver.Value{
		"mtime":          timeText,
		"asset_id":       assetText,
		"asset_key":      func(e *rows.Row) driver.Value { return number64(e.Asset) },
		"path_hash_key":  func(e *rows.Row) driver.Value { return number64(e.PathHash) },
		"path_hash":      pathHashText,
		"padded_content": paddedText,
	}
)

// readsPastSQL reports whether all of these columns of the view are read past SQL.
func (t *table) readsPastSQL(columns []int) bool {
	if t.name != "entries" {
		return false
	}
	for _, c := range columns {
		if (&entryReader{t: t}).filler(&ids{}, c) == nil {
			return false
		}
	}
	return true
}

func number64(n *int64) driver.Value {
	if n == nil {
		return nil
	}
	return *n
}

// timeText is datetime(mtime, 'unixepoch') in SQL.
func timeText(e *rows.Row) driver.Value {
	if !e.HasTime || e.Mtime < -210866760000 || e.Mtime > 253402300799 { // SQLite knows no other days
		return nil
	}
	t := time.Unix(e.Mtime, 0).UTC()
	if y := t.Year(); y < 0 {
		return fmt.Sprintf("-%04d%s", -y, t.Format("-01-02 15:04:05"))
	}
	return t.Format("2006-01-02 15:04:05")
}

func assetText(e *rows.Row) driver.Value {
	if e.Asset == nil {
		return nil
	}
	high, low := uint64(e.High), uint64(*e.Asset)
	switch e.Bits {
	case 32:
		return fmt.Sprintf("%08x", low)
	case 64:
		return fmt.Sprintf("%016x", low)
	case 96:
		return fmt.Sprintf("%08x%016x", high, low)
	case 128:
		return fmt.Sprintf("%016x%016x", high, low)
	}
	return nil
}

func pathHashText(e *rows.Row) driver.Value {
	if e.PathHash == nil {
		return nil
	}
	return fmt.Sprintf("%016x", uint64(*e.PathHash))
}

func paddedText(e *rows.Row) driver.Value {
	if e.Padded == nil {
		return nil
	}
	return hex.EncodeToString(e.Padded)
}

// ids makes texts of the ids of paths, contents and words, as long as a statement runs.
type ids struct {
	source          *rows.Texts
	paths, contents cache
	words           map[int64]driver.Value
}

func newIDs(ctx context.Context, s *conn.Statements) (*ids, error) {
	source, err := rows.NewTexts(ctx, s)
	x := &ids{source: source, words: map[int64]driver.Value{}}
	x.paths, x.contents = cache{make: source.Whole}, cache{make: x.hexOf}
	return x, err
}

// cache keeps some texts that were made last: a row that several builds have comes for each of them,
// and a row of one side of a join for each of the other.
type cache struct {
	make func(id int64) (string, error)
	kept [16]struct { // by the last digits of ids
		id   int64
		text driver.Value
	}
}

func (c *cache) text(id int64) (driver.Value, error) {
	k := &c.kept[uint64(id)%uint64(len(c.kept))]
	if k.id == id {
		return k.text, nil
	}
	text, err := c.make(id)
	if err != nil {
		return nil, err
	}
	k.id, k.text = id, text
	return text, nil
}

func (x *ids) hexOf(content int64) (string, error) {
	hash, _, _, err := x.source.Content(content)
	var digits [128]byte
	return string(hex.AppendEncode(digits[:0], hash)), err
}

func (x *ids) kind(content int64) (driver.Value, error) {
	_, _, kind, err := x.source.Content(content)
	if err != nil {
		return nil, err
	}
	return x.word(kind)
}

func (x *ids) dir(path int64) (driver.Value, error) {
	f, _, err := x.source.Path(path)
	if err != nil {
		return nil, err
	}
	return f.Dir, nil
}

func (x *ids) name(path int64) (driver.Value, error) {
	_, name, err := x.source.Path(path)
	return string(name), err
}

func (x *ids) ext(path int64) (driver.Value, error) {
	ext, err := x.source.Ext(path)
	if err != nil {
		return nil, err
	}
	return x.word(ext)
}

func (x *ids) word(id int64) (driver.Value, error) {
	if w, ok := x.words[id]; ok || id == 0 {
		return w, nil
	}
	w, err := x.source.Word(id)
	if err == nil {
		x.words[id] = w
	}
	return w, err
}

// gamePaths are paths in the game, by a number that has the root in its upper bits.
type gamePaths struct {
	*ids
	roots []string
}

// rootBits is where the root begins: no catalog has as many paths.
const rootBits = 40

// id returns the number of a path, 0 for none.
func (x *gamePaths) id(root string, path int64) int64 {
	if path == 0 {
		return 0
	}
	at := slices.Index(x.roots, root)
	if at < 0 {
		at, x.roots = len(x.roots), append(x.roots, root)
	}
	return int64(at)<<rootBits | path
}

func (x *gamePaths) text(id int64) (driver.Value, error) {
	path, err := x.source.Whole(id & (1<<rootBits - 1))
	return x.roots[id>>rootBits] + path, err
}

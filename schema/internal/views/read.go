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
	"unsafe"

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
	done    func() error
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
		b.WriteString(quoted(t.columns[c].name))
	}
	packed := slices.IndexFunc(columns, t.isPacked)
	if packed >= 0 {
		b.WriteString(", archive_id, row_id")
	}
	if len(columns) == 0 {
		b.WriteString("1")
	}
	b.WriteString(" FROM main." + quoted(t.name))
	var args []driver.NamedValue
	for i, c := range conditions {
		b.WriteString([2]string{" WHERE ", " AND "}[min(i, 1)] + c.where)
		args = append(args, driver.NamedValue{Ordinal: i + 1, Value: c.arg})
	}
	found, done, err := t.open(b.String(), args)
	if err != nil {
		return nil, err
	}
	r := &sqlReader{rows: found, done: done, columns: columns, values: make([]driver.Value, max(1, len(columns)))}
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

func (r *sqlReader) close() error { return errors.Join(r.rows.Close(), r.done()) }

// entryReader reads the view entries of a build past SQL, which takes a tenth of the time.
type entryReader struct {
	t       *table
	build   build
	scanner *rows.Scanner
	fill    []func(s *store, e *rows.Row)
	named   map[[2]int64]named // by mount and row
}

// named is a path that another archive gives an entry.
type named struct {
	path int64
	root string // of that archive
}

// loadNamed reads which entries have their paths of another archive.
func (r *entryReader) loadNamed() error {
	r.named = map[[2]int64]named{}
	return r.t.each(`SELECT n.mount, n.row, n.path_id, a.game_root
		FROM main.x_build_name n
		JOIN main.x_build_archive ba ON ba.build_id = n.build_id AND ba.ordinal = n.by_mount
		JOIN main.x_archive a ON a.archive_id = ba.archive_id
		WHERE n.build_id = ?`, []driver.Value{r.build.id}, func(v []driver.Value) {
		mount, _ := v[0].(int64)
		row, _ := v[1].(int64)
		path, _ := v[2].(int64)
		root, _ := v[3].(string)
		r.named[[2]int64{mount, row}] = named{path, strings.Clone(root)}
	})
}

// entries reads the entries of a build.
func (t *table) entries(b build, columns []int) (reader, error) {
	r := &entryReader{t: t, build: b}
	if slices.ContainsFunc(columns, func(c int) bool { return t.columns[c].name == "game_path" }) {
		if err := r.loadNamed(); err != nil {
			return r, err
		}
	}
	ids, err := t.ids()
	if err == nil {
		r.scanner, err = rows.NewScanner(t.ctx, t.statements, b.label)
	}
	if err != nil {
		return r, err
	}
	for _, c := range columns {
		r.fill = append(r.fill, r.filler(ids, c))
	}
	return r, nil
}

func (r *entryReader) read(s *store, n int) (more bool, err error) {
	for range n {
		e, err := r.scanner.Next()
		if e == nil || err != nil {
			return false, err
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
	integer := func(n func(e *rows.Row) int64) func(s *store, e *rows.Row) {
		return func(s *store, e *rows.Row) { s.columns[column].int(n(e)) }
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
	value := func(v func(e *rows.Row) driver.Value) func(s *store, e *rows.Row) {
		return func(s *store, e *rows.Row) { s.columns[column].add(s.pool, v(e)) }
	}
	path := func(e *rows.Row) int64 { return e.Path }
	content := func(e *rows.Row) int64 { return e.Content }
	switch r.t.columns[column].name {
	case "build":
		return ref(labels{1: r.build.label}, func(*rows.Row) int64 { return 1 })
	case "build_id":
		return integer(func(*rows.Row) int64 { return r.build.id })
	case "archive":
		names := labels{} // by the mount: a build may have one archive under several names
		return ref(names, func(e *rows.Row) int64 {
			if names[e.Mount+1] == nil {
				names[e.Mount+1] = e.Archive.Name
			}
			return e.Mount + 1
		})
	case "archive_id":
		return integer(func(e *rows.Row) int64 { return e.ID })
	case "ordinal":
		return integer(func(e *rows.Row) int64 { return e.Ordinal })
	case "path":
		return ref(pathTexts{ids, pathWhole}, path)
	case "game_path":
		texts := &gamePaths{ids: ids, at: map[string]int64{}}
		return ref(texts, func(e *rows.Row) int64 {
			switch other, ok := r.named[[2]int64{e.Mount, e.Row}]; {
			case e.Flags&40 != 0: // no file of the game
				return 0
			case ok:
				return texts.id(other.root, other.path)
			}
			return texts.id(e.Archive.Root, e.Path)
		})
	case "dir":
		return ref(pathTexts{ids, pathDir}, path)
	case "name":
		return ref(pathTexts{ids, pathName}, path)
	case "ext":
		return ref(pathTexts{ids, pathExt}, path)
	case "type":
		return ref(wordTexts{ids}, func(e *rows.Row) int64 { return e.Type })
	case "method":
		return ref(wordTexts{ids}, func(e *rows.Row) int64 { return e.Method })
	case "content":
		return ref(contentTexts{ids}, content)
	case "kind":
		return ref(kindTexts{ids}, content)
	case "path_id":
		return optional(path)
	case "content_id":
		return optional(content)
	case "offset":
		return integer(func(e *rows.Row) int64 { return e.Offset })
	case "stored":
		return integer(func(e *rows.Row) int64 { return e.Stored.Stored })
	case "size":
		return integer(func(e *rows.Row) int64 { return e.Size })
	case "encrypted":
		return integer(func(e *rows.Row) int64 { return e.Flags & 1 })
	case "deleted":
		return integer(func(e *rows.Row) int64 { return e.Flags >> 1 & 1 })
	case "nested":
		return integer(func(e *rows.Row) int64 { return e.Flags >> 3 & 1 })
	case "row_id":
		return integer(func(e *rows.Row) int64 { return e.Row })
	case "mtime":
		return value(func(e *rows.Row) driver.Value {
			if e.HasTime {
				return timeText(e.Mtime)
			}
			return nil
		})
	case "asset_id":
		return value(func(e *rows.Row) driver.Value {
			if e.Asset == nil {
				return nil
			}
			return assetText(e.Bits, e.High, *e.Asset)
		})
	case "asset_key":
		return value(func(e *rows.Row) driver.Value { return number64(e.Asset) })
	case "path_hash_key":
		return value(func(e *rows.Row) driver.Value { return number64(e.PathHash) })
	case "path_hash":
		return value(func(e *rows.Row) driver.Value {
			if e.PathHash == nil {
				return nil
			}
			return fmt.Sprintf("%016x", uint64(*e.PathHash))
		})
	case "padded_content":
		return value(func(e *rows.Row) driver.Value {
			if e.Padded == nil {
				return nil
			}
			return hex.EncodeToString(e.Padded)
		})
	}
	return nil
}

// readsPastSQL reports whether all of these columns of the view are read past SQL.
func (t *table) readsPastSQL(columns []int) bool {
	if t.name != "entries" {
		return false
	}
	for _, c := range columns {
		if (&entryReader{t: t}).filler(nil, c) == nil {
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

// timeText is datetime(unix, 'unixepoch') in SQL.
func timeText(unix int64) driver.Value {
	if unix < -210866760000 || unix > 253402300799 { // SQLite knows no other days
		return nil
	}
	t := time.Unix(unix, 0).UTC()
	if y := t.Year(); y < 0 {
		return fmt.Sprintf("-%04d%s", -y, t.Format("-01-02 15:04:05"))
	}
	return t.Format("2006-01-02 15:04:05")
}

// assetText is the column asset_id of the view entries.
func assetText(bits, high, low int64) driver.Value {
	switch bits {
	case 32:
		return fmt.Sprintf("%08x", uint64(low))
	case 64:
		return fmt.Sprintf("%016x", uint64(low))
	case 96:
		return fmt.Sprintf("%08x%016x", uint64(high), uint64(low))
	case 128:
		return fmt.Sprintf("%016x%016x", uint64(high), uint64(low))
	}
	return nil
}

// ids keeps what ids of paths, contents and words mean, as long as a statement runs.
type ids struct {
	source                *rows.Texts
	paths                 map[int64]*[pageSize]pathOf
	contents              map[int64]*[pageSize]contentOf
	words                 map[int64]driver.Value
	hashes                map[int64]uint64 // of words
	names                 []byte           // the last block of names
	lastPath, lastContent lastText
	bytes                 int
}

// lastText is the text that was made last: both sides of a join ask for one text, one after the
// other.
type lastText struct {
	id   int64
	text driver.Value
}

// pageSize is how many texts are kept at once: ids of one build follow each other.
const pageSize = 512

type pathOf struct {
	folder *rows.Folder
	name   string
	ext    int64
}

type contentOf struct {
	hash []byte
	kind int64
}

func newIDs(ctx context.Context, s *conn.Statements) (*ids, error) {
	source, err := rows.NewTexts(ctx, s)
	return &ids{source: source, paths: map[int64]*[pageSize]pathOf{}, contents: map[int64]*[pageSize]contentOf{},
		words: map[int64]driver.Value{}, hashes: map[int64]uint64{}}, err
}

// kept copies bytes into blocks: a million texts of their own would burden the collector.
func (x *ids) kept(b []byte) []byte {
	if len(x.names)+len(b) > cap(x.names) {
		x.names = make([]byte, 0, max(1<<16, len(b)))
		x.bytes += cap(x.names)
	}
	start := len(x.names)
	x.names = append(x.names, b...)
	return x.names[start:len(x.names):len(x.names)]
}

// maxTexts bounds the memory for texts. What is forgotten is read again.
const maxTexts = 48 << 20

// forget makes room for another page of texts.
func (x *ids) forget() {
	if x.bytes < maxTexts {
		return
	}
	clear(x.paths)
	clear(x.contents)
	x.names, x.bytes = nil, 0
}

func (x *ids) path(id int64) (*pathOf, error) {
	page := x.paths[id/pageSize]
	if page == nil {
		x.forget()
		page = new([pageSize]pathOf)
		x.paths[id/pageSize] = page
		x.bytes += pageSize * 32
	}
	p := &page[uint64(id)%pageSize]
	if p.folder == nil {
		f, name, ext, err := x.source.Path(id)
		if err != nil {
			return nil, err
		}
		kept := x.kept(name)
		*p = pathOf{f, unsafe.String(unsafe.SliceData(kept), len(kept)), ext}
	}
	return p, nil
}

func (x *ids) content(id int64) (*contentOf, error) {
	page := x.contents[id/pageSize]
	if page == nil {
		x.forget()
		page = new([pageSize]contentOf)
		x.contents[id/pageSize] = page
		x.bytes += pageSize * 32
	}
	c := &page[uint64(id)%pageSize]
	if c.hash == nil {
		hash, _, kind, err := x.source.Content(id)
		if err != nil {
			return nil, err
		}
		*c = contentOf{x.kept(hash), kind}
	}
	return c, nil
}

func (x *ids) word(id int64) (driver.Value, error) {
	if w, ok := x.words[id]; ok || id == 0 {
		return w, nil
	}
	w, err := x.source.Word(id)
	if err == nil {
		x.words[id], x.hashes[id] = w, normText(w)
	}
	return w, err
}

func (x *ids) wordHash(id int64) (uint64, error) {
	if id == 0 {
		return normNull, nil
	}
	if _, err := x.word(id); err != nil {
		return 0, err
	}
	return x.hashes[id], nil
}

type wordTexts struct{ *ids }

func (x wordTexts) text(id int64) (driver.Value, error) { return x.word(id) }
func (x wordTexts) hash(id int64) (uint64, error)       { return x.wordHash(id) }

// Parts of a path.
const (
	pathWhole = iota
	pathDir
	pathName
	pathExt
)

type pathTexts struct {
	*ids
	part int
}

func (x pathTexts) text(id int64) (driver.Value, error) {
	if x.part == pathWhole && x.lastPath.id == id {
		return x.lastPath.text, nil
	}
	p, err := x.path(id)
	if err != nil {
		return nil, err
	}
	switch x.part {
	case pathDir:
		return p.folder.Dir, nil
	case pathName:
		return p.name, nil
	case pathExt:
		return x.word(p.ext)
	}
	x.lastPath = lastText{id, p.folder.Prefix + p.name}
	return x.lastPath.text, nil
}

func (x pathTexts) hash(id int64) (uint64, error) {
	p, err := x.path(id)
	if err != nil {
		return 0, err
	}
	switch x.part {
	case pathDir:
		return normText(p.folder.Dir), nil
	case pathName:
		return normText(p.name), nil
	case pathExt:
		return x.wordHash(p.ext)
	}
	var buffer [256]byte
	return normBytes(append(append(buffer[:0], p.folder.Prefix...), p.name...)), nil
}

// gamePaths are paths in the game, by a number that has the root in its upper bits.
type gamePaths struct {
	*ids
	roots []string
	at    map[string]int64
}

// rootBits is where the root begins: no catalog has as many paths.
const rootBits = 40

// id returns the number of a path, 0 for none.
func (x *gamePaths) id(root string, path int64) int64 {
	if path == 0 {
		return 0
	}
	at, ok := x.at[root]
	if !ok {
		at = int64(len(x.roots))
		x.roots, x.at[root] = append(x.roots, root), at
	}
	return at<<rootBits | path
}

func (x *gamePaths) text(id int64) (driver.Value, error) {
	p, err := x.path(id & (1<<rootBits - 1))
	if err != nil {
		return nil, err
	}
	return x.roots[id>>rootBits] + p.folder.Prefix + p.name, nil
}

func (x *gamePaths) hash(id int64) (uint64, error) {
	p, err := x.path(id & (1<<rootBits - 1))
	if err != nil {
		return 0, err
	}
	var buffer [256]byte
	return normBytes(append(append(append(buffer[:0], x.roots[id>>rootBits]...), p.folder.Prefix...), p.name...)), nil
}

type contentTexts struct{ *ids }

func (x contentTexts) text(id int64) (driver.Value, error) {
	if x.lastContent.id == id {
		return x.lastContent.text, nil
	}
	c, err := x.content(id)
	if err != nil {
		return nil, err
	}
	var buffer [128]byte
	x.lastContent = lastText{id, string(hex.AppendEncode(buffer[:0], c.hash))}
	return x.lastContent.text, nil
}

func (x contentTexts) hash(id int64) (uint64, error) {
	c, err := x.content(id)
	if err != nil {
		return 0, err
	}
	var buffer [128]byte
	return normBytes(hex.AppendEncode(buffer[:0], c.hash)), nil
}

type kindTexts struct{ *ids }

func (x kindTexts) text(id int64) (driver.Value, error) {
	c, err := x.content(id)
	if err != nil {
		return nil, err
	}
	return x.word(c.kind)
}

func (x kindTexts) hash(id int64) (uint64, error) {
	c, err := x.content(id)
	if err != nil {
		return 0, err
	}
	return x.wordHash(c.kind)
}

// labels are the texts of a build: its own, and those of its archives.
type labels map[int64]driver.Value

func (x labels) text(id int64) (driver.Value, error) { return x[id], nil }
func (x labels) hash(id int64) (uint64, error)       { return norm(x[id]), nil }

func (x wordTexts) key(id int64) (int64, error)    { return id, nil }
func (x contentTexts) key(id int64) (int64, error) { return id, nil }
func (x labels) key(id int64) (int64, error)       { return id, nil }
func (x *gamePaths) key(id int64) (int64, error)   { return id, nil }

func (x pathTexts) key(id int64) (int64, error) {
	if x.part != pathDir && x.part != pathExt {
		return id, nil
	}
	p, err := x.path(id)
	if err != nil {
		return 0, err
	}
	if x.part == pathExt {
		return p.ext, nil
	}
	return p.folder.ID, nil
}

func (x kindTexts) key(id int64) (int64, error) {
	c, err := x.content(id)
	if err != nil {
		return 0, err
	}
	return c.kind, nil
}

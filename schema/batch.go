package schema

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/zeebo/blake3"
)

// batch is what one transaction adds.
type batch struct {
	archives []archiveRow
	entries  []Entry
	problems []problemRow
	names    []nameRow
	weight   int
	written  chan<- struct{} // closed when the batch is in the catalog; nil: nobody waits
}

// newBatch returns an empty batch, as roomy as the one before it was filled: a
// large archive fills one after the other, a small one never a second.
func newBatch(before *batch) *batch {
	if before == nil {
		return &batch{}
	}
	return &batch{entries: make([]Entry, 0, len(before.entries))}
}

type archiveRow struct {
	id int64
	totals
}

type nameRow struct {
	archive int64
	Name
}

type problemRow struct {
	archive, seq int64
	Problem
}

// pathKey is the first half of the BLAKE3 of a path: wide enough that two paths
// never share one, also when someone tries.
type pathKey [16]byte

func keyOfPath(path string) pathKey {
	sum := blake3.Sum256([]byte(path))
	return pathKey(sum[:16])
}

func (k pathKey) key() int64 { return int64(binary.LittleEndian.Uint64(k[:8])) }

func keyOfDigest(d *Digest) int64 { return int64(binary.LittleEndian.Uint64(d[:8])) }

// batchWriter turns batches into rows. It remembers which paths and contents
// it has seen, so that most rows need no look-up; what it does not know may
// still be in the catalog from before.
type batchWriter struct {
	c        *Catalog
	words    map[string]int64
	dirs     map[string]int64
	paths    seen[pathKey]
	contents seen[contentKey]
	stated   map[int64]struct{} // contents of which only the start of the hash is known, as far as seen
	names    seen[pathKey]      // by the text, case included
}

// contentKey is what tells contents apart: of the hash as much as is always
// known. An archive that states a hash wrongly, and the size with it, is not
// taken for the content that has it.
type contentKey struct {
	hash [StatedSize]byte
	size int64
}

func (e *Entry) contentKey() contentKey {
	return contentKey{[StatedSize]byte(e.Content[:]), e.ContentSize}
}

// maxSeen bounds the memory of the maps, about 60 bytes an element. Beyond
// it they start anew and the catalog is asked.
const maxSeen = 3 << 20

// seen maps keys to ids, those that the catalog held before included.
type seen[K comparable] struct {
	ids  map[K]int64
	next int64
	// all: every id below next is in ids, so that a miss needs no look-up.
	all bool
}

func (s *seen[K]) start(last int64) {
	*s = seen[K]{ids: map[K]int64{}, next: last + 1, all: last == 0}
}

// id returns the id of k, handing out the next one if it is not known.
func (s *seen[K]) id(k K) (id int64, fresh bool) {
	if id, ok := s.ids[k]; ok {
		return id, false
	}
	id = s.next
	s.next++
	s.ids[k] = id
	return id, true
}

func (s *seen[K]) trim() {
	if len(s.ids) > maxSeen {
		s.ids, s.all = map[K]int64{}, false
	}
}

func newBatchWriter(c *Catalog) *batchWriter {
	return &batchWriter{c: c, stated: map[int64]struct{}{}}
}

// load reads what is small, and where the ids stand.
func (w *batchWriter) load(ctx context.Context, tx *sql.Tx) (err error) {
	if w.words, err = loadIDs(ctx, tx, "SELECT word, word_id FROM word"); err != nil {
		return err
	}
	if w.dirs, err = loadIDs(ctx, tx, "SELECT prefix, dir_id FROM dir"); err != nil {
		return err
	}
	last, err := maxID(ctx, tx, "path", "path_id")
	if err != nil {
		return err
	}
	w.paths.start(last)
	if last, err = maxID(ctx, tx, "content", "content_id"); err != nil {
		return err
	}
	w.contents.start(last)
	if last, err = maxID(ctx, tx, "name", "name_id"); err != nil {
		return err
	}
	w.names.start(last)
	return nil
}

func loadIDs(ctx context.Context, tx *sql.Tx, query string) (map[string]int64, error) {
	rows, err := tx.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	ids := map[string]int64{}
	for rows.Next() {
		var name string
		var id int64
		if err := rows.Scan(&name, &id); err != nil {
			return nil, err
		}
		ids[name] = id
	}
	return ids, rows.Err()
}

func maxID(ctx context.Context, tx *sql.Tx, table, column string) (id int64, err error) {
	err = tx.QueryRowContext(ctx, "SELECT coalesce(max("+column+"), 0) FROM "+table).Scan(&id)
	return id, err
}

// write adds one batch in one transaction.
func (w *batchWriter) write(ctx context.Context, b *batch) error {
	w.paths.trim()
	w.contents.trim()
	w.names.trim()
	return w.c.inTx(ctx, func(tx *sql.Tx) error {
		t := &batchTx{batchWriter: w, ctx: ctx, tx: tx}
		return t.write(b)
	})
}

// batchTx is one batch on its way into the catalog.
type batchTx struct {
	*batchWriter
	ctx context.Context
	tx  *sql.Tx
}

// write adds everything in the order in which rows need each other's ids.
func (t *batchTx) write(b *batch) error {
	if err := t.insertContents(b); err != nil {
		return err
	}
	if err := t.insertSums(b); err != nil {
		return err
	}
	if err := t.findClaimed(b); err != nil {
		return err
	}
	facts, stored, err := t.dueFacts(b)
	if err != nil {
		return err
	}
	if err := t.insertPaths(wantedPaths(b, facts)); err != nil {
		return err
	}
	if err := t.poolNames(wantedNames(b, facts)); err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return t.insertFacts(facts) },
		func() error { return t.updateScans(stored) },
		func() error { return t.insertSketches(b) },
		func() error { return t.insertDigests(b) },
		func() error { return t.insertPathSymbols(b) },
		func() error { return t.insertPlaceSymbols(b) },
		func() error { return t.insertEntries(b) },
		func() error { return t.insertProblems(b) },
		func() error { return t.insertNames(b) },
		func() error { return t.insertArchives(b) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// insert runs query with temp.src showing n rows.
func (t *batchTx) insert(query string, n int, value func(row, col int) driver.Value) error {
	if n == 0 {
		return nil
	}
	t.c.src.set(n, value)
	_, err := t.tx.ExecContext(t.ctx, query)
	return err
}

// word returns the id of a short string, adding it if need be.
func (t *batchTx) word(s string) (int64, error) {
	if id, ok := t.words[s]; ok {
		return id, nil
	}
	res, err := t.tx.ExecContext(t.ctx, "INSERT INTO word (word) VALUES (?)", s)
	if err != nil {
		return 0, err
	}
	id, err := res.LastInsertId()
	t.words[s] = id
	return id, err
}

func (t *batchTx) addWords(words ...string) error {
	for _, s := range words {
		if _, err := t.word(s); err != nil {
			return err
		}
	}
	return nil
}

// dir returns the id of a folder; prefix is "" or ends in a slash.
func (t *batchTx) dir(prefix string) (int64, error) {
	if id, ok := t.dirs[prefix]; ok {
		return id, nil
	}
	dir := prefix
	if len(dir) > 1 {
		dir = strings.TrimSuffix(dir, "/")
	}
	prefix = strings.Clone(prefix)
	res, err := t.tx.ExecContext(t.ctx, "INSERT INTO dir (prefix, dir) VALUES (?, ?)", prefix, dir)
	if err != nil {
		return 0, err
	}
	id, err := res.LastInsertId()
	t.dirs[prefix] = id
	return id, err
}

type pathRow struct {
	id, dir, ext int64
	name         string
}

// knownPath is a path that has its id.
type knownPath struct{ id int64 }

// wantedPath is a path that needs an id.
type wantedPath struct {
	name string
	key  pathKey
	id   *int64
}

// wantedPaths lists the paths of the batch in the order that decides their ids:
// those of entries, then those that facts name.
func wantedPaths(b *batch, facts []*Entry) []wantedPath {
	wanted := make([]wantedPath, 0, len(b.entries))
	for i := range b.entries {
		if e := &b.entries[i]; e.Name != "" {
			wanted = append(wanted, wantedPath{e.Name, e.path, &e.pathID})
		}
	}
	for _, e := range facts {
		for i := range e.Facts.Symbols {
			if s := &e.Facts.Symbols[i]; s.Path != "" {
				wanted = append(wanted, wantedPath{s.Path, keyOfPath(s.Path), &s.path.id})
			}
		}
		if c := e.Facts.Calligraphy; c != nil {
			for i := range c.Records {
				r := &c.Records[i]
				wanted = append(wanted, wantedPath{r.Path, keyOfPath(r.Path), &r.path.id})
			}
		}
	}
	return wanted
}

// insertPaths gives every path its id.
func (t *batchTx) insertPaths(wanted []wantedPath) error {
	if err := t.findPaths(wanted); err != nil {
		return err
	}
	var rows []pathRow
	var keys []keyRow
	for _, p := range wanted {
		var fresh bool
		if *p.id, fresh = t.paths.id(p.key); !fresh {
			continue
		}
		row, err := t.newPath(p)
		if err != nil {
			return err
		}
		rows = append(rows, row)
		keys = append(keys, keyRow{p.key.key(), row.id})
	}
	sorted := sortKeys(keys)
	err := t.insert("INSERT INTO path (path_id, dir_id, name, ext_id) SELECT a, b, c, d FROM src", len(rows),
		func(row, col int) driver.Value {
			r := &rows[row]
			switch col {
			case 0:
				return r.id
			case 1:
				return r.dir
			case 2:
				return r.name
			}
			return r.ext
		})
	<-sorted
	if err != nil {
		return err
	}
	return t.insertKeys("INSERT INTO path_key (key, path_id) SELECT a, b FROM src", keys)
}

func (t *batchTx) newPath(p wantedPath) (row pathRow, err error) {
	prefix, name := SplitPath(p.name)
	row = pathRow{id: *p.id, name: name}
	if row.dir, err = t.dir(prefix); err != nil {
		return row, err
	}
	row.ext, err = t.word(Ext(name))
	return row, err
}

// findPaths looks up paths that may be in the catalog from before, in key order
// so that neighbouring keys share pages.
func (t *batchTx) findPaths(wanted []wantedPath) error {
	if t.paths.all {
		return nil
	}
	var misses []wantedPath
	for _, p := range wanted {
		if t.paths.ids[p.key] == 0 {
			misses = append(misses, p)
		}
	}
	slices.SortFunc(misses, func(a, b wantedPath) int { return cmp.Compare(a.key.key(), b.key.key()) })
	return t.find(`SELECT src.b, k.path_id FROM src
		CROSS JOIN path_key k ON k.key = src.a
		CROSS JOIN path p ON p.path_id = k.path_id
		CROSS JOIN dir d ON d.dir_id = p.dir_id
		WHERE d.prefix || p.name = src.c`, len(misses),
		func(row, col int) driver.Value {
			switch col {
			case 0:
				return misses[row].key.key()
			case 1:
				return int64(row)
			}
			return misses[row].name
		},
		func(row int, id int64) { t.paths.ids[misses[row].key] = id })
}

// find runs a look-up with temp.src showing n rows; the query yields the row's
// number and the id found.
func (t *batchTx) find(query string, n int, value func(row, col int) driver.Value, found func(row int, id int64)) error {
	if n == 0 {
		return nil
	}
	t.c.src.set(n, value)
	rows, err := t.tx.QueryContext(t.ctx, query)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var row int
		var id int64
		if err := rows.Scan(&row, &id); err != nil {
			return err
		}
		found(row, id)
	}
	return rows.Err()
}

type keyRow struct{ key, id int64 }

// sortKeys sorts by key in a goroutine of its own, while the rows that the keys
// stand for are inserted.
func sortKeys(keys []keyRow) (done <-chan struct{}) {
	sorted := make(chan struct{})
	go func() {
		defer close(sorted)
		slices.SortFunc(keys, compareKeyRows)
	}()
	return sorted
}

// insertKeys adds sorted keys: each page of the tree is touched once.
func (t *batchTx) insertKeys(query string, keys []keyRow) error {
	return t.insert(query, len(keys), func(row, col int) driver.Value {
		if col == 0 {
			return keys[row].key
		}
		return keys[row].id
	})
}

package write

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"pakdb/internal/family"
	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/record"
)

// identOfHalf identifies paths by their hashes, and contents by as much of the hash as it takes,
// and no more than an archive states: contents of one hash have one id.
func identOfHalf(hash record.Half) ident { return identOf(hash.Key(), hash) }

// interner hands out the ids of a batch: of paths, contents and texts. It works
// a batch ahead of the SQL, in a goroutine of its own. It remembers what it has
// seen, so that most rows need no look-up; what it does not know may still be in
// the catalog from before.
type interner struct {
	finder   *conn.Finder
	editions map[int64]*edition // by archive: those on their way
	dirs     map[string]int64
	nextDir  int64
	paths    seen
	contents seen
	texts    seen           // of table name; case included
	stated   map[int64]bool // contents of which the catalog has only the start of the hash; false: they have been read now
	refs     []Key          // that have no row in the key table yet
	refsFrom int64          // they are of contents from it on
	empty    bool           // the catalog has no archive, path, content or text, and there was no batch
	late     bool           // the key tables are made when all rows are there, see makeIndexes
}

// newInterner reads where the ids are.
func newInterner(ctx context.Context, finder *conn.Finder, tx *sql.Tx) (in *interner, err error) {
	in = &interner{finder: finder, editions: map[int64]*edition{}, stated: map[int64]bool{}}
	if in.dirs, err = conn.Map[string, int64](ctx, tx, "SELECT prefix, dir_id FROM x_dir"); err != nil {
		return nil, err
	}
	last, err := conn.MaxID(ctx, tx, "x_dir", "dir_id")
	in.nextDir = last + 1
	err = errors.Join(err, in.paths.start(ctx, tx, pathTable), in.contents.start(ctx, tx, contentTable),
		in.texts.start(ctx, tx, nameTable))
	in.refsFrom = in.contents.next
	archives, failed := conn.MaxID(ctx, tx, "x_archive", "archive_id")
	in.empty = archives == 0 && in.paths.own && in.contents.own && in.texts.own
	return in, errors.Join(err, failed)
}

// full reports that the memory of what was seen is used up.
func (in *interner) full() bool { return in.paths.full() || in.contents.full() || in.texts.full() }

// intern fills in the rows and ids of a batch.
func (in *interner) intern(ctx context.Context, b *Batch) error {
	b.FirstDir, b.FirstPath, b.FirstContent, b.FirstText = in.nextDir, in.paths.next, in.contents.next, in.texts.next
	for i := range b.Archives {
		if err := in.start(ctx, &b.Archives[i]); err != nil {
			return err
		}
	}
	if in.empty {
		b.First, in.late, in.empty = b.Full(), b.Full(), false
	}
	in.addFiles(b)
	if err := in.keepRows(ctx, b); err != nil {
		return err
	}
	if err := in.internContents(ctx, b); err != nil {
		return err
	}
	if err := in.sortFacts(ctx, b); err != nil {
		return err
	}
	if err := in.internPaths(ctx, b); err != nil {
		return err
	}
	if err := in.internTexts(ctx, b); err != nil {
		return err
	}
	in.collectRefs(b)
	for i := range b.Archives {
		if a := &b.Archives[i]; a.Ended {
			if err := in.sumFolders(ctx, b, a); err != nil {
				return err
			}
		}
	}
	if len(in.refs) >= maxKeys || b.Keyed { // nothing follows the last ones before they are in the catalog
		b.Keys = in.takeKeys(b.Keyed, b.Keyed)
	}
	return nil
}

// addFiles counts the entries of the batch in their folders.
func (in *interner) addFiles(b *Batch) {
	last, dir := "", int64(0) // neighbours have one folder
	for i := range b.Rows {
		r := &b.Rows[i]
		prefix, _ := path.Split(r.Name)
		switch {
		case r.Name == "":
			last, dir = "", 0
		case dir == 0 || prefix != last:
			last, dir = prefix, in.dir(b, prefix)
		}
		if r.Flags&unseen == 0 {
			in.editions[r.Archive].folders.add(dir, &r.Entry)
		}
	}
}

// sumFolders adds the sums of an archive by folder to the batch, and ends those that are not
// those of the edition before.
func (in *interner) sumFolders(ctx context.Context, b *Batch, a *Archive) error {
	sums := in.editions[a.ID].folders.rows(a.Lineage)
	delete(in.editions, a.ID)
	if a.Lineage.Edition > 0 {
		before := map[int64]Folder{}
		err := conn.EachRow(ctx, in.finder.DB, `SELECT f.dir_id, f.files, f.size, f.stored, f.largest, w.word
			FROM x_folder_sum f JOIN x_word w ON w.word_id = f.ext_id WHERE f.lineage_id = ? AND f.until = 0`, []driver.Value{a.Lineage.ID},
			func(v []driver.Value) {
				n := func(i int) int64 { return v[i].(int64) }
				before[n(0)] = Folder{a.Lineage.ID, n(0), a.Lineage.Edition, n(1), n(2), n(3), n(4), v[5].(string)}
			})
		if err != nil {
			return err
		}
		sums = slices.DeleteFunc(sums, func(f Folder) bool {
			same := before[f.Dir] == f
			if same {
				delete(before, f.Dir)
			}
			return same
		})
		for dir := range before {
			b.EndedFolders = append(b.EndedFolders, Ended{Lineage: a.Lineage.ID, Row: dir, Edition: a.Lineage.Edition})
		}
		slices.SortFunc(b.EndedFolders, func(x, y Ended) int { return cmp.Or(cmp.Compare(x.Lineage, y.Lineage), cmp.Compare(x.Row, y.Row)) })
	}
	b.Folders = append(b.Folders, sums...)
	return nil
}

// internContents gives every content of the batch an id. Of one that was known by
// the start of its hash alone, and has been read now, the rest is to be stored.
func (in *interner) internContents(ctx context.Context, b *Batch) error {
	rows, all := make([]*Row, 0, len(b.Rows)), make([]wanted, 0, len(b.Rows))
	for i := range b.Rows {
		if e := &b.Rows[i]; e.HasContent || e.Stated {
			rows = append(rows, e)
			all = append(all, wanted{ident: identOfHalf(record.HalfOf(&e.Content)), id: &e.ContentID})
		}
	}
	err := in.contents.assign(ctx, in.finder, all, in.identifyContent, func(i int) {
		rows[i].First = true
		b.NewContents = append(b.NewContents, rows[i])
	})
	for _, e := range rows {
		switch {
		case e.First && e.Stated:
			in.stated[e.ContentID] = true
		case !e.First && e.HasContent && in.stated[e.ContentID]:
			in.stated[e.ContentID] = false
			b.Read = append(b.Read, e)
		}
	}
	return err
}

func (in *interner) identifyContent(id int64, columns []driver.Value) (k ident, ok bool) {
	hash, isBlob := columns[0].([]byte)
	if !isBlob || len(hash) < record.StatedSize {
		return k, false
	}
	if _, noted := in.stated[id]; !noted && len(hash) < len(record.Digest{}) {
		in.stated[id] = true
	}
	return identOfHalf(record.Half(hash[:len(record.Half{})])), true
}

// sortFacts parts the facts of the batch: those that are to be stored, of
// contents that are new and of contents that were inspected in another way
// before, and those that are stored. Each content is taken once, with the facts
// that outrank others.
func (in *interner) sortFacts(ctx context.Context, b *Batch) error {
	var known []*Row
	taken := map[int64]*Row{}
	for i := range b.Rows {
		e := &b.Rows[i]
		if e.Facts == nil || !e.HasContent {
			continue
		}
		if first := taken[e.ContentID]; first != nil {
			if record.Outranks(e.Facts.Inspector, first.Facts.Inspector) {
				first.Facts = e.Facts
			}
			continue
		}
		taken[e.ContentID] = e
		if e.First {
			b.Due = append(b.Due, e)
		} else {
			known = append(known, e)
		}
	}
	same := map[*Row]bool{}
	err := in.finder.Each(ctx, `SELECT src.b, w.word FROM src
		CROSS JOIN x_content c ON c.content_id = src.a
		CROSS JOIN x_word w ON w.word_id = c.inspected_id`, len(known),
		func(row, col int) driver.Value {
			if col == 0 {
				return known[row].ContentID
			}
			return int64(row)
		}, func(v []driver.Value) {
			row, _ := v[0].(int64)
			stored, _ := v[1].(string)
			found := known[row].Facts.Inspector
			same[known[row]] = stored == found || record.Outranks(stored, found)
		})
	for _, e := range known {
		if same[e] {
			b.Stored = append(b.Stored, e)
		} else {
			b.Again = append(b.Again, e)
		}
	}
	b.Again = append(b.Again, b.Replaced...)
	b.Due = append(b.Due, b.Again...)
	return err
}

// collectRefs lists what the contents of the batch refer to. Contents that are in
// the catalog already may be part of complete builds: their keys do not wait.
func (in *interner) collectRefs(b *Batch) {
	again := map[int64]bool{}
	for _, e := range b.Again {
		again[e.ContentID] = true
	}
	if slices.ContainsFunc(b.Again, func(e *Row) bool { return e.ContentID >= in.refsFrom }) {
		in.refs = slices.DeleteFunc(in.refs, func(k Key) bool { return again[k.ID] })
	}
	for _, e := range b.Due {
		if again[e.ContentID] {
			b.Refs = appendRefs(b.Refs, e)
		} else {
			in.refs = appendRefs(in.refs, e)
		}
	}
}

// takeKeys returns the keys that wait. It may forget what was seen, one
// kind after the other, because keys take as much memory. In a first build it takes references
// alone otherwise. keyed says that the key tables are complete with these keys.
func (in *interner) takeKeys(forget, keyed bool) *keySet {
	keys := &keySet{Refs: in.refs}
	written := in.late && keyed
	in.late = in.late && !keyed
	in.refs, in.refsFrom = nil, in.contents.next
	if forget {
		clear(in.stated)
	}
	for _, s := range []struct {
		*seen
		keys *[]Key
	}{{&in.paths, &keys.Paths}, {&in.contents, &keys.Contents}, {&in.texts, &keys.Texts}} {
		switch {
		case written:
			s.unkeyed = s.next
		case forget || !s.own:
			*s.keys = s.takeKeys()
		}
		if forget {
			s.forget(*s.keys, keyed)
		}
	}
	return keys
}

// wantedPaths lists the paths of the batch in the order that decides their ids:
// those of entries, then those that facts name.
func wantedPaths(b *Batch) []wanted {
	all := make([]wanted, 0, len(b.Rows))
	add := func(path string, hash record.Half, id *int64) {
		all = append(all, wanted{path, identOfHalf(hash), id})
	}
	for i := range b.Rows {
		if r := &b.Rows[i]; r.Name != "" {
			add(r.Name, r.NameHash, &r.PathID)
		}
	}
	for i := range b.Rows {
		if r := &b.Rows[i]; r.ExportsOf != nil && r.ExportsOf.Path != "" && r.ExportsOf.Path != r.Name {
			add(r.ExportsOf.Path, record.HashOf(r.ExportsOf.Path), &r.Exports.Path)
		}
	}
	for _, r := range b.Due {
		f, ids := r.Facts, &FactIDs{}
		r.FactIDs = ids
		ids.SymbolPaths = make([]int64, len(f.Symbols))
		for i := range f.Symbols {
			if path := f.Symbols[i].Path; path != "" {
				add(path, record.HashOf(path), &ids.SymbolPaths[i])
			}
		}
		if f.Family != nil {
			ids.Paths = make([]int64, len(f.Family.Paths))
			for i, path := range f.Family.Paths {
				add(path, record.HashOf(path), &ids.Paths[i])
			}
		}
	}
	return all
}

// internPaths gives every path its id.
func (in *interner) internPaths(ctx context.Context, b *Batch) error {
	all := wantedPaths(b)
	err := in.paths.assign(ctx, in.finder, all, identifyPath, func(i int) {
		prefix, name := path.Split(all[i].text)
		b.NewPaths = append(b.NewPaths, Path{Dir: in.dir(b, prefix), Name: name, Ext: record.Ext(name)})
	})
	for i := range b.Rows { // most packages are the entry itself
		if r := &b.Rows[i]; r.ExportsOf != nil && r.ExportsOf.Path == r.Name {
			r.Exports.Path = r.PathID
		}
	}
	return err
}

// dir returns the id of a folder; prefix is "" or ends in a slash.
func (in *interner) dir(b *Batch, prefix string) int64 {
	id, ok := in.dirs[prefix]
	if !ok {
		id = in.nextDir
		in.nextDir++
		prefix = strings.Clone(prefix)
		in.dirs[prefix] = id
		b.NewDirs = append(b.NewDirs, prefix)
	}
	return id
}

func identifyPath(_ int64, columns []driver.Value) (ident, bool) {
	prefix, hasDir := columns[0].(string)
	name, hasName := columns[1].(string)
	return identOfHalf(record.HashOf(prefix + name)), hasDir && hasName
}

// textIdent identifies texts, which may differ in case.
func textIdent(text string) ident { return identOf(family.NameKey(text), text) }

// wantedTexts lists the texts of the batch in the order that decides their ids.
func wantedTexts(b *Batch) (all []wanted) {
	add := func(text string, id *int64) {
		if text != "" {
			all = append(all, wanted{text, textIdent(text), id})
		}
	}
	for i := range b.Rows {
		r := &b.Rows[i]
		if len(r.PlaceSymbols) > 0 {
			r.Places = make([]Place, len(r.PlaceSymbols))
		}
		for j := range r.PlaceSymbols {
			s, p := &r.PlaceSymbols[j], &r.Places[j]
			name := s.Name
			if name != "" && s.Key == 0 {
				s.Key = family.NameKey(name)
			}
			if p.From = nameIn(r.Name, name); !p.From.Found {
				add(name, &p.NameID)
			}
		}
	}
	addFamily := func(f *family.Batch, ids *FactIDs) {
		ids.Texts = make([]int64, len(f.Texts))
		for i, text := range f.Texts { // the empty one included: names may be
			all = append(all, wanted{text, textIdent(text), &ids.Texts[i]})
		}
	}
	addValues := func(r *Row) {
		add(r.Values.MissingClass, &r.Exports.Missing)
		r.Exports.Values = &FactIDs{}
		addFamily(r.Values.Rows, r.Exports.Values)
	}
	for i := range b.Rows {
		r := &b.Rows[i]
		if r.ExportsOf == nil {
			continue
		}
		if r.Exports.Place.From = nameIn(r.ExportsOf.Path, r.ExportsOf.Name); !r.Exports.Place.From.Found {
			add(r.ExportsOf.Name, &r.Exports.Place.NameID)
		}
		if r.Values != nil {
			addValues(r)
		}
	}
	for _, r := range b.Sets {
		addValues(r)
	}
	for _, r := range b.Replaced {
		if r.Values != nil {
			addValues(r)
		}
	}
	for _, r := range b.Due {
		f, ids := r.Facts, r.FactIDs
		ids.SymbolNames, ids.RefNames = make([]int64, len(f.Symbols)), make([]int64, len(f.Refs))
		for i := range f.Symbols {
			add(f.Symbols[i].Name, &ids.SymbolNames[i])
		}
		for i := range f.Refs {
			add(f.Refs[i].Name, &ids.RefNames[i])
		}
		if f.Family != nil {
			addFamily(f.Family, ids)
		}
	}
	return all
}

// internTexts gives every text its id.
func (in *interner) internTexts(ctx context.Context, b *Batch) error {
	all := wantedTexts(b)
	return in.texts.assign(ctx, in.finder, all, identifyText, func(i int) { b.NewTexts = append(b.NewTexts, all[i].text) })
}

func identifyText(_ int64, columns []driver.Value) (ident, bool) {
	text, ok := columns[0].(string)
	return textIdent(text), ok
}

// nameIn returns where a name is in a path: the file's name at least must be in it.
func nameIn(of, name string) NameFrom {
	prefix, base := path.Split(of)
	dot := strings.LastIndexByte(base, '.') // as Ext has it, which keeps the number of letters
	if dot <= 0 || strings.IndexByte(of, 0) >= 0 {
		return NameFrom{}
	}
	stem := of[:len(prefix)+dot]
	n := 0
	for n < min(len(stem), len(name)) && stem[len(stem)-1-n] == name[len(name)-1-n] {
		n++
	}
	for n > 0 && !utf8.RuneStart(stem[len(stem)-n]) { // a letter is not cut
		n--
	}
	if n < dot {
		return NameFrom{}
	}
	return NameFrom{Root: name[:len(name)-n], Start: int64(utf8.RuneCountInString(stem[:len(stem)-n])) + 1, Found: true}
}

package side

import (
	"bytes"
	"context"
	"encoding/hex"
	"hash/maphash"
	"iter"
	"slices"
	"strings"

	"pakdb/internal/asset"
	"pakdb/internal/family"
	"pakdb/internal/sketch"
	"pakdb/schema"
)

// Memory is the Source of two builds of files, which are read into it one after the other.
// Its ids are places in lists, from 1. It takes about 60 bytes and its name a path, 60 bytes
// and its sketch a content.
type Memory struct {
	seed maphash.Seed

	pathIDs keys
	dirIDs  map[string]int32
	dirs    []string
	dirOf   []int32 // by path
	entries []bool  // by path, those of entries; others are in directories alone
	ends    []int64 // of names in text, by path
	text    []byte
	last    int // path that was asked for last
	lastDir int32

	contentIDs keys
	hashes     []schema.Digest
	stated     map[int64]bool // contents whose hash is known by its start alone
	sketches   []byte
	sketchEnds []int64 // in sketches, by content
	essences   Essences

	wordIDs map[string]int64
	words   map[int64]string

	records     map[int64][]record    // of directories, by their contents
	replaced    map[int64][][2]int64  // GUIDs, and the last that took their places, by content
	directories map[int64][]int64     // by build: contents of records and replaced that a game sees, sorted
	public      map[public][][2]int64 // paths, and words that are their names
}

// public is an archive of a build by its ordinal.
type public struct{ build, ordinal int64 }

// NewMemory returns a Memory of nothing.
func NewMemory() *Memory {
	return &Memory{seed: maphash.MakeSeed(), dirIDs: map[string]int32{}, essences: Essences{}, stated: map[int64]bool{},
		wordIDs: map[string]int64{}, words: map[int64]string{}, records: map[int64][]record{}, replaced: map[int64][][2]int64{},
		directories: map[int64][]int64{}, public: map[public][][2]int64{}}
}

// keys finds ids, from 1, by hashes of what has them. It takes 8 bytes an id, and 8 to 16 in
// its table.
type keys struct {
	hashes []uint64 // by id
	table  []slot   // its length is a power of two
}

// slot is an id, 0 for none, with the upper half of its hash: other ids are passed over
// without a look at what they are.
type slot struct {
	id  int32
	tag uint32
}

// find returns the id of the hash for which same holds, or 0 and where it would be.
func (k *keys) find(hash uint64, same func(id int32) bool) (id int32, at uint64) {
	mask := uint64(len(k.table) - 1)
	for at = hash & mask; k.table[at].id != 0; at = (at + 1) & mask {
		if s := k.table[at]; s.tag == uint32(hash>>32) && same(s.id) {
			return s.id, at
		}
	}
	return 0, at
}

// add returns the id of what has a hash, and whether it is new.
func (k *keys) add(hash uint64, same func(id int32) bool) (id int32, isNew bool) {
	if 4*(len(k.hashes)+1) > 3*len(k.table) {
		k.grow()
	}
	id, at := k.find(hash, same)
	if id == 0 {
		k.hashes = push(k.hashes, hash)
		id, isNew = int32(len(k.hashes)), true
		k.table[at] = slot{id, uint32(hash >> 32)}
	}
	return id, isNew
}

func (k *keys) grow() {
	k.table = make([]slot, max(1024, 2*len(k.table)))
	for i, hash := range k.hashes {
		_, at := k.find(hash, func(int32) bool { return false })
		k.table[at] = slot{int32(i) + 1, uint32(hash >> 32)}
	}
}

// Path returns the id of a path, 0 for none.
func (m *Memory) Path(path string) int64 {
	if path == "" {
		return 0
	}
	prefix, name := split(path)
	if len(m.dirs) == 0 || m.dirs[m.lastDir] != prefix {
		dir, ok := m.dirIDs[prefix]
		if !ok {
			dir = int32(len(m.dirs))
			prefix = strings.Clone(prefix)
			m.dirIDs[prefix], m.dirs = dir, append(m.dirs, prefix)
		}
		m.lastDir = dir
	}
	dir := m.lastDir
	// Most entries of the second build follow each other as they did in the first.
	if next := m.last + 1; next <= len(m.dirOf) && m.isPath(dir, name)(int32(next)) {
		m.last = next
		return int64(next)
	}
	id, isNew := m.pathIDs.add(m.hash(dir, name), m.isPath(dir, name))
	if isNew {
		m.text = push(m.text, []byte(name)...)
		m.dirOf, m.ends = push(m.dirOf, dir), push(m.ends, int64(len(m.text)))
	}
	m.last = int(id)
	return int64(id)
}

// EntryPath is [Memory.Path] for the path of an entry.
func (m *Memory) EntryPath(path string) int64 {
	id := m.Path(path)
	if id != 0 {
		setAt(&m.entries, int(id)-1, true)
	}
	return id
}

// split cuts a path after its last slash.
func split(path string) (prefix, name string) {
	at := strings.LastIndexByte(path, '/') + 1
	return path[:at], path[at:]
}

func (m *Memory) hash(dir int32, name string) uint64 {
	return maphash.String(m.seed, name) ^ uint64(dir)*0x9e3779b97f4a7c15
}

func (m *Memory) isPath(dir int32, name string) func(int32) bool {
	return func(id int32) bool { return m.dirOf[id-1] == dir && string(m.name(int64(id))) == name }
}

func (m *Memory) name(path int64) []byte {
	from := int64(0)
	if path > 1 {
		from = m.ends[path-2]
	}
	return m.text[from:m.ends[path-1]]
}

// sortPaths gives paths other ids, in the order of their folders, then of their names, so
// that what goes through rows by their keys comes to the text of names in its order. It
// returns the new ids by the old ones.
func (m *Memory) sortPaths() []int64 {
	text, ends, dirOf, entries, hashes := string(m.text), m.ends, m.dirOf, m.entries, m.pathIDs.hashes
	name := func(path int32) string {
		from := int64(0)
		if path > 0 {
			from = ends[path-1]
		}
		return text[from:ends[path]]
	}
	ids := make([]int64, len(dirOf)+1)
	m.text = m.text[:0]
	m.ends, m.dirOf, m.entries, m.pathIDs.hashes = make([]int64, len(ends)), make([]int32, len(dirOf)), make([]bool, len(dirOf)), make([]uint64, len(hashes))
	for at, path := range byPath(m.dirs, dirOf, name) {
		ids[path+1] = int64(at) + 1
		m.text = append(m.text, name(path)...)
		m.ends[at], m.dirOf[at], m.pathIDs.hashes[at] = int64(len(m.text)), dirOf[path], hashes[path]
		m.entries[at] = int(path) < len(entries) && entries[path]
	}
	for i := range m.pathIDs.table {
		s := &m.pathIDs.table[i]
		s.id = int32(ids[s.id])
	}
	for _, records := range m.records {
		for i := range records {
			records[i].path = ids[records[i].path]
		}
	}
	return ids
}

// Word returns the id of a word, 0 for none.
func (m *Memory) Word(word string) int64 {
	if word == "" {
		return 0
	}
	id, ok := m.wordIDs[word]
	if !ok {
		id = int64(len(m.words)) + 1
		m.wordIDs[word], m.words[id] = id, word
	}
	return id
}

// Content takes in what an entry says of its content, and returns its id; 0 where it is not
// known.
func (m *Memory) Content(e *schema.Entry) int64 {
	if !e.HasContent && !e.Stated {
		return 0
	}
	known := e.Content[:schema.StatedSize]
	id32, isNew := m.contentIDs.add(maphash.Bytes(m.seed, known),
		func(id int32) bool { return bytes.Equal(m.hashes[id-1][:schema.StatedSize], known) })
	id := int64(id32)
	if isNew {
		m.hashes = push(m.hashes, e.Content)
		m.sketches = push(m.sketches, e.Sketch...)
		m.sketchEnds = push(m.sketchEnds, int64(len(m.sketches)))
		if e.Stated {
			m.stated[id] = true
		}
	} else if e.HasContent && m.stated[id] {
		m.hashes[id-1] = e.Content
		delete(m.stated, id)
	}
	if e.Digest != nil {
		if essence := string(e.Digest.Essence[:]); !slices.Contains(m.essences[id], essence) {
			m.essences[id] = append(m.essences[id], essence)
		}
	}
	if e.Facts != nil && e.Facts.Family != nil && m.records[id] == nil && m.replaced[id] == nil {
		m.addDirectory(id, e.Facts.Family)
	}
	return id
}

// addDirectory takes in what a content says of records.
func (m *Memory) addDirectory(content int64, b *family.Batch) {
	for _, rows := range b.Rows {
		column := map[string]int{}
		for i, c := range rows.Layout().Columns {
			column[c.Name] = i
		}
		number := func(row, column int) int64 { n, _ := rows.Value(row, column).(int64); return n }
		switch rows.Layout().Table {
		case "x_calligraphy_record":
			guid, path, space := column["guid"], column["path_id"], column["space_id"]
			records := make([]record, rows.Len())
			for row := range records {
				r := &records[row]
				r.guid.Value = number(row, guid)
				if at := rows.Position(row, path); at >= 0 {
					r.path = m.Path(b.Paths[at])
				}
				if at := rows.Position(row, space); at >= 0 {
					r.guid.Space = m.Word(b.Words[at])
				}
			}
			m.records[content] = records
		case "x_calligraphy_replacement":
			old, last := column["old_guid"], column["last_guid"]
			for row := range rows.Len() {
				if to := number(row, last); to != 0 {
					m.replaced[content] = append(m.replaced[content], [2]int64{number(row, old), to})
				}
			}
		}
	}
}

// HasDirectories reports whether any content says something of records.
func (m *Memory) HasDirectories() bool { return len(m.records)+len(m.replaced) > 0 }

// See notes the contents that a game sees in a build.
func (m *Memory) See(build int64, contents []int64) {
	m.directories[build] = Set(slices.DeleteFunc(contents, func(id int64) bool { return m.records[id] == nil && m.replaced[id] == nil }))
}

// AddPublicName notes what an archive of a build calls a path.
func (m *Memory) AddPublicName(build, ordinal, path int64, name string) {
	at := public{build, ordinal}
	m.public[at] = append(m.public[at], [2]int64{path, m.Word(name)})
}

// Names implements [Source].
func (m *Memory) Names(_ context.Context, paths []int64) (*Names, error) {
	paths = Set(slices.Clone(paths))
	b := newNamesBuilder(len(paths))
	for _, id := range paths {
		b.add(id, int64(m.dirOf[id-1]), string(m.name(id)))
	}
	dirs := make([]string, len(b.dirs))
	for id, place := range b.dirs {
		dirs[place] = m.dirs[id]
	}
	return b.names(dirs), nil
}

// Paths yields the paths of all entries.
func (m *Memory) Paths() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i, is := range m.entries {
			if is && !yield(m.dirs[m.dirOf[i]]+string(m.name(int64(i)+1))) {
				return
			}
		}
	}
}

// PathIDs implements [Source].
func (m *Memory) PathIDs(_ context.Context, paths []string) (map[string]int64, error) {
	ids := map[string]int64{}
	for _, path := range paths {
		prefix, name := split(path)
		dir, ok := m.dirIDs[prefix]
		if !ok || len(m.pathIDs.table) == 0 {
			continue
		}
		if id, _ := m.pathIDs.find(m.hash(dir, name), m.isPath(dir, name)); id != 0 {
			ids[path] = int64(id)
		}
	}
	return ids, nil
}

// AssetPaths implements [Source].
func (m *Memory) AssetPaths(_ context.Context, assets map[string]bool) (map[int64]string, error) {
	wanted, paths := dirsOf(assets), map[int64]string{}
	in := make([]bool, len(m.dirs))
	for i, dir := range m.dirs {
		in[i] = wanted[strings.ToLower(dir)]
	}
	for i, dir := range m.dirOf {
		if !in[dir] {
			continue
		}
		if path := m.dirs[dir] + string(m.name(int64(i)+1)); assets[asset.Of(path)] {
			paths[int64(i)+1] = path
		}
	}
	return paths, nil
}

// Words implements [Source].
func (m *Memory) Words(context.Context) (map[int64]string, error) { return m.words, nil }

// Hashes implements [Source].
func (m *Memory) Hashes(_ context.Context, contents []int64) (map[int64]string, error) {
	hashes := make(map[int64]string, len(contents))
	for _, id := range contents {
		switch {
		case id == 0:
		case m.stated[id]:
			hashes[id] = hex.EncodeToString(m.hashes[id-1][:schema.StatedSize])
		default:
			hashes[id] = hex.EncodeToString(m.hashes[id-1][:])
		}
	}
	return hashes, nil
}

// Sketches implements [Source].
func (m *Memory) Sketches(_ context.Context, contents []int64) (map[int64]sketch.Sketch, error) {
	found := map[int64]sketch.Sketch{}
	for _, id := range contents {
		if id == 0 || found[id] != nil {
			continue
		}
		from := int64(0)
		if id > 1 {
			from = m.sketchEnds[id-2]
		}
		if to := m.sketchEnds[id-1]; to > from {
			found[id] = sketch.Unmarshal(m.sketches[from:to])
		}
	}
	return found, nil
}

// Essences implements [Source].
func (m *Memory) Essences(context.Context, []int64) (Essences, error) { return m.essences, nil }

// HasRecords implements [Source].
func (m *Memory) HasRecords(context.Context) (bool, error) { return len(m.records) > 0, nil }

// Records implements [Source].
func (m *Memory) Records(_ context.Context, build int64, paths []int64) (map[int64]GUID, error) {
	of := map[int64]GUID{}
	for _, content := range m.directories[build] {
		for _, r := range m.records[content] {
			if _, wanted := slices.BinarySearch(paths, r.path); wanted {
				setOnce(of, r.path, r.guid)
			}
		}
	}
	return of, nil
}

// Apart implements [Source].
func (m *Memory) Apart(_ context.Context, oldBuild, newBuild int64) (*Apart, error) {
	of := func(build int64) []int64 {
		return slices.DeleteFunc(slices.Clone(m.directories[build]), func(id int64) bool { return m.records[id] == nil })
	}
	return readApart(of(oldBuild), of(newBuild), func(directories []int64) (said []record, err error) {
		for _, content := range directories {
			said = append(said, m.records[content]...)
		}
		return said, nil
	})
}

// Replacements implements [Source].
func (m *Memory) Replacements(_ context.Context, builds ...int64) (map[int64]int64, error) {
	replaced := map[int64]int64{}
	for _, build := range builds {
		for _, content := range m.directories[build] {
			for _, r := range m.replaced[content] {
				setOnce(replaced, r[0], r[1])
			}
		}
	}
	return replaced, nil
}

// PublicNames implements [Source].
func (m *Memory) PublicNames(_ context.Context, build int64, ordinals []int64) (map[int64][]string, error) {
	names := map[int64][]string{}
	for _, ordinal := range ordinals {
		for _, n := range m.public[public{build, ordinal}] {
			names[n[0]] = append(names[n[0]], m.words[n[1]])
		}
	}
	for path, of := range names {
		slices.Sort(of)
		names[path] = slices.Compact(of)
	}
	return names, nil
}

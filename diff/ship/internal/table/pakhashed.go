package table

import (
	"crypto/sha1"
	"encoding/binary"
	"io"
	"math"
	"slices"
	"strings"

	"pakdb/internal/bin"
)

// pakHashes is what the index of versions 10 to 12 has beside rows.
type pakHashes struct {
	seed   uint64
	folder []pakFolder // of all entries
	pruned []pakFolder // of those that are looked for by name
	form   blockForm
}

// pakFolder is a folder of a directory index.
type pakFolder struct {
	name  string
	files []pakFile
}

type pakFile struct {
	name     string
	location int32
}

// pakGone is the location of an entry that a patch pak deletes.
const pakGone = math.MinInt32

func sumOf(b []byte) [20]byte { return sha1.Sum(b) }

// parseHashed reads the parts of an index of version 10 to 12, which must follow
// each other up to the footer. Rows are in the order of the path hashes.
func (p *pak) parseHashed(r *bin.Reader) error {
	h := &pakHashes{}
	p.hashed = h
	n := r.I32()
	h.seed = r.U64()
	at := p.indexEnd
	var parts [2][]byte
	for i := range parts {
		there := r.U32()
		off, size := r.I64(), r.I64()
		r.Skip(20)
		if r.Err() != nil || there == 0 || off != p.at+int64(at) || size < 0 || size > int64(p.footer-at) {
			return fail("part %d of the index", i)
		}
		parts[i] = p.content[at : at+int(size)]
		at += int(size)
	}
	encoded := r.Bytes(r.Count(1))
	records := p.records(r)
	if r.Err() != nil || r.Len() != 0 || at != p.footer {
		return fail("bytes after the index")
	}
	rd := bin.NewReader(parts[1], 0, binary.LittleEndian)
	h.folder = p.readFolders(rd)
	if rd.Err() != nil || rd.Len() != 0 {
		return fail("folders")
	}
	return p.hashRows(parts[0], int(n), encoded, records)
}

// records reads those that have no encoded form.
func (p *pak) records(r *bin.Reader) (list []pakRecord) {
	buf := p.content[p.index:p.indexEnd]
	for range r.Count(53) {
		rec, n, ok := parsePakRecord(buf[r.Pos():], p.version)
		if !ok {
			r.Fail(ErrTable)
			return nil
		}
		r.Skip(n)
		list = append(list, rec)
	}
	return list
}

func (p *pak) readFolders(r *bin.Reader) []pakFolder {
	list := make([]pakFolder, r.Count(8))
	for i := range list {
		d := &list[i]
		d.name = readText(r)
		d.files = make([]pakFile, r.Count(8))
		for k := range d.files {
			if p.version >= pakUTF8 {
				d.files[k].name = readBytes(r)
			} else {
				d.files[k].name = readText(r)
			}
			d.files[k].location = r.I32()
		}
		if r.Err() != nil {
			return nil
		}
	}
	return list
}

func (p *pak) appendFolders(b []byte, list []pakFolder) []byte {
	le := binary.LittleEndian
	b = le.AppendUint32(b, uint32(len(list)))
	for _, d := range list {
		b = appendText(b, d.name)
		b = le.AppendUint32(b, uint32(len(d.files)))
		for _, f := range d.files {
			if p.version >= pakUTF8 {
				b = appendBytes(b, f.name)
			} else {
				b = appendText(b, f.name)
			}
			b = le.AppendUint32(b, uint32(f.location))
		}
	}
	return b
}

// joined is the path of a file in a folder.
func joined(dir, base string) string {
	if dir == "/" {
		return base
	}
	return dir + base
}

// hashRows makes rows of the path hashes: where each leads to, and what the
// folders call it.
func (p *pak) hashRows(part []byte, n int, encoded []byte, records []pakRecord) error {
	type name struct{ dir, base string }
	names, gone := map[int32]name{}, map[uint64]name{}
	for _, d := range p.hashed.folder {
		for _, f := range d.files {
			if f.location == pakGone {
				gone[p.hashOf(joined(d.name, f.name))] = name{d.name, f.name}
			} else {
				names[f.location] = name{d.name, f.name}
			}
		}
	}
	r := bin.NewReader(part, 0, binary.LittleEndian)
	if n != r.Count(12) {
		return fail("%d entries", n)
	}
	p.rows, p.raw = make([]Row, n), make([]pakRow, n)
	for i := range p.rows {
		hash, location := r.U64(), r.I32()
		called, ok := names[location]
		if location == pakGone {
			called, ok = gone[hash]
		}
		if !ok {
			return fail("entry %d has no name", i)
		}
		raw := pakRow{hash: hash, location: location, dir: called.dir, base: called.base}
		if err := p.locate(i, &raw, encoded, records); err != nil {
			return err
		}
		delete(names, location) // one name each
	}
	p.hashed.pruned = p.readFolders(r)
	if r.Err() != nil || r.Len() != 0 {
		return fail("path hashes")
	}
	p.hashed.form = p.blockForm()
	return nil
}

// locate fills row i.
func (p *pak) locate(i int, raw *pakRow, encoded []byte, records []pakRecord) error {
	row := Row{Key: joined(raw.dir, raw.base), Off: -1}
	switch k := raw.location; {
	case k == pakGone:
	case k < 0:
		if n := -(int64(k) + 1); n >= int64(len(records)) {
			return fail("record %d", n)
		}
		rec := &records[-(k + 1)]
		row.Off, row.Size = int64(binary.LittleEndian.Uint64(rec.raw)), int64(len(rec.raw))+rec.stored()
	default:
		if int64(k) > int64(len(encoded)) {
			return fail("entry at %d", k)
		}
		e, ok := parsePakEncoded(encoded[k:])
		if !ok {
			return fail("entry at %d", k)
		}
		raw.encoded = e
		row.Off, row.Size = e.offset, e.extent(p.version)
	}
	p.rows[i], p.raw[i] = row, *raw
	return nil
}

// blockForm is that of the first entry of one block.
func (p *pak) blockForm() blockForm {
	for i := range p.raw {
		if e := &p.raw[i].encoded; e.raw != nil && e.count() == 1 {
			switch e.bits & 0x3f {
			case 0:
				return blockZero
			case 0x3e:
				return blockLarge
			}
			break
		}
	}
	return blockExact
}

// hashOf is the hash of a path: FNV-1a, whose numbers version 10 mixed up.
func (p *pak) hashOf(path string) uint64 {
	if p.version == pakHashed {
		return pathHash(path, fnvPrime+p.hashed.seed, fnvBasis)
	}
	return pathHash(path, fnvBasis+p.hashed.seed, fnvPrime)
}

// predictHashed is the index of versions 10 to 12, which begins at start.
func (p *pak) predictHashed(items []Item, form Form, file io.ReaderAt, end, start int64) ([][]byte, error) {
	le := binary.LittleEndian
	read := recordReader{file: file, end: end, version: p.version}
	w := pakWriter{pak: p}
	hashes := le.AppendUint32(nil, uint32(len(items)))
	locations := make([]int32, len(items))
	for i, it := range items {
		location, err := w.locate(it, &read)
		if err != nil {
			return nil, err
		}
		locations[i] = location
		if it.Old >= 0 {
			hashes = le.AppendUint64(hashes, p.raw[it.Old].hash)
		} else {
			hashes = le.AppendUint64(hashes, p.hashOf(it.New))
		}
		hashes = le.AppendUint32(hashes, uint32(location))
	}
	folders, err := p.folders(items, locations, form)
	if err != nil {
		return nil, err
	}
	hashes = p.appendFolders(hashes, p.keptFolders(p.hashed.pruned, items, locations, false))
	dirs := p.appendFolders(nil, folders)

	b := le.AppendUint32(slices.Clone(p.mount), uint32(len(items)))
	b = le.AppendUint64(b, p.hashed.seed)
	at := start + int64(len(b)) + 2*(4+36) + 4 + int64(len(w.encoded)) + 4 + int64(len(w.records))
	for _, part := range [][]byte{hashes, dirs} {
		b = le.AppendUint32(b, 1)
		b = append(b, make([]byte, 36)...)
		putRegion(b[len(b)-36:], at, part)
		at += int64(len(part))
	}
	b = append(le.AppendUint32(b, uint32(len(w.encoded))), w.encoded...)
	b = append(le.AppendUint32(b, uint32(w.nRecords)), w.records...)
	return [][]byte{b, hashes, dirs}, nil
}

// pakWriter encodes entries.
type pakWriter struct {
	*pak
	encoded  []byte
	records  []byte
	nRecords int
}

// locate encodes an entry and returns its location.
func (w *pakWriter) locate(it Item, read *recordReader) (int32, error) {
	if it.Off < 0 {
		return pakGone, nil
	}
	rec, err := read.at(it.Off)
	if err != nil {
		return 0, err
	}
	location := int32(len(w.encoded))
	if it.Old >= 0 && w.raw[it.Old].encoded.raw != nil {
		old := &w.raw[it.Old].encoded
		if lengths, ok := rec.lengths(); ok && old.says(&rec, lengths) {
			w.encoded = old.moved(w.encoded, it.Off)
			return location, nil
		}
	}
	var ok bool
	if w.encoded, ok = appendPakEncoded(w.encoded, &rec, it.Off, w.hashed.form); ok {
		return location, nil
	}
	w.records = binary.LittleEndian.AppendUint64(w.records, uint64(it.Off))
	w.records = append(w.records, rec.raw[8:]...)
	clear(w.records[len(w.records)-len(rec.raw)+w.version.sumAt():][:20])
	w.nRecords++
	return int32(-w.nRecords), nil
}

// folders are those of the items.
func (p *pak) folders(items []Item, locations []int32, form Form) ([]pakFolder, error) {
	if form == Kept {
		return p.keptFolders(p.hashed.folder, items, locations, true), nil
	}
	return p.freshFolders(items, locations)
}

// nameOf is the folder and name of an item.
func (p *pak) nameOf(it Item) (dir, base string) {
	if it.Old >= 0 {
		return p.raw[it.Old].dir, p.raw[it.Old].base
	}
	i := strings.LastIndexByte(it.New, '/')
	if i < 0 {
		return "/", it.New
	}
	return it.New[:i+1], it.New[i+1:]
}

// freshFolders are in the order in which the items lead to them: before a folder
// those above it that are not there yet, the nearest first.
func (p *pak) freshFolders(items []Item, locations []int32) ([]pakFolder, error) {
	f := folderList{at: map[string]int{}}
	size := 0
	for i, it := range items {
		dir, base := p.nameOf(it)
		if _, there := f.at[dir]; !there {
			if size += len(dir) * strings.Count(dir, "/"); size > MaxSize {
				return nil, fail("folders in folders")
			}
			for up := dir; up != "/" && up != ""; {
				up = up[:strings.LastIndexByte(up[:len(up)-1], '/')+1]
				if up == "" {
					up = "/"
				}
				f.add(up)
			}
		}
		k := f.add(dir)
		f.list[k].files = append(f.list[k].files, pakFile{base, locations[i]})
	}
	return f.list, nil
}

type folderList struct {
	list []pakFolder
	at   map[string]int
}

func (f *folderList) add(name string) int {
	k, there := f.at[name]
	if !there {
		k = len(f.list)
		f.at[name] = k
		f.list = append(f.list, pakFolder{name: name})
	}
	return k
}

// keptFolders are old ones, without what is gone and, if that is wanted, with
// what is new at the end of each. Folders that lost all they had are gone.
func (p *pak) keptFolders(old []pakFolder, items []Item, locations []int32, added bool) []pakFolder {
	type key struct{ dir, base string }
	now := map[key]int32{}
	for i, it := range items {
		if it.Old >= 0 {
			now[key{p.raw[it.Old].dir, p.raw[it.Old].base}] = locations[i]
		}
	}
	f := folderList{at: map[string]int{}}
	for _, d := range old {
		var files []pakFile
		for _, x := range d.files {
			if location, ok := now[key{d.name, x.name}]; ok {
				files = append(files, pakFile{x.name, location})
				delete(now, key{d.name, x.name}) // in another archive's folders it may be again
			}
		}
		if len(files) > 0 || len(d.files) == 0 {
			k := f.add(d.name)
			f.list[k].files = append(f.list[k].files, files...)
		}
	}
	for i, it := range items {
		if it.Old < 0 && added {
			dir, base := p.nameOf(it)
			k := f.add(dir)
			f.list[k].files = append(f.list[k].files, pakFile{base, locations[i]})
		}
	}
	return f.list
}

package zen

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
)

// Changes are what [Package.Rewrite] writes otherwise. The zero value changes nothing.
type Changes struct {
	Names   []string       // appended to the names
	Exports map[int][]byte // new data of exports
}

// Writable returns why the package cannot be written, nil if it can.
func (p *Package) Writable() error {
	refuse := func(format string, args ...any) error {
		return failure("package", 0, codecs.Errorf(unreal.ErrNoWriting, format, args...))
	}
	switch {
	case !p.sum.deps:
		return refuse("Zen package of layout %s: those of UE 5.3 to 5.8 are written", p.sum.layout.name)
	case p.sum.cellImports != p.sum.bundles:
		return refuse("package with Verse cells")
	}
	for _, problem := range p.Problems {
		return refuse("its tables contradict the format: %v", problem)
	}
	return nil
}

// Rewrite returns the package with changes. chunk is what it was read from. Bytes that the
// changes do not concern stay. The result was read back.
func (p *Package) Rewrite(chunk []byte, c *Changes) ([]byte, error) {
	if err := p.Writable(); err != nil {
		return nil, err
	}
	s := p.sum
	if int64(len(chunk)) < s.headerSize {
		return nil, failure("header", 0, codecs.ErrTruncated)
	}
	head := bytes.Clone(chunk[:s.fixed])
	names, err := p.appendNames(chunk, c.Names)
	if err != nil {
		return nil, err
	}
	bulk, err := p.moveBulk(chunk, int64(len(head)+len(names)), len(c.Names) > 0)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(p.Bulk, func(b unreal.BulkData) bool { return b.Inline() }) {
		for i, b := range c.Exports {
			if x := &p.Exports[i]; int64(len(b)) != x.Size {
				return nil, failure(fmt.Sprintf("exports[%d]", i), x.Offset, codecs.Errorf(unreal.ErrInside, "%s must keep its size", p.NameOf(x.Name)))
			}
		}
	}
	tables := bytes.Clone(chunk[s.hashes:s.headerSize])
	data, err := p.joinData(chunk, tables[s.exports-s.hashes:], c)
	if err != nil {
		return nil, err
	}
	by := int64(len(head)+len(names)+len(bulk)) - s.hashes
	places := []int64{4, 24, 28, 32, 36, 40, 44, 48} // header size, and the tables
	if s.cells {
		places = append(places, s.fixed-8, s.fixed-4)
	}
	for _, at := range places {
		binary.LittleEndian.PutUint32(head[at:], uint32(int64(binary.LittleEndian.Uint32(head[at:]))+by))
	}
	out := slices.Concat(head, names, bulk, tables, data)
	if err := p.readBack(chunk, out, c); err != nil {
		return nil, failure("read back", -1, err)
	}
	return out, nil
}

// appendNames returns the name batch with more names.
func (p *Package) appendNames(chunk []byte, more []string) ([]byte, error) {
	old := chunk[p.sum.fixed:p.namesEnd]
	if len(more) == 0 {
		return bytes.Clone(old), nil
	}
	n := p.NameCount
	if len(old) < 16+10*n || n == 0 || binary.LittleEndian.Uint64(old[8:]) != nameHash {
		return nil, failure("names", p.sum.fixed, codecs.Errorf(unreal.ErrNoWriting, "names with another hash"))
	}
	hashes, headers, texts := bytes.Clone(old[16:16+8*n]), bytes.Clone(old[16+8*n:16+10*n]), bytes.Clone(old[16+10*n:])
	for _, name := range more {
		header, text, hash := storedName(name)
		hashes = binary.LittleEndian.AppendUint64(hashes, hash)
		headers = binary.BigEndian.AppendUint16(headers, header)
		texts = append(texts, text...)
	}
	b := binary.LittleEndian.AppendUint32(nil, uint32(n+len(more)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(texts)))
	b = binary.LittleEndian.AppendUint64(b, nameHash)
	return slices.Concat(b, hashes, headers, texts), nil
}

// moveBulk returns the table of bulk data for another place in the file: from 5.2 on bytes
// in front of it align it to 8.
func (p *Package) moveBulk(chunk []byte, at int64, moved bool) ([]byte, error) {
	b := chunk[p.namesEnd:p.sum.hashes]
	if !moved || len(b) == 0 {
		return b, nil
	}
	pad := func(at int64) int64 { return -(at + 8) & 7 }
	if len(b) < 16 || binary.LittleEndian.Uint64(b) != uint64(pad(p.namesEnd)) {
		return nil, failure("bulk data", p.namesEnd, codecs.Errorf(unreal.ErrNoWriting, "table of bulk data that is not aligned"))
	}
	out := binary.LittleEndian.AppendUint64(nil, uint64(pad(at)))
	out = append(out, make([]byte, pad(at))...)
	return append(out, b[8+pad(p.namesEnd):]...), nil
}

// joinData returns the data of the exports and what follows it, and writes where it lies
// into the export map.
func (p *Package) joinData(chunk, exports []byte, c *Changes) ([]byte, error) {
	order := make([]int, len(p.Exports))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(p.Exports[a].Offset - p.Exports[b].Offset) })
	at := p.sum.headerSize
	var out []byte
	for _, i := range order {
		x := &p.Exports[i]
		if x.Offset != at || at+x.Size > int64(len(chunk)) {
			return nil, failure(fmt.Sprintf("exports[%d].offset", i), x.Offset, codecs.Errorf(unreal.ErrNoWriting, "data of exports with gaps"))
		}
		b := chunk[at : at+x.Size]
		if data, ok := c.Exports[i]; ok {
			b = data
		}
		binary.LittleEndian.PutUint64(exports[exportSize*i:], uint64(len(out)))
		binary.LittleEndian.PutUint64(exports[exportSize*i+8:], uint64(len(b)))
		out = append(out, b...)
		at += x.Size
	}
	return append(out, chunk[at:]...), nil
}

// readBack reads the new package: it must have what was asked for and nothing else.
func (p *Package) readBack(old, out []byte, c *Changes) error {
	got, err := Read(bytes.NewReader(out), int64(len(out)))
	switch {
	case err != nil:
		return err
	case len(got.Problems) > 0:
		return got.Problems[0]
	case got.NameCount != p.NameCount+len(c.Names) || got.Layout != p.Layout || got.Name != p.Name || len(got.Exports) != len(p.Exports):
		return errors.New("other counts")
	case !slices.Equal(got.Zen.ImportIDs, p.Zen.ImportIDs) || !slices.Equal(got.Zen.PublicHashes, p.Zen.PublicHashes) ||
		!slices.Equal(got.Zen.ImportedHash, p.Zen.ImportedHash) || !slices.Equal(got.Zen.Packages, p.Zen.Packages) || !slices.Equal(got.Bulk, p.Bulk):
		return errors.New("other tables")
	}
	for i := range got.NameCount {
		if i < p.NameCount && got.Names[i] != p.Names[i] || i >= p.NameCount && got.Names[i].Text != c.Names[i-p.NameCount] {
			return fmt.Errorf("name %d is %q", i, got.Names[i].Text)
		}
	}
	for i := range got.Exports {
		a, b := got.Exports[i], p.Exports[i]
		want, changed := c.Exports[i]
		if !changed {
			want = old[b.Offset : b.Offset+b.Size]
		}
		if !bytes.Equal(out[a.Offset:a.Offset+a.Size], want) {
			return fmt.Errorf("data of export %d differs", i)
		}
		a.Offset, a.Size = b.Offset, b.Size
		if a != b {
			return fmt.Errorf("export %d differs", i)
		}
	}
	return nil
}

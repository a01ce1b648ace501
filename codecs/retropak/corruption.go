package retropak

import (
	"encoding/binary"

	"pakdb/codecs"
	"pakdb/internal/bin"
)

// headerSize is what every real pak declares; the field is followed all the
// same, within reason.
const (
	headerSize    = 0x40
	maxHeaderSize = 0x1000
	maxSections   = 16
)

// readCorruption reads the header and the sections that start with 2.
func readCorruption(src codecs.Source, lim codecs.Limits) (*tables, error) {
	t := &tables{layout: corruption}
	if err := t.readHeader(src); err != nil {
		return nil, err
	}
	entries, ok := t.section("RSHD")
	data, ok2 := t.section("DATA")
	if !ok || !ok2 {
		return nil, &atField{"sections", t.header.size, codecs.Errorf(codecs.ErrCorrupt, "no RSHD or no DATA among them")}
	}
	var err error
	if t.entries, err = readList(src, lim, entries, t.recordSize()); err != nil {
		return nil, err
	}
	if err := t.readSTRG(src, lim); err != nil {
		return nil, err
	}
	t.base, t.first, t.end = data.at, data.at, data.at+data.size
	if err := bin.Range(data.at, data.size, src.Size); err != nil {
		t.warnings = append(t.warnings, failure(src.Name, "", "DATA", data.at, err))
	}
	return t, nil
}

// readSTRG reads the named resources. Entries can be listed without them, so
// damage there is a warning.
func (t *tables) readSTRG(src codecs.Source, lim codecs.Limits) error {
	s, ok := t.section("STRG")
	if !ok {
		return nil
	}
	var err error
	if t.named, err = readList(src, lim, s, 13); err != nil && !damaged(err) {
		return err
	} else if err != nil {
		t.warnings = append(t.warnings, failure(src.Name, "", "STRG", s.at, err))
	}
	return nil
}

func (t *tables) readHeader(src codecs.Source) error {
	buf, err := bin.Section(src, 0, 0x18, src.Size, 0x18)
	if err != nil {
		return &atField{"header", -1, err}
	}
	r := bin.NewReader(buf, 0, binary.BigEndian)
	r.Skip(4)
	t.header.size = int64(r.U32())
	copy(t.header.md5[:], r.Bytes(16))
	if t.header.size < 0x18 || t.header.size > maxHeaderSize {
		return &atField{"header size", 4, codecs.Errorf(codecs.ErrCorrupt, "%d", t.header.size)}
	}
	return t.readSections(src)
}

// readSections reads the section table; sections follow it in its order.
func (t *tables) readSections(src codecs.Source) error {
	at := t.header.size
	count, err := bin.Section(src, at, 4, src.Size, 4)
	if err != nil {
		return &atField{"section count", -1, err}
	}
	n := int64(binary.BigEndian.Uint32(count))
	if n > maxSections {
		return &atField{"section count", at, codecs.Errorf(codecs.ErrCorrupt, "%d", n)}
	}
	buf, err := bin.Section(src, at+4, 8*n, src.Size, 8*maxSections)
	if err != nil {
		return &atField{"sections", -1, err}
	}
	r := bin.NewReader(buf, at+4, binary.BigEndian)
	next := t.alignUp(at + 4 + 8*n)
	for range n {
		s := section{name: string(r.Bytes(4)), at: next, size: int64(r.U32())}
		next += s.size
		t.header.sections = append(t.header.sections, s)
	}
	return nil
}

func (t *tables) section(name string) (section, bool) {
	for _, s := range t.header.sections {
		if s.name == name {
			return s, true
		}
	}
	return section{}, false
}

// readList reads a section that is a count and records of at least minRecord
// bytes. Its size includes padding, which stays in memory unread.
func readList(src codecs.Source, lim codecs.Limits, s section, minRecord int) (list, error) {
	buf, err := bin.Section(src, s.at, s.size, src.Size, lim.Table)
	if err != nil {
		return list{}, &atField{s.name, -1, err}
	}
	r := bin.NewReader(buf, s.at, binary.BigEndian)
	n := r.Count(minRecord)
	if err := r.Err(); err != nil {
		return list{}, &atField{s.name, -1, err}
	}
	return list{n: n, at: r.Off(), bytes: buf[r.Pos():]}, nil
}

package textfile

import (
	"bytes"
	"encoding/binary"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
)

// The marks of the store of tags.
const (
	storeNew = 0x12345679
	storeOld = 0x12345678 // texts come after paths
	storeEnd = 0x87654321
)

// store is the values of tags, each stored once.
type store struct {
	names      []uint64 // numberless ones first, in numberless
	numberless []uint64
	paths      [2][]string // without numbers, and with
	texts      []string
	offsets    [2][]uint32 // of 8-bit and 16-bit strings
	bytes      []byte
	units      []byte
	pairs      [2][]pair // without numbers, and with

	values map[uint32]int32 // positions of values that were used
}

// pair is a tag: its name, and its value.
type pair struct {
	name  uint64
	value uint32
}

// align passes over what fills up to a multiple of 16, in the versions that have it.
func (s *store) align(d *registryDecoder) {
	if d.version >= withAlignment {
		d.r.Skip(-d.r.Pos() & 15)
	}
}

// read reads the store; failures are the reader's.
func (s *store) read(d *registryDecoder) {
	s.values = map[uint32]int32{}
	s.align(d)
	order := d.r.U32()
	if d.r.Err() == nil && order != storeNew && order != storeOld {
		d.r.Fail(codecs.Errorf(codecs.ErrCorrupt, "mark of the store of tags is %#x", order))
		return
	}
	var n [11]int64
	for i := range n {
		n[i] = int64(d.r.I32())
	}
	if order == storeNew {
		s.align(d)
		if size := int64(d.r.U32()); size > int64(d.r.Len()) {
			d.r.CheckCount(size, 1)
		}
		s.readTexts(d, n[4])
	}
	s.align(d)
	s.numberless = numbers(d, n[0])
	s.align(d)
	for range d.r.CheckCount(n[1], 4) {
		s.names = append(s.names, d.rawName(d.r))
	}
	s.align(d)
	s.paths[0] = s.readPaths(d, n[2], func() uint64 { return uint64(d.r.U32()) })
	s.align(d)
	s.paths[1] = s.readPaths(d, n[3], func() uint64 { return d.rawName(d.r) })
	if order == storeOld {
		s.readTexts(d, n[4])
	}
	for i := range s.offsets {
		s.align(d)
		for _, v := range numbers(d, n[5+i]) {
			s.offsets[i] = append(s.offsets[i], uint32(v))
		}
	}
	s.align(d)
	s.bytes = d.r.Bytes(d.r.CheckCount(n[7], 1))
	s.align(d)
	s.units = d.r.Bytes(2 * d.r.CheckCount(n[8], 2))
	s.align(d)
	for range d.r.CheckCount(n[9], 8) {
		s.pairs[0] = append(s.pairs[0], pair{uint64(d.r.U32()), d.r.U32()})
	}
	s.align(d)
	for range d.r.CheckCount(n[10], 8) {
		s.pairs[1] = append(s.pairs[1], pair{d.rawName(d.r), d.r.U32()})
	}
	if mark := d.r.U32(); d.r.Err() == nil && mark != storeEnd {
		d.r.Fail(codecs.Errorf(codecs.ErrCorrupt, "mark at the end of the store of tags is %#x", mark))
	}
}

// numbers reads names without a number.
func numbers(d *registryDecoder, n int64) []uint64 {
	all := make([]uint64, d.r.CheckCount(n, 4))
	for i := range all {
		all[i] = uint64(d.r.U32())
	}
	return all
}

func (s *store) readTexts(d *registryDecoder, n int64) {
	for range d.r.CheckCount(n, 4) {
		s.texts = append(s.texts, d.utf8())
		if d.r.Err() != nil {
			return
		}
	}
}

// readPaths reads paths of exported objects: Class'Package.Object'.
func (s *store) readPaths(d *registryDecoder, n int64, name func() uint64) (paths []string) {
	minElem := 12
	if d.version >= withClassPaths {
		minElem = 16
	}
	for range d.r.CheckCount(n, minElem) {
		class := ""
		if d.version >= withClassPaths {
			class = d.nameText(name()) + "."
		}
		class += d.nameText(name())
		object, pkg := d.nameText(name()), d.nameText(name())
		if d.r.Err() != nil {
			return paths
		}
		path := pkg
		if object != "" && object != "None" {
			path += "." + object
		}
		paths = append(paths, class+"'"+path+"'")
	}
	return paths
}

// value returns the position of the text of a value: three bits of kind, and an index.
func (s *store) value(d *registryDecoder, v uint32) int32 {
	at, ok := s.values[v]
	if !ok {
		text, ok := s.valueText(d, v&7, int64(v>>3))
		if !ok {
			d.add("value of a tag", codecs.Errorf(codecs.ErrCorrupt, "kind %d, index %d", v&7, v>>3))
			text = "<bad value>"
		}
		at = d.text(text)
		s.values[v] = at
	}
	return at
}

func (s *store) valueText(d *registryDecoder, kind uint32, i int64) (text string, ok bool) {
	switch kind {
	case 0, 1:
		return s.stringAt(kind == 1, i)
	case 2:
		if i < int64(len(s.numberless)) {
			return d.nameText(s.numberless[i]), true
		}
	case 3:
		if i < int64(len(s.names)) {
			return d.nameText(s.names[i]), true
		}
	case 4, 5:
		if paths := s.paths[kind-4]; i < int64(len(paths)) {
			return paths[i], true
		}
	case 6:
		if i < int64(len(s.texts)) {
			return s.texts[i], true
		}
	}
	return "", false
}

// stringAt returns a string, which ends with a NUL.
func (s *store) stringAt(wide bool, i int64) (string, bool) {
	if !wide {
		if i >= int64(len(s.offsets[0])) || int64(s.offsets[0][i]) > int64(len(s.bytes)) {
			return "", false
		}
		b := s.bytes[s.offsets[0][i]:]
		end := bytes.IndexByte(b, 0)
		return unreal.Text{Bytes: b[:max(end, 0)]}.String(), end >= 0
	}
	if i >= int64(len(s.offsets[1])) || 2*int64(s.offsets[1][i]) > int64(len(s.units)) {
		return "", false
	}
	b := s.units[2*int(s.offsets[1][i]):]
	for end := 0; end+1 < len(b); end += 2 {
		if binary.LittleEndian.Uint16(b[end:]) == 0 {
			return unreal.Text{Bytes: b[:end], Wide: true}.String(), true
		}
	}
	return "", false
}

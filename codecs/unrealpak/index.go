package unrealpak

import (
	"encoding/binary"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/internal/ue"
	"pakdb/internal/bin"
)

// table is the list of entries of an opened pak, in the order of their
// ordinals. It keeps the index as it is stored and decodes on demand, so that
// a hundred thousand entries cost little more than their bytes in the file.
type table interface {
	len() int
	// name returns the path of entry i relative to the mount point, or "".
	name(i int) string
	// hash returns the stored path hash of entry i.
	hash(i int) (uint64, bool)
	// record decodes entry i into rec.
	record(i int, rec *record) error
}

// recordIndex is the index of versions 1 to 9:
//
//	FString mount | i32 count | count x (FString name, record)
type recordIndex struct {
	buf     []byte
	base    int64 // absolute offset of buf
	version version
	starts  []uint32 // of each name within buf
}

// parseRecordIndex walks the index. Entries in front of damage are kept; the
// error then says where the table breaks.
func parseRecordIndex(buf []byte, base int64, v version) (t *recordIndex, mount string, err error) {
	r := bin.NewReader(buf, base, binary.LittleEndian)
	mount = normalSlashes(ue.FString(r).String())
	t = &recordIndex{buf: buf, base: base, version: v}
	count := r.Count(4 + int(v.recordSize(false, 0)))
	t.starts = make([]uint32, 0, count)
	for range count {
		start := r.Pos()
		ue.FString(r)
		skipRecord(r, v)
		if r.Err() != nil {
			return t, mount, at("index", r.Off(), r.Err())
		}
		t.starts = append(t.starts, uint32(start))
	}
	return t, mount, at("index", r.Off(), r.Err())
}

func (t *recordIndex) len() int { return len(t.starts) }

func (t *recordIndex) at(i int) *bin.Reader {
	start := t.starts[i]
	return bin.NewReader(t.buf[start:], t.base+int64(start), binary.LittleEndian)
}

func (t *recordIndex) name(i int) string {
	return normalSlashes(ue.FString(t.at(i)).String())
}

func (t *recordIndex) hash(int) (uint64, bool) { return 0, false }

func (t *recordIndex) record(i int, rec *record) error {
	r := t.at(i)
	ue.FString(r)
	readRecord(r, t.version, rec)
	return at("entry", rec.at, r.Err())
}

func normalSlashes(s string) string { return strings.ReplaceAll(s, `\`, "/") }

// checkCount compares the entry count that an index declares with its list.
func checkCount(declared int64, have int, field int64) error {
	if declared == int64(have) {
		return nil
	}
	return at("entry count", field, codecs.Errorf(codecs.ErrNonStrict, "%d declared, %d listed", declared, have))
}

package schema

import (
	"database/sql/driver"
	"encoding/binary"
)

// PackageDigest tells of two Unreal packages whether they differ in more than
// noise; see table package_digest.
type PackageDigest struct {
	// Header is the BLAKE3 of the package whose exports the content holds; zero
	// for a content that is itself the package.
	Header  Digest
	Essence [16]byte
	Exports []uint64
}

// insertDigests stores what the batch found out about packages. It depends on
// the two contents alone, so that another finding replaces the first, which was
// an older inspector's.
func (t *batchTx) insertDigests(b *batch) error {
	var rows []*Entry
	for i := range b.entries {
		if e := &b.entries[i]; e.Digest != nil && e.HasContent {
			rows = append(rows, e)
		}
	}
	return t.insert("INSERT OR REPLACE INTO package_digest (content_id, header, essence, exports) SELECT a, b, c, d FROM src", len(rows),
		func(row, col int) driver.Value {
			switch e := rows[row]; col {
			case 0:
				return e.contentID
			case 1:
				return halfOf(&e.Digest.Header).key()
			case 2:
				return e.Digest.Essence[:]
			default:
				return blobOrNull(exportBytes(e.Digest.Exports))
			}
		})
}

func exportBytes(sums []uint64) (b []byte) {
	for _, sum := range sums {
		b = binary.LittleEndian.AppendUint64(b, sum)
	}
	return b
}

func blobOrNull(b []byte) driver.Value {
	if b == nil {
		return nil
	}
	return b
}

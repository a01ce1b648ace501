package write

import (
	"bytes"
	"cmp"
	"database/sql/driver"
	"encoding/binary"
	"slices"

	"pakdb/schema/internal/record"
)

var contents = table[*Row]{name: "x_content", columns: []column[*Row]{
	bytesOf("hash", knownHash),
	number("size", func(r *Row) int64 { return r.ContentSize }),
	maybeWord("kind_id", func(r *Row) (string, bool) {
		if r.Facts == nil {
			return "", false
		}
		return r.Facts.Kind, true
	}),
	maybeWord("inspected_id", func(r *Row) (string, bool) {
		if r.Facts == nil {
			return "", false
		}
		return r.Facts.Inspector, true
	}),
}}

// knownHash returns as much of the content's hash as is known.
func knownHash(r *Row) []byte {
	if r.Stated {
		return r.Content[:record.StatedSize]
	}
	return r.Content[:]
}

func insertContents(t *tx, b *Batch) error {
	return contents.insertNumbered(t, b.FirstContent, b.NewContents)
}

// completeHashes fills in the hashes of contents that were known by the start of
// it alone, and have been read now, and their sizes, which were stated as well.
func completeHashes(t *tx, b *Batch) error {
	return t.exec("UPDATE x_content SET hash = src.b, size = src.c FROM src WHERE content_id = src.a", len(b.Read),
		func(row, col int) driver.Value {
			r := b.Read[row]
			return [...]driver.Value{r.ContentID, r.Content[:], r.ContentSize}[col]
		})
}

// findClaimed gives entries that were not read the contents that their sums are
// known to have: those of entries that were read, or were given one so, and are
// stored alike. What other entries of the build decode to is found when it is
// published (links.sql).
func findClaimed(t *tx, b *Batch) error {
	var rows []*Row
	for i := range b.Rows {
		if r := &b.Rows[i]; r.Claimed && r.Sum != nil {
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	if !t.summed { // what this build reads itself is found when it is published
		if err := addSums(t, t.sql); err != nil {
			return err
		}
		t.summed = true
	}
	slices.SortStableFunc(rows, func(a, b *Row) int { // neighbours share pages of the table
		return cmp.Or(bytes.Compare(a.Sum, b.Sum), cmp.Compare(a.Stored, b.Stored))
	})
	for _, r := range rows {
		if err := t.addWords(r.Method); err != nil {
			return err
		}
	}
	return t.find(`SELECT src.b, c.content_id FROM src
		CROSS JOIN x_sum_key k ON k.key = src.g
		CROSS JOIN x_content c ON c.content_id = k.content_id
		WHERE c.size = src.f
			AND EXISTS (SELECT 1 FROM x_entry_row r
				WHERE r.content_id = c.content_id AND r.sum = src.a AND r.method_id = src.c AND r.stored = src.d AND r.flags & 1 = src.e)`,
		len(rows),
		func(row, col int) driver.Value {
			switch r := rows[row]; col {
			case 0:
				return r.Sum
			case 1:
				return int64(row)
			case 2:
				return t.words[r.Method]
			case 3:
				return r.Stored
			case 4:
				return r.Flags & 1
			case 5:
				return r.Size
			default:
				return record.SumKey(r.Sum)
			}
		},
		func(row int, id int64) { rows[row].ContentID = id })
}

// sketches are what similar contents are recognised by. A sketch depends on the content
// alone, so one that is there stays.
var sketches = table[*Row]{name: "x_content_sketch", verb: "INSERT OR IGNORE", columns: []column[*Row]{
	number("content_id", contentID),
	bytesOf("sketch", func(r *Row) []byte { return r.Sketch }),
}}

// digests are what is known of packages. They depend on two contents alone, so that
// another finding replaces the first, which was an older inspector's.
var digests = table[digest]{name: "x_package_digest", verb: "INSERT OR REPLACE", columns: []column[digest]{
	number("content_id", func(d digest) int64 { return d.content }),
	number("header", func(d digest) int64 { return record.HalfOf(&d.Header).Key() }),
	bytesOf("essence", func(d digest) []byte { return d.Essence[:] }),
	bytesOf("exports", func(d digest) (b []byte) {
		for _, sum := range d.Exports {
			b = binary.LittleEndian.AppendUint64(b, sum)
		}
		return b
	}),
}}

// digest is that of a content.
type digest struct {
	content int64
	*record.PackageDigest
}

func contentID(r *Row) int64 { return r.ContentID }

// insertSketches stores sketches and digests of contents.
func insertSketches(t *tx, b *Batch) error {
	var sketched []*Row
	var digested, copied []digest
	for i := range b.Rows {
		r := &b.Rows[i]
		if r.Sketch != nil && r.HasContent {
			sketched = append(sketched, r)
		}
		if r.Digest != nil && r.HasContent {
			digested = append(digested, digest{r.ContentID, r.Digest})
		}
		if c := r.Copied; c != nil && r.HasContent {
			for j := range c.Digests {
				copied = append(copied, digest{r.ContentID, &c.Digests[j]})
			}
		}
	}
	there := digests // are not replaced: they may be of a newer inspector than the copies
	there.verb = "INSERT OR IGNORE"
	return cmp.Or(sketches.insert(t, sketched), digests.insert(t, digested), there.insert(t, copied))
}

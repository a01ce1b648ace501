package indexer

import (
	"context"
	"errors"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"pakdb/codecs"
	"pakdb/schema"
)

// loadSums reads the checksums that lie apart from the archive's tables, and
// decides whether the archive needs to be read at all.
func (p *opener) loadSums(ctx context.Context, o *opened) (err error) {
	defer guard(&err, o.src.Name)
	if summer, ok := codecs.ArchiveAs[codecs.Summer](o.archive); ok {
		if o.sums, err = summer.Sums(ctx); err != nil && !p.options.Quick {
			err = nil // reading the entries finds what is wrong, and where
		}
	}
	if o.skim = (p.options.Quick || o.hollow) && o.hasSums(); o.skim && !o.hollow {
		o.scan += quickKey
	}
	return err
}

// hasSums reports whether the archive states a checksum for any entry.
func (o *opened) hasSums() bool {
	for _, sum := range o.sums {
		if sum.Kind != codecs.NoSum {
			return true
		}
	}
	if o.sums != nil {
		return false
	}
	for e := range o.archive.Entries() {
		if e != nil && e.Sum.Kind != codecs.NoSum {
			return true
		}
	}
	return false
}

// sumOf is what the archive says about e's bytes.
func (o *opened) sumOf(e *codecs.Entry) codecs.Sum {
	if e.Ordinal < len(o.sums) {
		return o.sums[e.Ordinal]
	}
	return e.Sum
}

// readOrSkim fills in the content of the row: by reading it, or, in a quick scan,
// by what the archive says about it.
func (w *worker) readOrSkim(ctx context.Context, c *chunk, it item, row *schema.Entry) error {
	sum := c.from.sumOf(it.entry)
	if c.from.skim && sum.Kind != codecs.NoSum {
		claim(row, it.entry, sum)
		return nil
	}
	if w.isSame(ctx, c, it, row) {
		return ctx.Err()
	}
	err := w.read(ctx, c, it, row)
	switch {
	case err == nil:
		row.Sum = sum.Bytes // reading has confirmed it
	case sum.Kind != codecs.NoSum && outOfReach(err):
		claim(row, it.entry, sum)
	}
	return err
}

// outOfReach recognises errors that say nothing against what an archive states: one of
// the files that hold contents is absent, there is no key, or no decoder.
func outOfReach(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, codecs.ErrEncrypted) || errors.Is(err, errors.ErrUnsupported)
}

// claim gives the row the content with the checksum.
func claim(row *schema.Entry, e *codecs.Entry, sum codecs.Sum) {
	row.Sum = sum.Bytes
	if row.Stated = states(sum); row.Stated {
		row.ContentSize = e.Size
		copy(row.Content[:schema.StatedSize], sum.Bytes)
		return
	}
	row.Claimed = true
}

// states reports whether a checksum is the start of the content's own hash, and
// enough of it to know the content by.
func states(sum codecs.Sum) bool {
	return sum.Kind == codecs.BLAKE3Decoded && sum.Len == 0 && len(sum.Bytes) >= schema.StatedSize
}

// continues reports whether an archive may continue one that was scanned by a key: by
// the same revisions and options. Files beside it may have other sizes. A full scan
// continues no archive that was not read.
func (o *opened) continues(scan string) bool {
	rest, ok := strings.CutPrefix(scan, o.scan[:o.parts])
	rest, quick := strings.CutSuffix(rest, quickKey)
	return ok && (rest == "" || strings.HasPrefix(rest, partKey)) && (!quick || strings.HasSuffix(o.scan, quickKey))
}

// sample returns some of the entries of the archive, by which it is known under another
// name.
func (o *opened) sample() (*schema.Sample, error) {
	var chosen schema.Sample
	if o.outline(&chosen) != nil {
		return nil, nil // reading the archive finds what is wrong
	}
	return &chosen, nil
}

func (o *opened) outline(chosen *schema.Sample) (err error) {
	defer guard(&err, o.src.Name)
	for e := range o.archive.Entries() {
		if e != nil {
			chosen.Add(schema.Outline{Name: e.Name, Stored: e.Stored, Size: e.Size})
		}
	}
	return nil
}

// Alike returns the keys of scans whose archives a scan by a key takes for its own, if they
// are of the same file: of full scans where it was a quick one, and of those that made
// sketches as well. The first that there is one of counts.
func Alike(scan string) (keys []string) {
	for _, key := range []string{strings.TrimSuffix(scan, quickKey), scan} {
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
			if !strings.Contains(scan, sketchKey) {
				keys = append(keys, key+sketchKey)
			}
		}
	}
	return keys
}

// keyTail is what a scan key says of files beside the archive, and that it was not read.
var keyTail = regexp.MustCompile("(?:" + partKey + `\d+:\d+)*(?:` + quickKey + ")?$")

// Continues reports whether an archive that was scanned by a key may continue one that was
// scanned by an earlier key, of another machine.
func Continues(scan, earlier string) bool {
	o := &opened{scan: scan, parts: keyTail.FindStringIndex(scan)[0]}
	return o.continues(earlier)
}

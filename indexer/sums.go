package indexer

import (
	"context"

	"pakdb/codecs"
	"pakdb/schema"
)

// loadSums reads the checksums that stand apart from the archive's tables, and
// decides whether the archive needs to be read at all.
func (s *scan) loadSums(ctx context.Context, o *opened) (err error) {
	defer guard(&err, o.src.Name)
	if summer, ok := o.archive.(codecs.Summer); ok {
		if o.sums, err = summer.Sums(ctx); err != nil && !s.o.Quick {
			err = nil // reading the entries tells what is wrong, and where
		}
	}
	if o.skim = s.o.Quick && o.hasSums(); o.skim {
		o.scan += quickKey
	}
	return err
}

// quickKey marks the scan of an archive that was not read: a full scan does not
// take it for its own.
const quickKey = " quick"

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

// sumOf is what the archive says about e's bytes, nil for nothing.
func (o *opened) sumOf(e *codecs.Entry) []byte {
	sum := e.Sum
	if e.Ordinal < len(o.sums) {
		sum = o.sums[e.Ordinal]
	}
	if sum.Kind == codecs.NoSum {
		return nil
	}
	return sum.Bytes
}

// readOrSkim fills in the content of the row: by reading it, or, in a quick scan,
// by what the archive says about it.
func (s *scan) readOrSkim(ctx context.Context, o *opened, it item, row *schema.Entry) error {
	sum := o.sumOf(it.entry)
	if o.skim && sum != nil {
		row.Sum, row.Claimed = sum, true
		return nil
	}
	if err := s.read(ctx, o, it, row); err != nil {
		return err
	}
	row.Sum = sum // reading has confirmed it
	return nil
}

// fileOf is what the entry's file is known by in the game; "" for entries that
// have no path. Loose files stand where they lie.
func (o *opened) fileOf(e *codecs.Entry) string {
	switch {
	case e.Name == "":
		return ""
	case isLoose(o):
		return codecs.FileKey("", o.name)
	}
	return codecs.FileKey(o.mountPoint, e.Name)
}

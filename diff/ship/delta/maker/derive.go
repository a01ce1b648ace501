package maker

import (
	"bytes"
	"slices"

	"pakdb/diff/ship/delta/coder"
	"pakdb/diff/ship/delta/internal/program"
	"pakdb/diff/ship/delta/table"
)

// tableMemory is how many bytes of memory one of tables takes at most, read and
// predicted.
const tableMemory = 20

// firstTables explains what stands before the first entry, if those are tables.
func (f *fileMaker) firstTables() error {
	if f.tables == nil || !f.tables.isFront() {
		return nil
	}
	_, err := f.derive(0, f.tables.new.At.Size)
	return err
}

// lastTables explains what stands behind the last entry.
func (f *fileMaker) lastTables() error {
	if f.tables == nil || f.tables.isFront() {
		return f.table(len(f.out.file.Extents))
	}
	if done, err := f.derive(f.out.gapBefore(len(f.out.file.Extents))); done || err != nil {
		return err
	}
	return f.table(len(f.out.file.Extents))
}

// derive explains n bytes of tables, unless the old ones as they are explain them
// better.
func (f *fileMaker) derive(off, n int64) (bool, error) {
	near := f.out.near(0)
	if same, err := f.out.copySame(off, n, near, &f.m.old.Files[near.file]); same || err != nil {
		return same, err
	}
	f.out.e.FlushCopy()
	want, err := f.out.file.Read(off, n)
	if err != nil {
		return false, err
	}
	p := f.tables.predict(want, f.out.file.Source, off, f.out.e.Copies)
	if p == nil {
		return false, nil
	}
	return true, f.codeTables(p, want, off)
}

// codeTables codes tables by their prediction. Digests that it has right are no
// matter of their own.
func (f *fileMaker) codeTables(p *predicted, want []byte, off int64) error {
	content := bytes.Clone(want)
	var again []sameDigest
	var parts []written
	if !bytes.Equal(p.content, want) {
		again, parts = f.out.digests.inTable(content, off)
	}
	right := func(at int64) bool {
		k := int(at - off)
		if k+program.DigestSize > len(p.content) {
			return false
		}
		had := bytes.Equal(p.content[k:k+program.DigestSize], want[k:k+program.DigestSize])
		copy(content[k:k+program.DigestSize], p.content[k:])
		return had
	}
	again = slices.DeleteFunc(again, func(d sameDigest) bool { return right(d.at) })
	parts = slices.DeleteFunc(parts, func(d written) bool { return right(d.at) })
	f.m.tabled = max(f.m.tabled, p.all.Size)
	p.index = coder.NewIndex(p.content)
	first := true
	err := f.out.raw(content, off, 0, func() error {
		if f.out.e.Open && !first {
			return nil
		}
		first = false
		return f.putPrediction(p)
	})
	if err != nil {
		return err
	}
	f.out.digests.put(again, parts)
	return nil
}

// putPrediction makes the prediction the source.
func (f *fileMaker) putPrediction(p *predicted) error {
	if slices.ContainsFunc(p.added, func(it table.Item) bool { return it.New != "" }) {
		if err := f.out.load.use(f.allTables()); err != nil {
			return err
		}
	}
	if !f.out.e.Knows(f.tables.old) {
		f.out.e.Name(f.tables.old)
	}
	seed, seeded := newSeed(f.tables.old, p.all)
	f.out.e.Predict(program.Prediction{
		Order: p.order, Form: p.form, More: p.more, Seed: seed, Seeded: seeded, Back: f.out.e.File - f.tables.new.File,
		Steps: p.steps, Items: p.items, All: p.all, Moved: p.places,
	}, p.content, p.index)
	return nil
}

// allTables are those of the old file, and what stands behind the entries of the
// others, whose names may come together with its own.
func (f *fileMaker) allTables() []program.Range {
	ranges, total := []program.Range{f.tables.old.At}, f.tables.old.At.Size
	for i := range f.m.old.Files {
		l := &f.m.old.Files[i]
		off, n := l.GapBefore(len(l.Extents))
		if i == f.tables.old.At.File || n == 0 || total+n > maxSource || len(ranges) == rangesToSpare {
			continue
		}
		ranges, total = append(ranges, l.RangesOf(i, off, n)...), total+n
	}
	return ranges
}

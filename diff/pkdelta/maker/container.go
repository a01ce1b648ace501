package maker

import (
	"bytes"
	"errors"
	"io"
	"path"
	"strings"

	"pakdb/diff/pkdelta/inside"
	"pakdb/diff/pkdelta/program"
	"pakdb/diff/pkdelta/table"
)

// The two files of an IoStore container: what one says of the other's entries is
// predicted behind these. Entries are filled up with zeros to multiples of
// containerFill.
const (
	tocExt        = ".utoc"
	casExt        = ".ucas"
	containerFill = 16
)

// readContainer reads the tables of a container if the file at hand is one of its
// two.
func (f *fileMaker) readContainer() (bool, error) {
	switch strings.ToLower(path.Ext(f.file.Name)) {
	case casExt:
		toc := f.m.old.Sibling(f.twin, tocExt)
		if toc < 0 {
			return true, nil
		}
		var err error
		f.m.e.Plan, err = containerOf(f.m.old, toc, f.twin)
		return true, err
	case tocExt:
		oldCas, newCas := f.m.old.Sibling(f.twin, casExt), f.m.new.Sibling(f.m.e.File, casExt)
		if oldCas < 0 || newCas < 0 || newCas > f.m.e.File {
			return true, nil
		}
		var err error
		if f.newTables, err = containerOf(f.m.new, f.m.e.File, newCas); err == nil && f.newTables != nil {
			f.oldTables, err = containerOf(f.m.old, f.twin, oldCas)
		}
		return true, err
	}
	return false, nil
}

// containerOf reads the .utoc that is file toc of a build, whose entries are in
// file cas. It returns nil for one that cannot be predicted.
func containerOf(b *inside.Build, toc, cas int) (*program.Known, error) {
	files := &program.OldFiles{Files: make([]io.ReaderAt, toc+1)}
	files.Files[toc] = b.Files[toc].Source
	n := b.Files[toc].Size
	k, err := program.ReadTables(files, table.IoStore, program.Range{File: toc, Stored: n, Size: n}, cas, b.Files[cas].Size)
	if errors.Is(err, table.ErrTable) {
		return nil, nil
	}
	return k, err
}

// inContainer reports that the file at hand is a .ucas whose tables are known.
func (f *fileMaker) inContainer() bool {
	return f.m.e.Plan != nil && f.m.e.Plan.Kind == table.IoStore
}

// padded reports that an old entry, which begins at from, is better copied without
// the gap bytes before it: the copy at hand does not go on there.
func (f *fileMaker) padded(from, gap int64) bool {
	if !f.inContainer() {
		return false
	}
	_, begins := f.m.e.Plan.Starts[from]
	return begins && (f.m.e.Run.N == 0 || f.m.e.Run.Off+f.m.e.Run.N != from-gap)
}

// isPadding reports that n bytes are zeros.
func (f *fileMaker) isPadding(off, n int64) bool {
	if n == 0 || n > program.FlushSize {
		return false
	}
	p, err := f.file.Read(off, n)
	return err == nil && bytes.Equal(p, make([]byte, n))
}

// copyFill copies what fills up extent k, which was copied, as it does the old
// one.
func (f *fileMaker) copyFill(k int, at place) error {
	l := &f.m.old.Files[at.file]
	off, gap := f.gapBefore(k + 1)
	old, has := l.GapBefore(int(at.extent) + 1)
	n := -off & (containerFill - 1)
	if !f.inContainer() || n == 0 || n > gap || n > has || -old&(containerFill-1) != n {
		return nil
	}
	same, err := equalAt(f.ctx, f.file, off, l, old, n)
	if same {
		f.m.e.CopyOld(int(at.file), old, n)
		f.m.stats.Copied += n
		f.pos = off + n
	}
	return err
}

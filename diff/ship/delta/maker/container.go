package maker

import (
	"bytes"
	"errors"
	"io"
	"path"
	"strings"

	"pakdb/diff/ship/delta/inside"
	"pakdb/diff/ship/delta/internal/program"
	"pakdb/diff/ship/delta/table"
)

// The two files of an IoStore container: what one says of the other's entries is
// predicted behind these. Entries are filled up with zeros to multiples of
// containerFill.
const (
	tocExt        = ".utoc"
	casExt        = ".ucas"
	containerFill = 16
)

// readContainer reads the tables of a container if file i of the new build, which was
// file twin of the old one, is one of its two. It returns those whose pieces are copied,
// or both to predict one by the other.
func readContainer(old, new *inside.Build, twin, i int) (plan *program.Known, both *tablePair, ok bool, err error) {
	switch strings.ToLower(path.Ext(new.Files[i].Name)) {
	case casExt:
		if toc := old.Sibling(twin, tocExt); toc >= 0 {
			plan, err = containerOf(old, toc, twin)
		}
		return plan, nil, true, err
	case tocExt:
		oldCas, newCas := old.Sibling(twin, casExt), new.Sibling(i, casExt)
		if oldCas < 0 || newCas < 0 || newCas > i {
			return nil, nil, true, nil
		}
		to, err := containerOf(new, i, newCas)
		if err != nil || to == nil {
			return nil, nil, true, err
		}
		from, err := containerOf(old, twin, oldCas)
		if err != nil || from == nil {
			return nil, nil, true, err
		}
		return nil, &tablePair{build: old, old: from, new: to}, true, nil
	}
	return nil, nil, false, nil
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
func (o *output) inContainer() bool {
	return o.e.Plan != nil && o.e.Plan.Kind == table.IoStore
}

// padded reports that an old entry, which begins at from, is better copied without
// the gap bytes before it: the copy at hand does not go on there.
func (o *output) padded(from, gap int64) bool {
	if !o.inContainer() {
		return false
	}
	_, begins := o.e.Plan.Starts[from]
	return begins && (o.e.Run.N == 0 || o.e.Run.Off+o.e.Run.N != from-gap)
}

// isPadding reports that n bytes are zeros.
func (o *output) isPadding(off, n int64) bool {
	if n == 0 || n > program.FlushSize {
		return false
	}
	p, err := o.file.Read(off, n)
	return err == nil && bytes.Equal(p, make([]byte, n))
}

// copyFill copies what fills up extent k, which was copied, as it does extent j of
// old file l.
func (o *output) copyFill(k, file int, l *inside.Layout, j int) error {
	off, gap := o.gapBefore(k + 1)
	old, has := l.GapBefore(j + 1)
	n := -off & (containerFill - 1)
	if !o.inContainer() || n == 0 || n > gap || n > has || -old&(containerFill-1) != n {
		return nil
	}
	_, err := o.copySame(off, n, position{int32(file), old}, l)
	return err
}

package umod

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"

	"pakdb/codecs"
)

// Verify recomputes the checksum, looks for gaps and overlaps in the data, and
// compares the manifest with the directory.
func (a *archive) Verify(ctx context.Context, report func(*codecs.FormatError)) error {
	crc := newCRC()
	end := a.src.Size - trailerSize
	whole := a.stored(ctx, io.NewSectionReader(a.src, 0, end), "")
	if _, err := io.Copy(crc, whole); err != nil {
		return err
	}
	if got := crc.sum(); got != a.trailer.crc {
		report(a.fail("", "crc", a.src.Size-4, codecs.Errorf(codecs.ErrChecksum, "computed %08x, stored %08x", got, a.trailer.crc)))
	}
	a.verifyData(report)
	a.verifyManifest(report)
	return nil
}

// verifyData checks that the entries fill the file up to the directory.
func (a *archive) verifyData(report func(*codecs.FormatError)) {
	var sorted []*entry
	for i := range a.entries {
		if a.entries[i].err == nil {
			sorted = append(sorted, &a.entries[i])
		}
	}
	slices.SortStableFunc(sorted, func(x, y *entry) int { return cmp.Compare(x.Offset, y.Offset) })
	var next int64
	for _, e := range sorted {
		if e.Size > 0 && e.Offset != next {
			report(a.fail(e.Name, "offset", e.Offset, codecs.Errorf(codecs.ErrNonStrict, "data before ends at %d", next)))
		}
		next = max(next, e.Offset+e.Size)
	}
	if next != a.trailer.directory {
		report(a.fail("", "directory", a.trailer.directory, codecs.Errorf(codecs.ErrNonStrict, "data ends at %d", next)))
	}
}

// verifyManifest compares the groups' files with the entries, without regard
// to case.
func (a *archive) verifyManifest(report func(*codecs.FormatError)) {
	if !a.manifest.found {
		report(a.fail("", "manifest", -1, codecs.Errorf(codecs.ErrNonStrict, "no Manifest.ini")))
		return
	}
	listed, present := map[string]bool{}, map[string]bool{}
	for _, name := range a.manifest.files {
		listed[strings.ToLower(name)] = true
	}
	for i := range a.entries {
		e := &a.entries[i]
		present[strings.ToLower(e.Name)] = true
		if !listed[strings.ToLower(e.Name)] && !isManifest(e.Name) {
			report(a.fail(e.Name, "manifest", -1, codecs.Errorf(codecs.ErrNonStrict, "in no group of the manifest")))
		}
	}
	for _, name := range a.manifest.files {
		if !present[strings.ToLower(name)] {
			report(a.fail(name, "manifest", -1, codecs.Errorf(codecs.ErrNonStrict, "named by the manifest, not in the directory")))
		}
	}
}

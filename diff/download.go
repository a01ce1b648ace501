package diff

import (
	"context"
	"database/sql/driver"
)

// Ways of transport.
const (
	WayBuild   = "build"   // all files of the new build
	WayFiles   = "files"   // those that the old build does not have, whole
	WayChunks  = "chunks"  // chunks of 1 MiB of them that no old file has at any place, as Steam's and Epic's stores deliver them
	WayEntries = "entries" // entries that are new or changed, whole, as a patch archive has them
	WayDelta   = "delta"   // the transport patch that "pakdb delta make" makes
)

// Download is what an update takes by one way of transport.
type Download struct {
	Way   string
	Bytes int64
	Parts int64 // how many files, chunks or entries these are; 0 of a transport patch
	Of    int64 // of how many the new build has
	Exact bool  // else an estimate
}

// DownloadColumns are those of [Download.Row].
func DownloadColumns() []string { return []string{"way", "bytes", "parts", "of", "exact"} }

// Row returns a value for each of DownloadColumns.
func (d *Download) Row() []driver.Value {
	exact := int64(0)
	if d.Exact {
		exact = 1
	}
	row := []driver.Value{d.Way, d.Bytes, d.Parts, d.Of, exact}
	if d.Of == 0 {
		row[2], row[3] = nil, nil
	}
	return row
}

// Downloads tells what someone who has the old build must fetch for the new one,
// by each way of transport, from what the catalog has. It counts all entries of
// all archives, whatever a game sees of them.
//
// Files and entries are counted, and exact where the catalog has the hashes of
// files and the contents of entries. The other two ways are estimates: the
// catalog knows where stored entries lie, so that of a store of chunks it tells
// which chunks hold nothing but a run of old bytes; and of contents that
// changed their sketches tell how much is new. docs/benchmarks.md has how far
// estimates were from the truth.
func (r *Result) Downloads(ctx context.Context) ([]Download, error) {
	s := &shipment{r: r}
	if err := s.load(ctx); err != nil {
		return nil, err
	}
	build, files := s.files()
	entries := s.entries()
	changed, err := s.edits(ctx)
	if err != nil {
		return nil, err
	}
	return []Download{build, files, s.chunks(changed), entries, s.delta(changed)}, nil
}

// files sums up files, all and those that the old build does not have.
func (s *shipment) files() (build, changed Download) {
	build = Download{Way: WayBuild, Exact: true}
	changed = Download{Way: WayFiles, Exact: true}
	for _, f := range s.new.files {
		n := int64(1 + f.DataFiles)
		build.Bytes += f.Size + f.Data
		build.Parts += n
		if f.kept {
			continue
		}
		changed.Bytes += f.Size + f.Data
		changed.Parts += n
		changed.Exact = changed.Exact && f.Digest != ""
	}
	build.Of, changed.Of = build.Parts, build.Parts
	return build, changed
}

// entries sums up what is not stored under its path in the old build.
func (s *shipment) entries() Download {
	d := Download{Way: WayEntries, Exact: true}
	for i := range s.new.files {
		if f := &s.new.files[i]; f.kept {
			d.Of += f.entries
		} else {
			d.Of += int64(f.to - f.from)
		}
	}
	for i := range s.new.items {
		it := &s.new.items[i]
		if it.content == 0 || it.sum == 0 && it.method != s.none {
			d.Exact = false // other bytes may decode to the same content
		}
		if it.content == 0 || !s.have[identity{it.path, it.storedAs}] {
			d.Bytes += it.length
			d.Parts++
		}
	}
	return d
}

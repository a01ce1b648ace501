package diff

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"

	"pakdb/diff/internal/side"
	"pakdb/internal/stored"
)

// Ways returns what a client with the old build of a comparison must fetch for the
// new one, by each way of transport, from what the catalog db has. It counts all
// entries of all archives, whatever a game sees of them.
//
// WayFiles and entries are counted, and exact where the catalog has the hashes of
// files and the contents of entries. The other two ways are estimates: the
// catalog knows where stored entries lie, so that of a store of chunks it shows
// which chunks hold nothing but a run of old bytes; and of contents that
// changed their sketches show how much is new. docs/benchmarks.md has how far
// estimates were from the truth.
func Ways(ctx context.Context, db *sql.DB, r *Result) ([]Way, error) {
	s := &shipment{db: db, catalog: side.Catalog{DB: db}}
	if err := s.load(ctx, r); err != nil {
		return nil, err
	}
	build, files := s.files()
	entries := s.entries()
	changed, err := s.edits(ctx, r.edits())
	if err != nil {
		return nil, err
	}
	return []Way{build, files, s.chunks(changed), entries, s.delta(changed)}, nil
}

// files sums up files, all and those that the old build does not have.
func (s *shipment) files() (build, changed Way) {
	build = Way{Name: WayBuild, Exact: true}
	changed = Way{Name: WayFiles, Exact: true}
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
func (s *shipment) entries() Way {
	d := Way{Name: WayEntries, Exact: true}
	for i := range s.new.files {
		if f := &s.new.files[i]; f.kept {
			d.Of += f.Entries
		} else {
			d.Of += int64(f.to - f.from)
		}
	}
	for i := range s.new.items {
		it := &s.new.items[i]
		if it.content == 0 || it.sum == 0 && it.method != s.none {
			d.Exact = false // other bytes may decode to the same content
		}
		if it.content == 0 || !s.has(it) {
			d.Bytes += it.length
			d.Parts++
		}
	}
	return d
}

// The names of the ways of transport.
const (
	WayBuild   = "build"   // all files of the new build
	WayFiles   = "files"   // those that the old build does not have, whole
	WayChunks  = "chunks"  // chunks of 1 MiB of them that no old file has at any place, as Steam's and Epic's stores deliver them
	WayEntries = "entries" // entries that are new or changed, whole, as a patch archive has them
	WayDelta   = "delta"   // the transport patch that "pakdb delta make" makes
)

// Way is the cost of an update by one way of transport.
type Way struct {
	Name  string // WayBuild, WayFiles, WayChunks, WayEntries or WayDelta
	Bytes int64
	Parts int64 // how many files, chunks or entries these are; 0 of a transport patch
	Of    int64 // of how many the new build has
	Made  int64 // of a transport patch: bytes of blocks that applying it compresses again, which takes most of its CPU
	Exact bool  // else an estimate; Made is one wherever Bytes is
}

// WayColumns are those of [Way.Row].
func WayColumns() []string { return []string{"way", "bytes", "parts", "of", "exact", "made"} }

// Row returns a value for each of WayColumns.
func (d *Way) Row() []driver.Value {
	exact := int64(0)
	if d.Exact {
		exact = 1
	}
	row := []driver.Value{d.Name, d.Bytes, d.Parts, d.Of, exact, d.Made}
	if d.Of == 0 {
		row[2], row[3] = nil, nil
	}
	if d.Name != WayDelta {
		row[5] = nil
	}
	return row
}

// Text describes for people what a way of transport fetches.
func (d *Way) Text() string {
	switch d.Name {
	case WayBuild:
		if d.Of == 1 {
			return "all of 1 file"
		}
		return fmt.Sprintf("all of %d files", d.Of)
	case WayFiles:
		return fmt.Sprintf("whole files: %d of %d", d.Parts, d.Of)
	case WayChunks:
		return fmt.Sprintf("a store of 1 MiB chunks: %d of %d, compressed", d.Parts, d.Of)
	case WayEntries:
		return fmt.Sprintf("a patch archive of whole entries: %d of %d", d.Parts, d.Of)
	}
	const patch = "a transport patch (pakdb delta make)"
	if d.Made == 0 {
		return patch
	}
	return patch + "; applying it compresses " + stored.HumanSize(float64(d.Made)) + " again"
}

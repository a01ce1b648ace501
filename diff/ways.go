package diff

import (
	"context"
	"database/sql"
)

// Ways returns what someone who has the old build of a comparison must fetch for the
// new one, by each way of transport, from what the catalog db has. It counts all
// entries of all archives, whatever a game sees of them.
//
// WayFiles and entries are counted, and exact where the catalog has the hashes of
// files and the contents of entries. The other two ways are estimates: the
// catalog knows where stored entries lie, so that of a store of chunks it tells
// which chunks hold nothing but a run of old bytes; and of contents that
// changed their sketches tell how much is new. docs/benchmarks.md has how far
// estimates were from the truth.
func Ways(ctx context.Context, db *sql.DB, r *Result) ([]Way, error) {
	s := &shipment{db: db}
	if err := s.load(ctx, r); err != nil {
		return nil, err
	}
	build, files := s.files()
	entries := s.entries()
	changed, err := s.edits(ctx, r.Edits())
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

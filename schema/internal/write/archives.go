package write

import (
	"pakdb/schema/internal/batch"
	"pakdb/schema/internal/record"
)

// archives are written by each batch that concerns them, with their state by then.
var archives = table[*batch.Archive]{name: "x_archive", columns: []column[*batch.Archive]{
	number("archive_id", func(a *batch.Archive) int64 { return a.ID }),
	number("size", func(a *batch.Archive) int64 { return a.Size }),
	number("mtime", func(a *batch.Archive) int64 { return a.ModTime }),
	bytesOf("quick", func(a *batch.Archive) []byte { return a.Quick[:] }),
	bytesOf("digest", func(a *batch.Archive) []byte {
		if a.Digest == nil {
			return nil
		}
		return a.Digest[:]
	}),
	text("scan", func(a *batch.Archive) string { return a.Scan }),
	text("format", func(a *batch.Archive) string { return a.Format }),
	text("version", func(a *batch.Archive) string { return a.Version }),
	text("mount_point", func(a *batch.Archive) string { return a.MountPoint }),
	text("game_root", func(a *batch.Archive) string { return record.GameRoot(a.MountPoint) }),
	number("encrypted", func(a *batch.Archive) int64 { return Flag(a.Encrypted) }),
	number("entry_count", func(a *batch.Archive) int64 { return a.Entries }),
	number("entry_size", func(a *batch.Archive) int64 { return a.Bytes }),
	number("entry_stored", func(a *batch.Archive) int64 { return a.Stored }),
	number("problem_count", func(a *batch.Archive) int64 { return a.Problems }),
	number("complete", func(a *batch.Archive) int64 { return Flag(a.Ended) }),
	number("lineage_id", func(a *batch.Archive) int64 { return a.Lineage.ID }),
	number("edition", func(a *batch.Archive) int64 { return a.Lineage.Edition }),
}, tail: ` WHERE true
	ON CONFLICT (archive_id) DO UPDATE SET (digest, entry_count, entry_size, entry_stored, problem_count, complete)
		= (excluded.digest, excluded.entry_count, excluded.entry_size, excluded.entry_stored,
		   excluded.problem_count, excluded.complete)`}

var problems = table[*batch.Problem]{name: "x_problem", columns: []column[*batch.Problem]{
	number("archive_id", func(p *batch.Problem) int64 { return p.Archive }),
	number("seq", func(p *batch.Problem) int64 { return p.Seq }),
	maybeNumber("ordinal", func(p *batch.Problem) (int64, bool) { return place(p.Ordinal) }),
	{name: "path", text: func(p *batch.Problem) (string, bool) { return p.Path, p.Path != "" }},
	text("field", func(p *batch.Problem) string { return p.Field }),
	maybeNumber("offset", func(p *batch.Problem) (int64, bool) { return place(p.Offset) }),
	text("cause", func(p *batch.Problem) string { return p.Cause }),
	number("whole", func(p *batch.Problem) int64 { return Flag(p.Whole) }),
}}

var resources = table[*batch.Name]{name: "x_named_resource", columns: []column[*batch.Name]{
	number("archive_id", func(n *batch.Name) int64 { return n.Archive }),
	number("ordinal", func(n *batch.Name) int64 { return n.Ordinal }),
	text("name", func(n *batch.Name) string { return n.Name.Name }),
	word("type_id", func(n *batch.Name) string { return n.Type }),
	maybeNumber("id_hi", func(n *batch.Name) (int64, bool) { return int64(n.ID[0]), n.IDBits > 64 }),
	number("id_lo", func(n *batch.Name) int64 { return int64(n.ID[1]) }),
	number("id_bits", func(n *batch.Name) int64 { return n.IDBits }),
}}

var totals = table[*batch.Total]{name: "x_archive_sum", columns: []column[*batch.Total]{
	number("archive_id", func(s *batch.Total) int64 { return s.Archive }),
	number("seq", func(s *batch.Total) int64 { return s.Seq }),
	maybeWord("ext_id", func(s *batch.Total) (string, bool) { return s.Ext, s.HasPath }),
	maybeWord("type_id", func(s *batch.Total) (string, bool) { return s.Type, s.Type != "" }),
	word("method_id", func(s *batch.Total) string { return s.Method }),
	number("flags", func(s *batch.Total) int64 { return s.Flags }),
	number("entries", func(s *batch.Total) int64 { return s.Entries }),
	number("size", func(s *batch.Total) int64 { return s.Size }),
	number("stored", func(s *batch.Total) int64 { return s.Stored }),
}}

var folders = table[*batch.Folder]{name: "x_archive_folder", columns: []column[*batch.Folder]{
	number("archive_id", func(f *batch.Folder) int64 { return f.Archive }),
	number("dir_id", func(f *batch.Folder) int64 { return f.Dir }),
	number("files", func(f *batch.Folder) int64 { return f.Files }),
	number("size", func(f *batch.Folder) int64 { return f.Size }),
	number("stored", func(f *batch.Folder) int64 { return f.Stored }),
	number("largest", func(f *batch.Folder) int64 { return f.Largest }),
	word("ext_id", func(f *batch.Folder) string { return f.Ext }),
}}

// insertArchives stores problems and public names, then the state of each archive that
// the batch concerns, with the sums of those that it completes.
func insertArchives(t *tx, b *batch.Batch) error {
	if err := problems.insert(t, pointers(b.Problems)); err != nil {
		return err
	}
	if err := resources.insert(t, pointers(b.Names)); err != nil {
		return err
	}
	if err := archives.insert(t, pointers(b.Archives)); err != nil {
		return err
	}
	if err := folders.insert(t, pointers(b.Folders)); err != nil {
		return err
	}
	for i := range b.Archives {
		if a := &b.Archives[i]; a.Ended {
			if err := totals.insert(t, a.Totals.Rows(a.ID)); err != nil {
				return err
			}
		}
	}
	return nil
}

// place returns an offset or an ordinal, NULL for none.
func place(n int64) (int64, bool) { return n, n >= 0 }

// Flag returns 1 for true.
func Flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

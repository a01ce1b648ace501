package write

import (
	"pakdb/schema/internal/record"
)

// archives are written by each batch that concerns them, with their state by then.
var archives = table[*Archive]{name: "x_archive", columns: []column[*Archive]{
	number("archive_id", func(a *Archive) int64 { return a.ID }),
	number("size", func(a *Archive) int64 { return a.Size }),
	number("mtime", func(a *Archive) int64 { return a.ModTime }),
	bytesOf("quick", func(a *Archive) []byte { return a.Quick[:] }),
	bytesOf("digest", func(a *Archive) []byte {
		if a.Digest == nil {
			return nil
		}
		return a.Digest[:]
	}),
	text("scan", func(a *Archive) string { return a.Scan }),
	text("format", func(a *Archive) string { return a.Format }),
	text("version", func(a *Archive) string { return a.Version }),
	text("mount_point", func(a *Archive) string { return a.MountPoint }),
	text("game_root", func(a *Archive) string { return record.GameRoot(a.MountPoint) }),
	number("encrypted", func(a *Archive) int64 { return Flag(a.Encrypted) }),
	number("entry_count", func(a *Archive) int64 { return a.Entries }),
	number("entry_size", func(a *Archive) int64 { return a.Bytes }),
	number("entry_stored", func(a *Archive) int64 { return a.Stored }),
	number("problem_count", func(a *Archive) int64 { return a.Problems }),
	number("complete", func(a *Archive) int64 { return Flag(a.Ended) }),
	number("lineage_id", func(a *Archive) int64 { return a.Lineage.ID }),
	number("edition", func(a *Archive) int64 { return a.Lineage.Edition }),
}, tail: ` WHERE true
	ON CONFLICT (archive_id) DO UPDATE SET (digest, entry_count, entry_size, entry_stored, problem_count, complete)
		= (excluded.digest, excluded.entry_count, excluded.entry_size, excluded.entry_stored,
		   excluded.problem_count, excluded.complete)`}

var problems = table[*Problem]{name: "x_problem", columns: []column[*Problem]{
	number("archive_id", func(p *Problem) int64 { return p.Archive }),
	number("seq", func(p *Problem) int64 { return p.Seq }),
	maybeNumber("ordinal", func(p *Problem) (int64, bool) { return place(p.Ordinal) }),
	{name: "path", text: func(p *Problem) (string, bool) { return p.Path, p.Path != "" }},
	text("field", func(p *Problem) string { return p.Field }),
	maybeNumber("offset", func(p *Problem) (int64, bool) { return place(p.Offset) }),
	text("cause", func(p *Problem) string { return p.Cause }),
	number("whole", func(p *Problem) int64 { return Flag(p.Whole) }),
}}

var resources = table[*Name]{name: "x_named_resource", columns: []column[*Name]{
	number("archive_id", func(n *Name) int64 { return n.Archive }),
	number("ordinal", func(n *Name) int64 { return n.Ordinal }),
	text("name", func(n *Name) string { return n.Name.Name }),
	word("type_id", func(n *Name) string { return n.Type }),
	maybeNumber("id_hi", func(n *Name) (int64, bool) { return int64(n.ID[0]), n.IDBits > 64 }),
	number("id_lo", func(n *Name) int64 { return int64(n.ID[1]) }),
	number("id_bits", func(n *Name) int64 { return n.IDBits }),
}}

var totals = table[*Total]{name: "x_archive_sum", columns: []column[*Total]{
	number("archive_id", func(s *Total) int64 { return s.Archive }),
	number("seq", func(s *Total) int64 { return s.Seq }),
	maybeWord("ext_id", func(s *Total) (string, bool) { return s.Ext, s.HasPath }),
	maybeWord("type_id", func(s *Total) (string, bool) { return s.Type, s.Type != "" }),
	word("method_id", func(s *Total) string { return s.Method }),
	number("flags", func(s *Total) int64 { return s.Flags }),
	number("entries", func(s *Total) int64 { return s.Entries }),
	number("size", func(s *Total) int64 { return s.Size }),
	number("stored", func(s *Total) int64 { return s.Stored }),
}}

var folders = table[*Folder]{name: "x_folder_sum", columns: []column[*Folder]{
	number("lineage_id", func(f *Folder) int64 { return f.Lineage }),
	number("dir_id", func(f *Folder) int64 { return f.Dir }),
	number("since", func(f *Folder) int64 { return f.Since }),
	number("files", func(f *Folder) int64 { return f.Files }),
	number("size", func(f *Folder) int64 { return f.Size }),
	number("stored", func(f *Folder) int64 { return f.Stored }),
	number("largest", func(f *Folder) int64 { return f.Largest }),
	word("ext_id", func(f *Folder) string { return f.Ext }),
}}

// insertArchives stores problems and public names, then the state of each archive that
// the batch concerns, with the sums of those that it completes.
func insertArchives(t *tx, b *Batch) error {
	if err := problems.insert(t, pointers(b.Problems)); err != nil {
		return err
	}
	if err := resources.insert(t, pointers(b.Names)); err != nil {
		return err
	}
	if err := archives.insert(t, pointers(b.Archives)); err != nil {
		return err
	}
	if err := t.endRows("x_folder_sum", "dir_id", b.EndedFolders); err != nil {
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

package diff_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/gpak"
	"pakdb/diff"
	"pakdb/indexer"
	"pakdb/internal/testkit"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

// curve is a record of Marvel Heroes: its GUID, and a content told by a number.
type curve struct {
	guid    uint64
	content int
}

// curves are those of a build by their paths; GUID 0 has no record.
type curves map[string]curve

// items are the entries of a pak with these curves: directories in front, with
// what took the place of what.
func (c curves) items(replaced map[uint64]uint64) []codecstest.Item {
	le := binary.LittleEndian
	text := func(b []byte, s string) []byte { return append(le.AppendUint16(b, uint16(len(s))), s...) }
	paths := slices.Sorted(maps.Keys(c))
	list, n := []byte{}, 0
	for i, path := range paths {
		if c[path].guid != 0 {
			list = append(le.AppendUint64(le.AppendUint64(list, uint64(i+1)), c[path].guid), 0)
			list = text(list, strings.ReplaceAll(path, "/", `\`))
			n++
		}
	}
	item := func(name string, data []byte) codecstest.Item {
		return codecstest.Item{Entry: &codecs.Entry{Name: "Calligraphy/" + name}, Data: data}
	}
	items := []codecstest.Item{item("Curve.directory", append(le.AppendUint32([]byte("CDR\x0b"), uint32(n)), list...))}
	if replaced != nil {
		b := le.AppendUint32([]byte("RDR\x0b"), uint32(len(replaced)))
		for _, old := range slices.Sorted(maps.Keys(replaced)) {
			b = text(le.AppendUint64(le.AppendUint64(b, old), replaced[old]), "a.name")
		}
		items = append(items, item("Replacement.directory", b))
	}
	for _, path := range paths {
		b := le.AppendUint32(le.AppendUint32([]byte("CRV\x0b"), 0), 0)
		items = append(items, item(path, le.AppendUint64(b, math.Float64bits(float64(c[path].content)))))
	}
	return items
}

func writeSip(t testing.TB, path string, items []codecstest.Item) {
	t.Helper()
	err := codecs.WriteFile(t.Context(), path, gpak.Format(), nil, func(w codecs.Writer) error {
		for _, it := range items {
			if err := w.Add(t.Context(), it.Entry, bytes.NewReader(it.Data)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// summaries describes changes of curves with their notes.
func summaries(changes []diff.Change) (all []string) {
	for i := range changes {
		c := &changes[i]
		if strings.HasSuffix(c.Name(), ".directory") {
			continue
		}
		s := strings.ReplaceAll(lines(changes[i : i+1])[0], "Calligraphy/", "")
		if c.Kind == diff.Renamed && c.Also != 0 {
			s += ", " + c.Also.String()
		}
		all = append(all, strings.Join(append([]string{s}, c.Notes...), "; "))
	}
	slices.Sort(all)
	return all
}

// A path that is in use again does not outrank the GUID of what it was.
func TestRecordsGoBeforePaths(t *testing.T) {
	for name, test := range map[string]struct {
		old, new curves
		replaced map[uint64]uint64
		o        diff.Options
		want     []string
	}{
		"a path in use again": {
			old: curves{"P.curve": {1, 1}},
			new: curves{"Q.curve": {1, 2}, "P.curve": {2, 3}},
			want: []string{"added P.curve; path was that of record 0000000000000001",
				"renamed P.curve -> Q.curve by guid, modified; path is now that of record 0000000000000002"},
		},
		"a chain": {
			old: curves{"A.curve": {1, 1}, "B.curve": {2, 2}},
			new: curves{"B.curve": {1, 1}, "C.curve": {2, 2}},
			want: []string{"renamed A.curve -> B.curve by guid; path was that of record 0000000000000002",
				"renamed B.curve -> C.curve by guid; path is now that of record 0000000000000001"},
		},
		"a swap": {
			old: curves{"A.curve": {1, 1}, "B.curve": {2, 2}},
			new: curves{"A.curve": {2, 2}, "B.curve": {1, 1}},
			want: []string{
				"renamed A.curve -> B.curve by guid; path was that of record 0000000000000002; path is now that of record 0000000000000002",
				"renamed B.curve -> A.curve by guid; path was that of record 0000000000000001; path is now that of record 0000000000000001"},
		},
		"a swap of names alone": {
			old: curves{"A.curve": {1, 1}, "B.curve": {2, 2}},
			new: curves{"A.curve": {2, 1}, "B.curve": {1, 2}},
			want: []string{
				"renamed A.curve -> B.curve by guid, modified; path was that of record 0000000000000002; path is now that of record 0000000000000002",
				"renamed B.curve -> A.curve by guid, modified; path was that of record 0000000000000001; path is now that of record 0000000000000001"},
		},
		"another record, and neither is elsewhere": {
			old:  curves{"A.curve": {1, 1}},
			new:  curves{"A.curve": {2, 1}},
			want: []string{"metadata A.curve; record: 0000000000000001 -> 0000000000000002"},
		},
		"another record and content": {
			old:  curves{"A.curve": {1, 1}},
			new:  curves{"A.curve": {2, 9}},
			want: []string{"modified A.curve; record: 0000000000000001 -> 0000000000000002"},
		},
		"a file that had no record": {
			old: curves{"A.curve": {1, 1}, "B.curve": {0, 2}},
			new: curves{"B.curve": {1, 1}},
			want: []string{"removed B.curve; path is now that of record 0000000000000001",
				"renamed A.curve -> B.curve by guid; path was that of record none"},
		},
		"what took its place": {
			old:      curves{"A.curve": {1, 1}},
			new:      curves{"A.curve": {2, 2}, "B.curve": {3, 3}},
			replaced: map[uint64]uint64{1: 3},
			want: []string{"added A.curve; path was that of record 0000000000000001",
				"renamed A.curve -> B.curve by replacement, modified; path is now that of record 0000000000000002"},
		},
		"a GUID of which the directory says nothing new": {
			old:  curves{"A.curve": {1, 1}, "B.curve": {2, 2}},
			new:  curves{"A.curve": {1, 5}, "C.curve": {2, 2}},
			want: []string{"modified A.curve", "renamed B.curve -> C.curve by guid"},
		},
		"without renames": {
			old: curves{"A.curve": {1, 1}, "B.curve": {2, 2}}, o: diff.Options{NoRenames: true},
			new: curves{"A.curve": {2, 2}, "B.curve": {1, 2}},
			want: []string{"metadata B.curve; record: 0000000000000002 -> 0000000000000001",
				"modified A.curve; record: 0000000000000001 -> 0000000000000002"},
		},
		"archive by archive": {
			old: curves{"A.curve": {1, 1}}, o: diff.Options{PerArchive: true},
			new: curves{"A.curve": {2, 2}, "B.curve": {1, 1}},
			want: []string{"added A.curve; path was that of record 0000000000000001",
				"renamed A.curve -> B.curve by guid; path is now that of record 0000000000000002"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			old, new := filepath.Join(dir, "old", "C.sip"), filepath.Join(dir, "new", "C.sip")
			makeFolders(t, old, new)
			writeSip(t, old, test.old.items(nil))
			writeSip(t, new, test.new.items(test.replaced))
			_, changes := scanned(t, test.o, []string{old}, []string{new})
			if d := cmp.Diff(test.want, summaries(changes)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func makeFolders(t testing.TB, files ...string) {
	t.Helper()
	for _, f := range files {
		if err := os.MkdirAll(filepath.Dir(f), 0o777); err != nil {
			t.Fatal(err)
		}
	}
}

// Whatever became of records and paths: every GUID that both builds have under two
// paths is renamed, what is told leads from one build to the other, and back.
func TestRecordProperties(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "pakdb.db")
	c, err := schema.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	db := schematest.Open(t, path)
	anyCurves := rapid.Custom(func(t *rapid.T) curves {
		guids := rapid.Permutation([]uint64{1, 2, 3, 4, 5, 0}).Draw(t, "guids")
		out := curves{}
		for i, path := range []string{"A.curve", "B.curve", "C.curve", "d/A.curve", "d/B.curve"}[:rapid.IntRange(1, 5).Draw(t, "curves")] {
			out[path] = curve{guids[i], rapid.IntRange(1, 3).Draw(t, "content")}
		}
		return out
	})
	rapid.Check(t, func(rt *rapid.T) {
		old, new := anyCurves.Draw(rt, "old"), anyCurves.Draw(rt, "new")
		var replaced map[uint64]uint64
		if rapid.Bool().Draw(rt, "replaces") {
			replaced = map[uint64]uint64{rapid.Uint64Range(1, 5).Draw(rt, "gone"): 9}
		}
		for label, items := range map[string][]codecstest.Item{"old": old.items(nil), "new": new.items(replaced)} {
			sip := filepath.Join(dir, label+".sip")
			writeSip(t, sip, items)
			if _, err := indexer.Run(t.Context(), indexer.Options{Catalog: c, Registry: all.Registry(), Paths: []string{sip}, Label: label}); err != nil {
				rt.Fatal(err)
			}
		}
		_, forth := comparedIn(t, db, diff.Options{}, "old", "new")
		_, back := comparedIn(t, db, diff.Options{}, "new", "old")
		if d := cmp.Diff(mirror(forth), count(back)); d != "" {
			rt.Fatalf("not the mirror (-want +got):\n%s\n%s\n%s", d, summaries(forth), summaries(back))
		}
		checkRenames(rt, old, new, forth)
	})
}

func checkRenames(t *rapid.T, old, new curves, changes []diff.Change) {
	became := map[string]string{}
	for _, c := range changes {
		if c.Kind == diff.Renamed {
			became[strings.TrimPrefix(c.Old.Path, "Calligraphy/")] = strings.TrimPrefix(c.New.Path, "Calligraphy/")
		}
	}
	for from, a := range old {
		for to, b := range new {
			if a.guid == b.guid && a.guid != 0 && from != to && became[from] != to {
				t.Fatalf("record %d went from %s to %s, told is %q: %s", a.guid, from, to, became[from], summaries(changes))
			}
		}
	}
	for from, to := range became {
		if from == to {
			t.Fatalf("%s is renamed to itself", from)
		}
	}
}

// The history of a record follows it, not its path.
func TestHistoryOfRecords(t *testing.T) {
	dir := t.TempDir()
	path := schematest.Write(t, func(c *schema.Catalog) {
		for i, build := range []curves{
			{"A.curve": {1, 1}},
			{"B.curve": {1, 1}, "A.curve": {2, 5}},
			{"B.curve": {1, 3}, "A.curve": {2, 5}},
		} {
			sip := filepath.Join(dir, fmt.Sprint(i), "C.sip")
			makeFolders(t, sip)
			writeSip(t, sip, build.items(nil))
			if _, err := indexer.Run(t.Context(), indexer.Options{Catalog: c, Registry: all.Registry(), Paths: []string{sip}, Label: fmt.Sprint(i)}); err != nil {
				t.Fatal(err)
			}
		}
	})
	db := schematest.Open(t, path)
	for file, want := range map[string][]string{
		"Calligraphy/B.curve": {"0 added Calligraphy/A.curve", "1 renamed Calligraphy/B.curve", "2 modified Calligraphy/B.curve"},
		"Calligraphy/A.curve": {"1 added Calligraphy/A.curve"},
	} {
		events, err := diff.History(t.Context(), db, file)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range events {
			got = append(got, e.Build+" "+e.Kind.String()+" "+e.Name())
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", file, d)
		}
	}
}

// record is a line of a directory of version 10.
type record struct {
	id, guid uint64
	flags    byte
	path     string
}

func parseDirectory(t *testing.T, b []byte) (records []record) {
	t.Helper()
	le := binary.LittleEndian
	n := int(le.Uint16(b[4:]))
	for b = b[6:]; len(b) > 0; {
		length := int(le.Uint16(b[17:]))
		records = append(records, record{le.Uint64(b), le.Uint64(b[8:]), b[16], string(b[19 : 19+length])})
		b = b[19+length:]
	}
	if len(records) != n {
		t.Fatalf("%d records of %d", len(records), n)
	}
	return records
}

func encodeDirectory(head []byte, records []record) []byte {
	le := binary.LittleEndian
	b := le.AppendUint16(slices.Clone(head[:4]), uint16(len(records)))
	for _, r := range records {
		b = append(le.AppendUint64(le.AppendUint64(b, r.id), r.guid), r.flags)
		b = append(le.AppendUint16(b, uint16(len(r.path))), r.path...)
	}
	return b
}

// renameBlueprints renames so many blueprints of a pak, and gives the first of the
// old paths to new records. It returns the paths before and after.
func renameBlueprints(t *testing.T, items []codecstest.Item, renamed, reused int) (out []codecstest.Item, want map[string]string) {
	t.Helper()
	at := slices.IndexFunc(items, func(it codecstest.Item) bool { return it.Entry.Name == "Calligraphy/Blueprint.directory" })
	records := parseDirectory(t, items[at].Data)
	byName := map[string]int{}
	for i, it := range items {
		byName[it.Entry.Name] = i
	}
	out, want = slices.Clone(items), map[string]string{}
	nameOf := func(path string) string { return "Calligraphy/" + strings.ReplaceAll(path, `\`, "/") }
	step := len(records) / renamed
	for n := range renamed {
		r := &records[n*step]
		from, old := nameOf(r.path), r.path
		r.path = strings.TrimSuffix(r.path, ".blueprint") + "Renamed.blueprint"
		want[from] = nameOf(r.path)
		e := *items[byName[from]].Entry
		e.Name = want[from]
		moved := codecstest.Item{Entry: &e, Data: items[byName[from]].Data}
		if n >= reused {
			out[byName[from]] = moved
			continue
		}
		records = append(records, record{uint64(0x7000000000000000 + n), uint64(0x7000000000000000 + n), 0, old})
		out[byName[from]].Data = append(slices.Clone(moved.Data), "another"...)
		out = append(out, moved)
	}
	out[at].Data = encodeDirectory(items[at].Data, records)
	return out, want
}

// As from Calligraphy 1.10 to 1.52: 264 blueprints are renamed, and the paths of 9
// of them are in use again.
func TestCalligraphyRenamesWhosePathsAreInUseAgain(t *testing.T) {
	if !testkit.Deep() {
		t.Skip("25,619 entries, indexed twice; PAKDB_DEEP=1 does")
	}
	old := sample(t, "gpak/Calligraphy_1.10_names.sip")
	a := codecstest.Open(t, gpak.Format(), codecstest.OpenFile(t, old), nil)
	items, want := renameBlueprints(t, codecstest.Items(t, a), 264, 9)
	new := filepath.Join(t.TempDir(), "new", filepath.Base(old))
	makeFolders(t, new)
	writeSip(t, new, items)
	_, changes := scanned(t, diff.Options{}, []string{old}, []string{new})
	got, noted := map[string]string{}, 0
	for _, c := range changes {
		if c.Kind == diff.Renamed && c.RenamedBy == "guid" {
			got[c.Old.Path] = c.New.Path
		}
		noted += len(c.Notes)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("renames by GUID (-want +got):\n%s", d)
	}
	if added := of(changes, diff.Added); len(added) != 9 || noted != 18 {
		t.Errorf("%d notes, added %v", noted, added)
	}
}

package portable_test

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pakdb/query/portable"
	"pakdb/schema"
	"pakdb/schema/rows"
	"pakdb/schema/schematest"
)

// anEntry returns an entry with anything that a scan may find.
func anEntry(r *rand.Rand, i int) schema.Entry {
	folders := []string{"", "Game/", "Game/Content/", "a//b/", "/", "Ünï/本/", "bad\xff/", strings.Repeat("deep/", 300)}
	names := []string{"x.uasset", "X.UASSET", ".hidden", "no ext", "n\x00ul.bin", "bad\xfe\xff.txt", strings.Repeat("long", 2000) + ".bin", "a.b.c", "本.ext"}
	e := schema.Entry{Name: folders[r.IntN(len(folders))] + fmt.Sprint(r.IntN(40)) + names[r.IntN(len(names))],
		Method: []string{"none", "zlib", "Oodle"}[r.IntN(3)], Type: []string{"", "", "TXTR"}[r.IntN(3)],
		Offset: int64(i)*100 - 1, Stored: r.Int64N(300), Size: r.Int64N(1 << (1 + r.IntN(44)))}
	if r.IntN(8) == 0 {
		e.Name = ""
	}
	if r.IntN(3) == 0 {
		e.File = strings.ToLower(e.Name)
	}
	if r.IntN(4) == 0 {
		e.Flags = []int64{1, 2, 8, 16, 32, 3}[r.IntN(6)]
	}
	if e.HasTime = r.IntN(2) == 0; e.HasTime {
		e.ModTime = []int64{0, 1700000000, -1, -62167219200, -62167219201, 253402300799, 253402300800, math.MaxInt64, math.MinInt64, r.Int64N(2e9)}[r.IntN(10)]
	}
	if r.IntN(3) == 0 {
		e.IDBits, e.ID = []int64{32, 64, 96, 128}[r.IntN(4)], [2]uint64{r.Uint64() >> r.IntN(64), r.Uint64() >> r.IntN(64)}
		if e.IDBits == 32 {
			e.ID[0], e.ID[1] = 0, e.ID[1]&math.MaxUint32
		}
	}
	if e.HasPathHash = r.IntN(4) == 0; e.HasPathHash {
		e.PathHash = r.Uint64() >> r.IntN(64)
	}
	if e.HasContent = e.Flags&2 == 0 && r.IntN(6) > 0; e.HasContent {
		n := r.IntN(60)
		e.Content, e.ContentSize = schema.Digest{byte(n), 0, 7, 255, byte(n)}, int64(n)
		if n%3 == 0 {
			e.Facts = &schema.Facts{Inspector: "i/1", Kind: fmt.Sprint("kind ", n%5)}
		}
	}
	if e.HasPadded = r.IntN(9) == 0; e.HasPadded {
		e.Padded = schema.Digest{1, byte(i)}
	}
	if r.IntN(3) == 0 {
		e.Sum = fmt.Appendf(nil, "%020d", r.IntN(50))[:4+r.IntN(17)]
	}
	return e
}

// someBuilds writes builds of several archives, of which most continue those before.
func someBuilds(t *testing.T, seed uint64) (path string, labels []string) {
	r := rand.New(rand.NewPCG(seed, 9))
	archives := make([][]schema.Entry, 1+r.IntN(3))
	for a := range archives {
		for i := range r.IntN(400) {
			archives[a] = append(archives[a], anEntry(r, i))
		}
	}
	path = schematest.Write(t, func(c *schema.Catalog) {
		for n := range 4 {
			label := fmt.Sprint("b", n)
			labels = append(labels, label)
			schematest.Build(t, c, label, func(b *schema.Build) {
				for a, entries := range archives {
					name := fmt.Sprintf("a%d.tst", a)
					id := b.StartArchive(schema.Archive{Size: int64(len(entries)), Quick: schema.Digest{byte(n), byte(a), byte(seed)}, Scan: "s", Format: "test",
						Name: name, MountPoint: []string{"", "../../../Game/"}[a%2]})
					for i := range entries {
						e := entries[i]
						e.Ordinal = int64(i)
						if err := b.Add(id, &e); err != nil {
							t.Fatal(err)
						}
					}
					b.EndArchive(id, nil)
					b.Mount(schema.Mount{Archive: id, Name: name, Location: "/" + name, Order: int64(a), Place: int64(a), Stem: []string{"", "stem"}[r.IntN(2)]})
				}
			})
			for a, entries := range archives { // what the next build has
				for range r.IntN(20) {
					at := r.IntN(len(entries) + 1)
					switch {
					case r.IntN(3) == 0 && at < len(entries):
						entries = slices.Delete(entries, at, at+1)
					case r.IntN(2) == 0 && at < len(entries):
						entries[at] = anEntry(r, at)
					default:
						entries = slices.Insert(entries, at, anEntry(r, at))
					}
				}
				for i := range entries {
					entries[i].Offset += int64(i % 3)
				}
				archives[a] = entries
			}
		}
	})
	return path, labels
}

// TestHot: views whose rows are made past SQL have those of the catalog's views, in their
// order, of any build and with any memory.
func TestHot(t *testing.T) {
	for seed := range uint64(3) {
		path, labels := someBuilds(t, seed)
		db := schematest.Open(t, path)
		for _, label := range append(labels, "none") {
			if err := rows.Read(t.Context(), db, label, rows.Want{Paths: true, Files: true}, func(*rows.Entry) error { return nil }); err != nil {
				t.Fatalf("%s is read by SQL: %v", label, err)
			}
			list := portable.Views()
			slices.Reverse(list) // whichever comes first reads for all
			together := portable.NewRows(db, label, list...)
			for _, v := range list {
				var want []string
				take := func(into *[]string) func([]portable.Cell) error {
					return func(row []portable.Cell) error {
						*into = append(*into, fmt.Sprintf("%q", portable.Values(row)))
						return nil
					}
				}
				if err := v.EachBySQL(t.Context(), db, label, portable.SortMemory, take(&want)); err != nil {
					t.Fatal(err)
				}
				for name, each := range map[string]func(func([]portable.Cell) error) error{
					"alone":    func(row func([]portable.Cell) error) error { return v.Each(t.Context(), db, label, row) },
					"by files": func(row func([]portable.Cell) error) error { return v.EachIn(t.Context(), db, label, 3000, row) },
					"together": func(row func([]portable.Cell) error) error { return together.Each(t.Context(), v, row) },
				} {
					var got []string
					if err := each(take(&got)); err != nil {
						t.Fatalf("%s of %s, %s: %v", v.Name, label, name, err)
					}
					for i := range max(len(got), len(want)) {
						if i >= len(got) || i >= len(want) || got[i] != want[i] {
							t.Fatalf("seed %d, %s of %s, %s: %d rows and %d; row %d\n%.600s\n%.600s", seed, v.Name, label, name, len(got), len(want), i,
								slices.Concat(got, []string{""})[min(i, len(got))], slices.Concat(want, []string{""})[min(i, len(want))])
						}
					}
				}
			}
			if err := together.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestStored: entries by ids are those of the view entry, of any archives of any build.
func TestStored(t *testing.T) {
	for seed := range uint64(3) {
		path, labels := someBuilds(t, seed)
		db := schematest.Open(t, path)
		for _, label := range labels {
			var mounts []int64
			want := map[int64][]string{}
			err := schema.EachRow(t.Context(), db, `SELECT ba.ordinal, e.row, e.path_id, p.ext_id, e.content_id, e.method_id, e.type_id, e.offset, e.stored, e.size, e.flags, e.mtime, e.sum
				FROM build b
				JOIN build_archive ba ON ba.build_id = b.build_id
				JOIN entry e ON e.archive_id = ba.archive_id
				LEFT JOIN path p ON p.path_id = e.path_id
				WHERE b.label = ?
				ORDER BY ba.ordinal, e.row`, []driver.Value{label}, func(v []driver.Value) {
				mount, _ := v[0].(int64)
				for i := range 11 {
					if v[1+i] == nil {
						v[1+i] = int64(0)
					}
				}
				if sum, _ := v[12].([]byte); true {
					v[12] = sum
				}
				if len(want[mount]) == 0 {
					mounts = append(mounts, mount)
				}
				want[mount] = append(want[mount], fmt.Sprint(v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11], v[12]))
			})
			if err != nil {
				t.Fatal(err)
			}
			for i := range mounts {
				got := map[int64][]string{}
				if err := rows.EachStored(t.Context(), db, label, mounts[i:], func(e *rows.Stored) error {
					ext, err := e.Ext()
					got[e.Mount] = append(got[e.Mount], fmt.Sprint(e.Row, e.Path, ext, e.Content, e.Method, e.Type, e.Offset, e.Stored, e.Size, e.Flags, e.Mtime, e.Sum))
					return err
				}); err != nil {
					t.Fatal(err)
				}
				for _, mount := range mounts[i:] {
					if !slices.Equal(got[mount], want[mount]) {
						t.Errorf("seed %d, %s, archive %d: %d entries, want %d\n%.300q\n%.300q", seed, label, mount, len(got[mount]), len(want[mount]), got[mount], want[mount])
					}
				}
			}
			err = rows.EachStored(t.Context(), db, label, []int64{99}, func(*rows.Stored) error { return nil })
			if !errors.Is(err, rows.ErrUnusual) {
				t.Errorf("an archive that is not there: %v", err)
			}
		}
	}
}

// TestHotDamaged: of damaged catalogs rows or an error come, in time.
func TestHotDamaged(t *testing.T) {
	path, labels := someBuilds(t, 1)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 6))
	file := filepath.Join(t.TempDir(), "bad.db")
	unusual := 0
	for range 60 {
		bad := slices.Clone(good)
		for range 1 + r.IntN(40) {
			at := 4096 + r.IntN(len(bad)-4096) // beyond the header and the tables' names
			if r.IntN(2) == 0 {
				at = at &^ 4095 // heads of pages
				at += r.IntN(60)
			}
			bad[at] = byte(r.Uint32())
		}
		if err := os.WriteFile(file, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		db, err := schema.OpenReadOnly(t.Context(), file)
		if err != nil {
			continue
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		err = rows.Read(ctx, db, labels[3], rows.Want{Paths: true, Files: true}, func(*rows.Entry) error { return nil })
		if errors.Is(err, rows.ErrUnusual) {
			unusual++
		}
		if ctx.Err() != nil {
			t.Error("it does not end")
		}
		cancel()
		_ = db.Close()
	}
	if unusual < 8 {
		t.Errorf("%d of 60 were found damaged", unusual)
	}
}

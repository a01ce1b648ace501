package schema_test

import (
	"context"
	"database/sql"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"pakdb/codecs/unreal"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

// claim is an entry that goes by a name: by its place, or by its content.
type claim struct {
	place, said string
	content     byte
	order       int64
	deleted     bool
}

// claimed writes a build of those claims, each in an archive of its own, and a reference to
// "Wanted". Builds of other numbers have other contents.
func claimed(t *testing.T, c *schema.Catalog, label string, number byte, claims []claim) {
	t.Helper()
	schematest.Build(t, c, label, func(b *schema.Build) {
		add := func(name string, order int64, e schema.Entry) {
			id := schematest.Start(t, b, schema.Archive{Format: "test"})
			e.Name, e.Method = name, "none"
			if err := b.Add(id, &e); err != nil {
				t.Fatal(err)
			}
			b.EndArchive(id, nil)
			b.Mount(schema.Mount{Archive: id, Name: name, Order: order})
		}
		symbols := func(name string) []schema.Symbol {
			if name == "" {
				return nil
			}
			return []schema.Symbol{{Space: "package", Key: schema.NameKey(name), Name: name}}
		}
		for i, cl := range claims {
			e := schema.Entry{PlaceSymbols: symbols(cl.place), HasContent: !cl.deleted, Content: schema.Digest{cl.content, number},
				Facts: &schema.Facts{Inspector: "test/1", Kind: "test", Symbols: symbols(cl.said)}}
			if cl.deleted {
				e.Flags, e.Facts = 2, nil
			}
			add(string(rune('a'+i)), cl.order, e)
		}
		add("user", 0, schema.Entry{HasContent: true, Content: schema.Digest{255}, Facts: &schema.Facts{Inspector: "test/1", Kind: "test",
			Refs: []schema.Ref{{Kind: "import", Space: "package", Key: schema.NameKey("Wanted"), Name: "Wanted"}}}})
	})
}

// statusOf returns what the reference to "Wanted" of a build leads to.
func statusOf(t *testing.T, db *sql.DB, label string) string {
	t.Helper()
	var target, status string
	var to sql.NullString
	err := db.QueryRow("SELECT target, target_path, status FROM dependencies WHERE build = ?", label).Scan(&target, &to, &status)
	if err != nil || target != "Wanted" {
		t.Fatal(target, err)
	}
	return to.String + " " + status
}

func TestNamesAreResolved(t *testing.T) {
	tests := []struct {
		name   string
		claims []claim
		want   string
	}{
		{"nobody", nil, " missing"},
		{"any case", []claim{{place: "WANTED"}}, "a resolved"},
		{"two contents", []claim{{place: "Wanted", content: 1}, {place: "wanted", content: 2}}, "a ambiguous"},
		{"one content twice", []claim{{place: "Wanted", content: 1}, {place: "Wanted", content: 1}}, "a resolved"},
		{"mounted last wins", []claim{{place: "Wanted", content: 1}, {place: "Wanted", content: 2, order: 100}}, "b resolved"},
		{"patches differ", []claim{{place: "Wanted", content: 1, order: 9}, {place: "Wanted", content: 2, order: 9},
			{place: "Wanted", content: 3}}, "a ambiguous"},
		{"deleted", []claim{{place: "Wanted", content: 1}, {place: "Wanted", deleted: true, order: 100}}, "b missing"},
		{"said by a content", []claim{{said: "Wanted", content: 1}}, "a resolved"},
		{"place goes before content", []claim{{said: "Wanted", content: 1, order: 100}, {place: "Wanted", content: 2}}, "b resolved"},
	}
	db := schematest.Open(t, schematest.Write(t, func(c *schema.Catalog) {
		for i, tt := range tests {
			claimed(t, c, tt.name, byte(i), tt.claims)
		}
	}))
	for _, tt := range tests {
		if got := statusOf(t, db, tt.name); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestRemoveNames: names leave with the last build that has them.
func TestRemoveNames(t *testing.T) {
	ctx := context.Background()
	c, err := schema.Open(ctx, filepath.Join(t.TempDir(), "pakdb.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	for i, label := range []string{"one", "two"} {
		b, err := schematest.Begin(ctx, c, label)
		if err != nil {
			t.Fatal(err)
		}
		id := schematest.Start(t, b, schema.Archive{Format: "test"})
		p := &unreal.PackageRows{Texts: []string{"None", "Shared", label, label + ".", ""}, PackageRow: unreal.PackageRow{Name: 2}, Names: []int64{1, -1, 0},
			Imports: []unreal.ImportRow{{ClassPackage: 1, Class: 1, Object: 2, OuterPath: -1, Number: -1}},
			Exports: []unreal.ExportRow{{ClassName: 1, Object: 0, SuperName: 4, OuterPath: 3, Number: 7}}}
		err = b.Add(id, &schema.Entry{Name: "a.u", Method: "none", HasContent: true, Content: schema.Digest{byte(i)},
			Facts: &schema.Facts{Inspector: "test/1", Kind: "test", Family: p.Batch()}})
		if err != nil {
			t.Fatal(err)
		}
		b.EndArchive(id, nil)
		b.Mount(schema.Mount{Archive: id, Name: "a.u"})
		if _, err := b.Finish(ctx); err != nil {
			t.Fatal(err)
		}
	}
	names := func() (all []string) {
		t.Helper()
		db, err := schema.OpenReadOnly(ctx, c.Path())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = db.Close() }()
		rows, err := db.Query("SELECT name FROM x_name JOIN x_name_key USING (name_id) ORDER BY name")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var s string
			if err := rows.Scan(&s); err != nil {
				t.Fatal(err)
			}
			all = append(all, s)
		}
		return all
	}
	if got, want := names(), []string{"", "None", "Shared", "one", "one.", "two", "two."}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if err := c.Remove(ctx, "one"); err != nil {
		t.Fatal(err)
	}
	if got, want := names(), []string{"", "None", "Shared", "two", "two."}; !slices.Equal(got, want) {
		t.Errorf("after the first left: %q, want %q", got, want)
	}
}

// TestNamesOfPlaces: the name of a package comes back, whether it follows from the path
// of its entry or is stored.
func TestNamesOfPlaces(t *testing.T) {
	stored := 0
	want := map[string]string{}
	db := schematest.Open(t, schematest.Write(t, func(c *schema.Catalog) {
		schematest.Build(t, c, "one", func(b *schema.Build) {
			id := schematest.Start(t, b, schema.Archive{Format: "test"})
			for i, tt := range []struct {
				path, name string
				derived    bool
			}{
				{"G/Content/A/T.uasset", "/Game/A/T", true},
				{"System/Core.u", "Core", true},
				{"Core.U", "Core", true},
				{"G/Content/É/Ä.uasset", "/Game/É/Ä", true},
				{"G/ä.b.umap", "/Other/ä.b", true},
				{"a/ÄB.uasset", "/x/äB", false}, // another letter
				{"a/TB.uasset", "/x/tB", false}, // another case
				{"noext", "noext", false},       // no extension
				{"Z.İX", "Z", true},
				{"T.uasset", "Other", false},       // another name
				{"x/.uasset", "x", false},          // no extension
				{"A\x00B.uasset", "A\x00B", false}, // SQL ends texts there
			} {
				if !tt.derived {
					stored++
				}
				want[tt.path] = tt.name
				e := &schema.Entry{Ordinal: int64(i), Name: tt.path, Method: "none", HasContent: true, Content: schema.Digest{byte(i)},
					PlaceSymbols: []schema.Symbol{{Space: "package", Key: schema.NameKey(tt.name), Name: tt.name}},
					Facts:        &schema.Facts{Inspector: "test/1", Kind: "test", Family: (&unreal.PackageRows{PackageRow: unreal.PackageRow{Name: -1}}).Batch()}}
				if err := b.Add(id, e); err != nil {
					t.Fatal(err)
				}
			}
			b.EndArchive(id, nil)
			b.Mount(schema.Mount{Archive: id, Name: "a.pak"})
		})
	}))
	rows, err := db.Query("SELECT path, package FROM packages")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	got := map[string]string{}
	for rows.Next() {
		var path, name string
		if err := rows.Scan(&path, &name); err != nil {
			t.Fatal(err)
		}
		got[path] = name
	}
	if !maps.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	var n int
	if err := db.QueryRow("SELECT count(*) FROM x_name").Scan(&n); err != nil || n != stored {
		t.Errorf("%d names are stored, want %d (%v)", n, stored, err)
	}
}

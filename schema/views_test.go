package schema_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"pakdb/internal/mount"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

// TestEmptyAssetList: an empty list has no value, not the id 0.
func TestEmptyAssetList(t *testing.T) {
	db := fixtureCatalog(t)
	rows := query(t, db, `SELECT f.path, f.value
		FROM x_calligraphy_value v
		JOIN calligraphy_fields f USING (content_id, ordinal)
		WHERE v.type = 'A' AND v.value IS NULL`)
	if len(rows) == 0 {
		t.Fatal("the fixtures have no empty list of assets")
	}
	for _, r := range rows {
		if r[1] != nil {
			t.Errorf("%s: %v, want NULL", r[0], r[1])
		}
	}
}

// TestPlans looks at how natural questions are answered: a condition on build
// must reach the table build, and a key its index; all rows are read in the order
// in which they lie. (Plans depend on statistics: the fixtures' are small.)
func TestPlans(t *testing.T) {
	db := fixtureCatalog(t)
	for _, tt := range []struct{ query, want string }{
		{"SELECT * FROM builds WHERE build = '1.0'", "INDEX build_label (label=?)"},
		{"SELECT * FROM archives WHERE build = '1.0'", "INDEX build_label (label=?)"},
		{"SELECT ext, count(*) FROM entries WHERE build = '1.0' GROUP BY ext", "INDEX build_label (label=?)"},
		{"SELECT * FROM duplicates WHERE build = '1.0'", "INDEX build_label (label=?)"},
		{"SELECT * FROM folders WHERE build = '1.0'", "INDEX build_label (label=?)"},
		{"SELECT * FROM dependencies WHERE build = '1.0'", "INDEX build_label (label=?)"},
		{"SELECT path, method FROM entries", "SEARCH r USING PRIMARY KEY (lineage_id=?)"},
		{"SELECT ext, count(*) FROM entries GROUP BY ext", "SEARCH r USING PRIMARY KEY (lineage_id=?)"},
		{"SELECT path, full_name FROM exports WHERE build = 'ut'", "INDEX build_label (label=?)"},
		{"SELECT path, target_path FROM dependencies", "SEARCH r USING PRIMARY KEY (lineage_id=?)"},
		{"SELECT * FROM entries WHERE asset_key = 1", "SEARCH r USING INDEX entry_asset (id_lo=?)"},
		{"SELECT * FROM entries WHERE path_id = 1", "SEARCH r USING INDEX entry_path (path_id=?"},
		{"SELECT * FROM entries WHERE content_id = 1", "SEARCH r USING INDEX entry_content (content_id=?"},
		{"SELECT * FROM properties WHERE build = 'shooter'", "INDEX build_label (label=?)"},
		{"SELECT * FROM properties WHERE name_id = 1 AND number > 10", "SEARCH v USING INDEX property_name (name_id=? AND value>?)"},
		{"SELECT * FROM properties WHERE path_id = 1", "INDEX value_entry_path (path_id=?)"},
		{"SELECT * FROM data_table_rows WHERE path_id = 1", "INDEX value_entry_path (path_id=?)"},
		{"SELECT * FROM property_coverage WHERE build = 'shooter'", "INDEX build_label (label=?)"},
		{"SELECT * FROM calligraphy_records WHERE guid_key = 1", "SEARCH r USING INDEX calligraphy_record_guid (guid=?)"},
		{"SELECT * FROM config_effective", "SCAN x_config_line\nSCAN c\nSEARCH e USING INDEX entry_content (content_id=?)"},
		{"SELECT * FROM calligraphy_assets WHERE id_key = 1", "SEARCH a USING INDEX calligraphy_asset_id (id=?)"},
	} {
		var plan []string
		for _, r := range query(t, db, "EXPLAIN QUERY PLAN "+tt.query) {
			plan = append(plan, r[3].(string))
		}
		if text := strings.Join(plan, "\n"); !strings.Contains(text, tt.want) {
			t.Errorf("%s: want %q in the plan\n%s", tt.query, tt.want, text)
		}
	}
}

// TestGamePaths: game_path is where a game that mounts the archives looks for a file,
// and folders has the sums of files by folder of that.
func TestGamePaths(t *testing.T) {
	c, path := newCatalog(t)
	mounts := []string{"", "/", "../../../", "../../../Game/Content/", "../../../Game/Content", "../../../Game/./Config/../", `C:\Game\`, "../../../../../"}
	schematest.Build(t, c, "1", func(b *schema.Build) {
		for i, mountPoint := range mounts {
			id := schematest.Start(t, b, schema.Archive{Format: "test", Scan: "test", MountPoint: mountPoint})
			for n, name := range []string{"A.ini", "Maps/B.umap", "Maps/C.umap", "Maps/Sub/D.umap", ""} {
				if err := b.Add(id, &schema.Entry{Ordinal: int64(n), Name: name, Size: int64(1 + i + n), Stored: 1}); err != nil {
					t.Fatal(err)
				}
			}
			b.EndArchive(id, nil)
			b.Mount(schema.Mount{Archive: id, Name: fmt.Sprint(i), Location: "/" + fmt.Sprint(i)})
		}
	})
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	db := readDB(t, path)
	type sums struct{ files, size int64 }
	want, got := map[string]sums{}, map[string]sums{}
	for _, r := range query(t, db, "SELECT mount_point, path, game_path, size FROM files") {
		if r[1] == nil {
			if r[2] != nil {
				t.Errorf("an entry without a name is called %v", r[2])
			}
			continue
		}
		inGame := mount.Path(r[0].(string), r[1].(string))
		if r[2] != inGame {
			t.Errorf("%s behind %s: %v, want %s", r[1], r[0], r[2], inGame)
		}
		folder := strings.TrimSuffix(inGame[:strings.LastIndexByte(inGame, '/')+1], "/")
		s := want[folder]
		want[folder] = sums{s.files + 1, s.size + r[3].(int64)}
	}
	for _, r := range query(t, db, "SELECT folder, file_count, size, stored FROM folders WHERE build = '1'") {
		got[r[0].(string)] = sums{r[1].(int64), r[2].(int64)}
		if r[3] != r[1] {
			t.Errorf("%v: %v bytes stored, want %v", r[0], r[3], r[1])
		}
	}
	if len(want) < 6 || !maps.Equal(got, want) {
		t.Errorf("folders: %v\nwant %v", got, want)
	}
}

// TestParentsInSeveralArchives: calligraphy_effective reads each parent once, however many
// ways lead to it in a build of several archives that have the same prototypes. A prototype
// that is its own parent, in two archives, has 2^64 ways.
func TestParentsInSeveralArchives(t *testing.T) {
	db := fixtureCatalog(t)
	more := query(t, db, `SELECT build, path, field, count(*)
		FROM calligraphy_effective e
		GROUP BY build_id, archive_id, content_id, origin_content_id, ordinal, position, depth
		HAVING count(*) > (SELECT count(*) FROM x_build_archive a WHERE a.build_id = e.build_id)`)
	if len(more) > 0 {
		t.Errorf("%d values have more rows than the build has archives: %v", len(more), more[0])
	}
	c, path := newCatalog(t)
	b, err := schematest.Begin(t.Context(), c, "cycle")
	if err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		e := entry(0)
		e.Facts = &schema.Facts{Inspector: "i/1", Kind: "calligraphy-prototype",
			Symbols: []schema.Symbol{{Space: "prototype", Key: 7, Path: e.Name}},
			Refs:    []schema.Ref{{Kind: "parent", Space: "prototype", Key: 7}}}
		id := schematest.Start(t, b, schema.Archive{Size: 1, Quick: digest(n), Scan: "s", Format: "test", Name: fmt.Sprint(n)})
		if err := b.Add(id, e); err != nil {
			t.Fatal(err)
		}
		b.EndArchive(id, nil)
		b.Mount(schema.Mount{Archive: id, Name: fmt.Sprint(n)})
	}
	if _, err := b.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var n int
	if err := readDB(t, path).QueryRowContext(ctx, "SELECT count(*) FROM calligraphy_effective").Scan(&n); err != nil {
		t.Error(err)
	}
}

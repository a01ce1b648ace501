package indexer_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/iostore"
	"pakdb/diff"
	"pakdb/indexer"
	"pakdb/internal/testkit"
	"pakdb/schema"
)

const ioFixtures = "iostore/cue4parse-ue5.8"

// container copies one of the three twins, or what is beside them, into a new
// folder, without the files that without names.
func container(t testing.TB, without string, elem ...string) string {
	t.Helper()
	dir := t.TempDir()
	path := codecstest.Sample(t, append([]string{ioFixtures}, elem...)...)
	base := path[:len(path)-len(filepath.Ext(path))]
	for _, ext := range []string{".utoc", ".ucas"} {
		if ext == without {
			continue
		}
		b, err := os.ReadFile(base + ext)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, filepath.Base(base)+ext), b)
	}
	return dir
}

func twin(t testing.TB, kind, without string) string {
	return container(t, without, kind, "CUE4ParseFixtures-Minimal-"+kind+"-Windows.utoc")
}

// The .ucas of a container is no archive of its own.
func TestPartsAreNoArchives(t *testing.T) {
	dir := twin(t, "Zlib", "")
	c := newCatalog(t)
	if r := c.mustScan(indexer.Options{Paths: []string{dir}, Label: "b"}); r.Archives != 1 || r.Entries != 112 || r.Problems != 0 {
		t.Errorf("%+v", r)
	}
	c.want("SELECT DISTINCT format FROM archives", "iostore")
	if r := c.mustScan(indexer.Options{Paths: []string{dir}, Label: "b"}); r.Reused != 1 {
		t.Errorf("again: %+v", r)
	}
	ucas, err := filepath.Glob(filepath.Join(dir, "*.ucas"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.scan(indexer.Options{Paths: ucas, Label: "c"}); err == nil {
		t.Error("a .ucas alone is a build")
	}
}

// The contents of the three twins are known by the TOC alone, and a full scan
// fills in what the quick one left open: its hashes begin with what the TOC
// states.
func TestContentsStatedByTheTOC(t *testing.T) {
	c := newCatalog(t)
	for _, kind := range []string{"Uncompressed", "Zlib", "Oodle"} {
		r := c.mustScan(indexer.Options{Paths: []string{twin(t, kind, "")}, Label: kind, Quick: true})
		if r.Skimmed != 112 || r.Problems != 0 {
			t.Errorf("%s: %+v", kind, r)
		}
	}
	c.want("SELECT count(*), min(length(content)), max(length(content)) FROM entries", "336|40|40")
	c.want(`SELECT count(*), sum(same = 1) FROM (SELECT count(DISTINCT content) AS same FROM entries
		GROUP BY asset_id HAVING count(*) = 3)`, "111|111")
	c.want("SELECT count(*), sum(substr(content, 1, 40) = sum) FROM sums JOIN contents USING (content_id)", "336|336")

	c.mustScan(indexer.Options{Paths: []string{twin(t, "Zlib", "")}, Label: "full"})
	c.want("SELECT length(content), count(*) FROM contents GROUP BY 1 ORDER BY 1", "40|2", "64|110") // of 112 chunks, two hold what others do
	c.want("SELECT count(*) FROM entries e JOIN sums USING (build, ordinal) WHERE build = 'full' AND substr(e.content, 1, 40) = sum", "112")
	c.want(`SELECT count(*) FROM entries q JOIN entries f ON f.asset_id = q.asset_id AND f.content = q.content
		WHERE q.build = 'Zlib' AND f.build = 'full'`, "112")
	c.want("SELECT count(*) FROM packages WHERE build = 'Oodle'", "97") // facts belong to contents
	if r := c.mustScan(indexer.Options{Paths: []string{twin(t, "Oodle", "")}, Label: "Oodle"}); r.Problems != 0 || r.Skimmed != 0 {
		t.Errorf("full scan of Oodle: %+v", r)
	}
	c.want("SELECT count(*) FROM entries WHERE build = 'Oodle' AND length(content) = 64", "112")
}

// A container whose .ucas is absent is known by its hashes, and read when the
// file is there.
func TestContainerWithoutContents(t *testing.T) {
	dir := twin(t, "Zlib", ".ucas")
	c := newCatalog(t)
	if r := c.mustScan(indexer.Options{Paths: []string{dir}, Label: "b"}); r.Skimmed != 112 || r.Problems != 0 {
		t.Errorf("%+v", r)
	}
	c.want("SELECT count(*), max(length(content)) FROM entries", "112|40")
	for _, quick := range []bool{false, true} {
		if r := c.mustScan(indexer.Options{Paths: []string{dir}, Label: "b", Quick: quick}); r.Reused != 1 {
			t.Errorf("again: %+v", r)
		}
	}
	b, err := os.ReadFile(codecstest.Sample(t, ioFixtures, "Zlib", "CUE4ParseFixtures-Minimal-Zlib-Windows.ucas"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "CUE4ParseFixtures-Minimal-Zlib-Windows.ucas"), b)
	if r := c.mustScan(indexer.Options{Paths: []string{dir}, Label: "b"}); r.Reused != 0 || r.Skimmed != 0 || r.Problems != 0 {
		t.Errorf("with the .ucas: %+v", r)
	}
	c.want("SELECT count(*), min(length(content)) FROM entries", "112|64")
	write(t, filepath.Join(dir, "CUE4ParseFixtures-Minimal-Zlib-Windows.ucas"), b[:len(b)/2])
	if r := c.mustScan(indexer.Options{Paths: []string{dir}, Label: "b"}); r.Reused != 0 || r.Problems == 0 {
		t.Errorf("with half of the .ucas: %+v", r)
	}
}

const zlibTwin = "CUE4ParseFixtures-Minimal-Zlib-Windows.utoc"

// The packages of a container look in the catalog like their twins in a pak: the
// same names, exports and edges. Edges to imports are of kind zen_import there,
// and what must be loaded first is not stored by package.
func TestZenPackagesLikeLegacyOnes(t *testing.T) {
	c := newCatalog(t)
	c.mustScan(indexer.Options{Paths: []string{twin(t, "Zlib", ""), container(t, "", "global.utoc")}, Label: "zen"})
	c.mustScan(indexer.Options{Paths: []string{codecstest.Sample(t, "unreal-pak", "cue4parse-ue5.8", "LegacyPak", "Tagged",
		"Uncompressed", "CUE4ParseFixtures-Legacy-Tagged-Uncompressed.pak")}, Label: "legacy"})
	sameKind := func(edges string) {
		t.Helper()
		for _, sides := range [][2]string{{"zen", "legacy"}, {"legacy", "zen"}} {
			c.want(`WITH edge AS (`+edges+`)
				SELECT * FROM (SELECT path, a, b, c FROM edge WHERE build = '`+sides[0]+`' AND path IN (SELECT path FROM edge WHERE build = '`+sides[1]+`')
				EXCEPT SELECT path, a, b, c FROM edge WHERE build = '`+sides[1]+`')`, []string{}...)
		}
	}
	sameKind(`SELECT build, path, replace(kind, 'zen_import', 'import') AS a, target_kind AS b, target AS c
		FROM dependencies WHERE kind <> 'preload'`)
	sameKind("SELECT build, path, class AS a, full_name AS b, size AS c FROM exports")
	sameKind("SELECT build, path, full_name AS a, native AS b, outer AS c FROM imports")
	sameKind("SELECT build, path, export_count AS a, 0 AS b, 0 AS c FROM packages")
	c.want(`SELECT z.package, count(*) FROM packages z JOIN packages l ON l.path = z.path AND l.build = 'legacy'
		WHERE z.build = 'zen' AND z.path LIKE '%.umap' GROUP BY 1`, "/Game/Fixtures/Maps/Empty|1")
	c.want(`SELECT z.class, l.class, count(*) FROM imports z JOIN imports l ON l.path = z.path AND l.full_name = z.full_name AND l.build = 'legacy'
		WHERE z.build = 'zen' AND z.class <> '' AND (z.class <> l.class OR z.class_package <> l.class_package) GROUP BY 1, 2`, []string{}...)
	c.want("SELECT count(*) FROM dependencies WHERE build = 'zen' AND kind = 'zen_import' AND target_kind = 'script-object'", "0")
	c.want("SELECT DISTINCT status FROM dependencies WHERE target = '/Game/Fixtures/Audio/SW_Inline'", "resolved")
}

// The objects of the program are named whichever comes first, the packages or
// what lists the objects, and in whatever scan.
func TestScriptObjectsOfAnotherScan(t *testing.T) {
	packages, global := twin(t, "Zlib", ""), container(t, "", "global.utoc")
	const (
		byID   = "SELECT count(*) > 0 FROM imports WHERE full_name LIKE '<script %'"
		edges  = "SELECT path, kind, target_kind, target, status FROM dependencies WHERE archive = '" + zlibTwin + "' ORDER BY 1, 2, 4"
		tables = "SELECT path, ordinal, full_name, class, class_package FROM imports WHERE archive = '" + zlibTwin + "' ORDER BY 1, 2"
		values = "SELECT path, export, class, field, type, value, target FROM properties WHERE archive = '" + zlibTwin + "' ORDER BY path, position"
	)
	together := newCatalog(t)
	together.mustScan(indexer.Options{Paths: []string{packages, global}, Label: "b"})
	together.want(byID, "0")
	together.want("SELECT count(*), sum(object = '/Script/Engine.Actor') FROM script_objects", "36979|1")

	late := newCatalog(t)
	late.mustScan(indexer.Options{Paths: []string{packages}, Label: "b"})
	late.want(byID, "1")
	late.mustScan(indexer.Options{Paths: []string{packages, global}, Label: "b"})
	late.want(edges, together.rows(edges)...)
	late.want(tables, together.rows(tables)...)
	late.want(values, together.rows(values)...)

	if !testkit.Deep() {
		return
	}
	early := newCatalog(t)
	early.mustScan(indexer.Options{Paths: []string{global}, Label: "a"})
	early.mustScan(indexer.Options{Paths: []string{packages}, Label: "b"})
	early.want(edges, together.rows(edges)...)
	early.want(tables, together.rows(tables)...)
}

// What a container lists of its packages agrees with what these say.
func TestContainerPackages(t *testing.T) {
	c := newCatalog(t)
	c.mustScan(indexer.Options{Paths: []string{twin(t, "Zlib", "")}, Label: "b"})
	c.want("SELECT count(*), sum(import_count), count(path) FROM container_packages", "97|59|97")
	c.want(`SELECT count(*) FROM container_imports i JOIN dependencies d ON d.path = i.path AND d.kind = 'zen_import'
		AND d.target_path IS i.import_path WHERE i.import_path IS NOT NULL`, "46")
	c.want("SELECT count(*), sum(package IS NOT NULL) FROM chunks WHERE type <> 'ContainerHeader'", "111|111")
	c.want("SELECT DISTINCT package FROM chunks WHERE path LIKE 'Textures/T_Streaming.%'", "/Game/Fixtures/Textures/T_Streaming")
}

// chunks writes a container of chunks "path=content", which without a path in
// front of the content's are named by their ids alone.
func chunks(t testing.TB, path string, named bool, entries ...string) {
	t.Helper()
	ctx := context.Background()
	mount := "../../../"
	if !named {
		mount = ""
	}
	err := codecs.WriteFile(ctx, path, iostore.Format(), &codecs.CreateOptions{MountPoint: mount}, func(w codecs.Writer) error {
		for _, text := range entries {
			name, content, _ := strings.Cut(text, "=")
			e := &codecs.Entry{Name: name}
			if !named {
				e = nameless(t, name)
			}
			if err := w.Add(ctx, e, strings.NewReader(content)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// nameless is the entry of a path by the chunk's id alone.
func nameless(t testing.TB, name string) *codecs.Entry {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "one.utoc")
	chunks(t, path, true, name+"=")
	src := codecstest.OpenFile(t, path)
	for e, err := range codecstest.Open(t, iostore.Format(), src, nil).Entries() {
		if err == nil {
			return &codecs.Entry{ID: e.ID, Type: e.Type}
		}
	}
	t.Fatal("no chunk")
	return nil
}

// Chunks are the same file by their ids: a patch without paths hides what it
// replaces, and has the paths of that.
func TestChunksWithoutPaths(t *testing.T) {
	dir := t.TempDir()
	chunks(t, filepath.Join(dir, "Game-Win.utoc"), true, "Game/Content/A.uasset=base", "Game/Content/A.ubulk=bulk", "Game/Content/B.uasset=base")
	c := newCatalog(t)
	c.mustScan(indexer.Options{Paths: []string{dir}, Label: "1", Quick: true})
	chunks(t, filepath.Join(dir, "Game-Win_0_P.utoc"), false, "Game/Content/A.uasset=patched", "Game/Content/C.uasset=new")
	writePak(t, filepath.Join(dir, "Game-Win_0_P.pak"), codecs.CreateOptions{MountPoint: defaultMount}, "Game/Config/A.ini=x")
	c.mustScan(indexer.Options{Paths: []string{dir}, Label: "2", Quick: true})
	c.want("SELECT path, archive, mount, size, shadowed_count FROM files WHERE build = '2' AND path NOT LIKE 'Export%' ORDER BY path",
		"Game/Config/A.ini|Game-Win_0_P.pak|Game-Win_0_P|1|0",
		"Game/Content/A.uasset|Game-Win_0_P.utoc|Game-Win_0_P|7|1",
		"Game/Content/A.ubulk|Game-Win.utoc|Game-Win|4|0",
		"Game/Content/B.uasset|Game-Win.utoc|Game-Win|4|0")
	c.want("SELECT path, archive, by_archive FROM shadowed WHERE build = '2'", "Game/Content/A.uasset|Game-Win.utoc|Game-Win_0_P.utoc")
	c.want("SELECT path, unnamed FROM chunks WHERE build = '2' AND archive LIKE '%P.utoc' AND path NOT LIKE 'Export%'", "Game/Content/A.uasset|1")

	db, err := schema.OpenReadOnly(context.Background(), c.path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	r, err := diff.Compare(context.Background(), db, "1", "2", diff.Options{Files: true})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for change, err := range r.Changes(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		if change.New != nil {
			got = append(got, change.Kind.String()+" "+change.New.Path)
		}
	}
	if want := "modified Game/Content/A.uasset"; !slices.Contains(got, want) || len(got) != 3 {
		t.Errorf("%q, want %q, the new chunk and the .ini", got, want)
	}
}

// Without the key a container has its hashes still: contents are known by them,
// and that they could not be read is told, once.
func TestEncryptedContainerWithoutKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "Game.utoc")
	ctx := context.Background()
	key := make([]byte, 32)
	o := codecs.CreateOptions{MountPoint: defaultMount, Encrypt: true, Keys: func([16]byte) []byte { return key }}
	err := codecs.WriteFile(ctx, path, iostore.Format(), &o, func(w codecs.Writer) error {
		for _, name := range []string{"A", "B", "C"} {
			e := &codecs.Entry{Name: "Game/Content/" + name + ".ubulk"}
			if err := w.Add(ctx, e, strings.NewReader("secret "+name)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	c := newCatalog(t)
	if r := c.mustScan(indexer.Options{Paths: []string{path}, Label: "b"}); r.Problems != 1 {
		t.Errorf("%+v", r)
	}
	c.want("SELECT DISTINCT length(content), encrypted FROM entries", "40|1")
	c.want("SELECT count(*), count(*) FILTER (WHERE cause LIKE '%(3 entries)') FROM problems", "1|1")
	c.mustScan(indexer.Options{Paths: []string{path}, Label: "b", KeyPrint: "k", Open: &codecs.Options{Keys: o.Keys}})
	c.want("SELECT length(content), path FROM entries ORDER BY path LIMIT 1", "64|Game/Content/A.ubulk")
}

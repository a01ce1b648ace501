package web_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pakdb/query/clickhouse"
	"pakdb/query/portable"
	"pakdb/query/portable/portabletest"
	"pakdb/schema"
	"pakdb/schema/schematest"
	"pakdb/web"
)

// serveCopies serves what a database of ClickHouse has.
func serveCopies(t testing.TB, address string, change func(*web.Config)) (*httptest.Server, *clickhouse.Client) {
	t.Helper()
	at, err := clickhouse.ParseAddress(address)
	if err != nil {
		t.Fatal(err)
	}
	client := clickhouse.NewClient(at)
	client.TryTwice()
	library, err := portable.Queries()
	if err != nil {
		t.Fatal(err)
	}
	c := web.Config{Copies: client, Library: library, Version: "test"}
	if change != nil {
		change(&c)
	}
	s := web.New(c)
	server := httptest.NewServer(s)
	t.Cleanup(func() { server.Close(); s.Close(); client.Close() })
	return server, client
}

// trickyCatalog is a catalog of which copies are made.
func trickyCatalog(t testing.TB) string {
	catalog := portabletest.Catalog(t, "..")
	c, err := schema.Open(t.Context(), catalog)
	if err != nil {
		t.Fatal(err)
	}
	manyKinds(t, c)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return catalog
}

// manyKinds adds two builds in which files lie in several archives and folders, of several
// types and sizes, some of them the same.
func manyKinds(t testing.TB, c *schema.Catalog) {
	for step, label := range []string{"3.0", "3.1"} {
		schematest.Build(t, c, label, func(b *schema.Build) {
			var one, two []schema.Entry
			for i := range 40 {
				e := entryOf(fmt.Sprintf("Game/Content/Maps%d/Über/level%02d.%s", i%3, i, []string{"umap", "UASSET", "bin", ""}[i%4]))
				e.Ordinal = int64(i)
				if i%5 == 0 {
					e.Size += int64(step)
					e.Content[3] += byte(step)
				}
				if step == 1 && i == 7 {
					e.Flags = 1
				}
				if i%2 == 0 {
					one = append(one, e)
				} else {
					two = append(two, e)
				}
			}
			both := entryOf("Game/Content/both.txt")
			one, two = append(one, both), append(two, both)
			gone := entryOf("Game/Content/deleted.txt") // one.pak wins
			two = append(two, gone)
			gone.Flags, gone.HasContent, gone.Size, gone.Stored = 2, false, 0, 0
			one = append(one, gone, entryOf("Game/Content/Case.txt"))
			other := entryOf("Game/Content/case.txt")
			other.File = "f/Game/Content/Case.txt"
			two = append(two, other)
			b.Search = schema.SearchMade
			if step == 0 {
				one = append(one, entryOf("Game/Content/gone.txt"))
			}
			mountAt(t, b, "Paks/one.pak", 1, 0, one)
			mountAt(t, b, "Paks/two.pak", 0, 1, two)
			// The chunk of y.utoc has its path from x.utoc, which lies elsewhere in the game.
			rooted, chunk := entryOf("Maps1/rooted.umap"), entryOf("made/up.bin")
			rooted.ID, rooted.IDBits, chunk.ID, chunk.IDBits, chunk.Flags, chunk.File, rooted.File = [2]uint64{7, 9}, 96, [2]uint64{7, 9}, 96, 16, "", ""
			mountOf(t, b, schema.Archive{Format: "iostore", Scan: "test", MountPoint: "../../../Game/Content/"}, "Paks/x.utoc", 0, 2, []schema.Entry{rooted, entryOf("rooted.txt")})
			mountOf(t, b, schema.Archive{Format: "iostore", Scan: "test"}, "Paks/y.utoc", 0, 3, []schema.Entry{chunk, {Size: 3, Stored: 3}})
		})
	}
}

// mountAt mounts an archive; the greatest order, which has place 0, wins.
func mountAt(t testing.TB, b *schema.Build, name string, order, place int64, entries []schema.Entry) {
	mountOf(t, b, schema.Archive{Format: "test", Scan: "test"}, name, order, place, entries)
}

func mountOf(t testing.TB, b *schema.Build, a schema.Archive, name string, order, place int64, entries []schema.Entry) {
	id := b.StartArchive(a)
	for i := range entries {
		entries[i].Ordinal = int64(i)
		if err := b.Add(id, &entries[i]); err != nil {
			t.Fatal(err)
		}
	}
	b.EndArchive(id, nil)
	b.Mount(schema.Mount{Archive: id, Name: name, Location: "/" + name, Order: order, Place: place})
}

// local are members that only a catalog has, or that tell the time it took.
func local() []string {
	return []string{"ms", "build_id", "archive_id", "content_id", "contents", "can", "engine", "next", "shows", "no_index"}
}

// without returns JSON without members that differ between a catalog and copies of it.
func without(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range local() {
			delete(v, name)
		}
		for k, x := range v {
			v[k] = without(x)
		}
	case []any:
		for i := range v {
			v[i] = without(v[i])
		}
	}
	return v
}

// shown is the JSON at an address as a catalog and copies of it must have it.
func shown(t testing.TB, s *httptest.Server, address string) string {
	t.Helper()
	got := ask(t, s, address)
	var v any
	if err := json.Unmarshal(got.body, &v); err != nil {
		t.Fatalf("%s: %v: %.300s", address, err, got.body)
	}
	if m, ok := v.(map[string]any); ok && strings.Contains(address, "/search.json") {
		m["found"] = slices.DeleteFunc(m["found"].([]any), func(f any) bool { // copies have no texts
			return !slices.Contains([]any{"path", "folder", "content", "id"}, f.(map[string]any)["kind"])
		})
		slices.SortFunc(m["found"].([]any), func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }) // the order of equally good ones differs
	}
	text, err := json.Marshal(without(v))
	if err != nil {
		t.Fatal(err)
	}
	return got.Status + " " + string(text)
}

// TestCopiesAreShownAsTheirCatalog pushes builds and compares all pages.
func TestCopiesAreShownAsTheirCatalog(t *testing.T) {
	address := portabletest.Engine(t, "..")
	catalog := trickyCatalog(t)
	ofCatalog := serve(t, catalog, nil)
	ofCopies, client := serveCopies(t, address, nil)
	if err := client.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	db := schematest.Open(t, catalog)
	labels := append(portabletest.Builds(), "3.0", "3.1")
	for _, label := range labels {
		if _, err := client.Push(t.Context(), db, label); err != nil {
			t.Fatal(err)
		}
	}
	compared := 0
	same := func(where string) {
		t.Helper()
		compared++
		if got, want := shown(t, ofCopies, where), shown(t, ofCatalog, where); got != want {
			t.Errorf("%s:\ngot  %.3000s\nwant %.3000s", where, got, want)
		}
	}
	same("/builds.json")
	same("/b/none/tree.json")
	same("/b/3.0/tree/Game/none.json")
	folders := map[string][]string{"1.1": {"", "Calligraphy/Powers/Blueprints"}, "2.0": {"", "Game", "game", "Game/Ünï"}, portabletest.Odd: {"", "100%_a"},
		"3.1": {"", "Game", "Game/Content", "Game/Content/Maps1/Über", "Game/Content/Maps1", "made"}}
	words := map[string][]string{"1.1": {"powers.", "health level"}, "2.0": {"Ultron", "本", "%_a", `b'c"\d`, "ff01fe01010203ff000000000000000000000000000000000000000000000000"},
		portabletest.Odd: {"game", "top"}, "3.1": {"LEVEL", "level0 über", "both.txt", "Game/Content/both.txt", "zzz", "maps1", "rooted", "level01", ".umap", "*", " "}}
	for label := range folders {
		base := "/b/" + url.PathEscape(label)
		same(base + "/archives.json")
		same(base + "/problems.json")
		same(base + "/treemap.json?by=size")
		for _, folder := range folders[label] {
			for _, sort := range []string{"name", "-size", "stored", "type"} {
				same(base + "/tree.json?path=" + url.QueryEscape(folder) + "&sort=" + sort)
			}
		}
		for _, q := range words[label] {
			same(base + "/search.json?q=" + url.QueryEscape(q))
		}
		rows, err := db.Query("SELECT archive, ordinal, coalesce(path, '') FROM entries WHERE build = ? AND (ordinal % 5 = 0 OR ordinal > 18 OR deleted = 1) ORDER BY archive, ordinal LIMIT 25", label)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var archive, path string
			var ordinal int64
			if err := rows.Scan(&archive, &ordinal, &path); err != nil {
				t.Fatal(err)
			}
			// Without keys of files, which real archives have, several entries of a path are
			// files; and copies do not know of renames.
			if path == "Game/Ünï/本.uasset" || strings.HasPrefix(path, "Game/only/") {
				continue
			}
			file := fmt.Sprintf("%s/file/%s/%d", base, url.PathEscape(archive), ordinal)
			same(file + ".json")
			if !strings.HasPrefix(label, "1") {
				same(file + "/history.json")
			}
			if path != "" {
				same(base + "/path.json?path=" + url.QueryEscape(path))
			}
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatal(err)
		}
	}
	same("/b/2.0/tree.json?path=Game&limit=1&at=1")
	same("/b/2.0/file/none/0.json")
	same("/b/2.0/path/none.json")
	// A push that was interrupted has rows, and no build.
	half, err := http.Post("http"+strings.TrimSuffix(strings.TrimPrefix(address, "clickhouse"), "/game")+"/?database=game", "text/plain",
		strings.NewReader("INSERT INTO pakdb_entries (push, build, archive, ordinal, path) VALUES ('half', '9.9', 'a.pak', 0, 'Calligraphy/Powers/Power.x')"))
	if err != nil || half.StatusCode != http.StatusOK {
		t.Fatal(half, err)
	}
	_ = half.Body.Close()
	same("/builds.json")
	same("/b/9.9/tree.json")
	same("/b/1.1/search.json?q=Power.x")

	if compared < 150 {
		t.Errorf("only %d answers were compared", compared)
	}
}

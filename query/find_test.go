package query_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pakdb/codecs/all"
	"pakdb/codecs/unreal"
	"pakdb/indexer"
	"pakdb/internal/testkit"
	"pakdb/internal/testkit/schematest"
	"pakdb/query"
	"pakdb/schema"
)

// game is a catalog and the folder of the files that are scanned into it.
type game struct {
	t       *testing.T
	dir     string
	catalog *schema.Catalog
}

func newGame(t *testing.T) *game {
	t.Helper()
	g := &game{t: t, dir: t.TempDir()}
	var err error
	if g.catalog, err = schema.Open(t.Context(), g.file()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.catalog.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

func (g *game) file() string { return filepath.Join(g.dir, "a.db") }

// write replaces the files of the game: settings by path.
func (g *game) write(files map[string]string) {
	g.t.Helper()
	if err := os.RemoveAll(filepath.Join(g.dir, "game")); err != nil {
		g.t.Fatal(err)
	}
	for name, text := range files {
		name = filepath.Join(g.dir, "game", name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			g.t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			g.t.Fatal(err)
		}
	}
}

func (g *game) scan(ctx context.Context, label string, s schema.Search) error {
	_, err := indexer.Run(ctx, indexer.Options{Catalog: g.catalog, Registry: all.Registry(), Label: label, Search: s,
		Force: true, Paths: []string{filepath.Join(g.dir, "game")}})
	return err
}

// hits returns what is found, sorted: "kind text|path|builds".
func hits(t *testing.T, db *sql.DB, text string) (found []string) {
	t.Helper()
	f, err := query.OpenSearch(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	for h, err := range f.Hits(t.Context(), text) {
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		found = append(found, fmt.Sprintf("%s %s|%s|%s", h.Kind, h.Text, h.Path, strings.Join(h.Builds, ",")))
	}
	slices.Sort(found)
	return found
}

// expected is what hits returns for a word, by reading everything.
func expected(t *testing.T, db *sql.DB, word string) (want []string) {
	t.Helper()
	rows, err := db.Query(`SELECT kind || ' ' || text || '|' || path || '|' || group_concat(build ORDER BY build_id), text
		FROM (SELECT DISTINCT 'setting' AS kind, value AS text, path, content_id, build, build_id FROM config
			UNION SELECT DISTINCT 'setting', key, path, content_id, build, build_id FROM config
			UNION SELECT DISTINCT 'section', section, path, content_id, build, build_id FROM config
			UNION SELECT DISTINCT 'path', path, path, 0, build, build_id FROM entries)
		GROUP BY kind, text, path, content_id`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var row, text string
		if err := rows.Scan(&row, &text); err != nil {
			t.Fatal(err)
		}
		in := slices.Contains(strings.Fields(text), word)
		if strings.HasPrefix(row, "path ") {
			in = strings.Contains(filepath.Base(text), word)
		}
		if in {
			want = append(want, row)
		}
	}
	slices.Sort(want)
	return want
}

// TestHitsAreRightWhateverHappens scans builds, removes some, interrupts others, and
// compares what is found with what is there.
func TestHitsAreRightWhateverHappens(t *testing.T) {
	words := strings.Fields("ultron hydra anvil mortar quartz violet walnut zephyr")
	for seed := range uint64(testkit.Of(1, 8)) {
		r := rand.New(rand.NewPCG(seed, 16))
		g := newGame(t)
		indexed := true
		var labels []string
		for step := range 8 {
			g.write(settings(r, words))
			label := fmt.Sprint(1 + r.IntN(4))
			switch r.IntN(8) {
			case 0, 1:
				if slices.Contains(labels, label) {
					if err := g.catalog.Remove(t.Context(), label); err != nil {
						t.Fatal(err)
					}
					labels = slices.DeleteFunc(labels, func(l string) bool { return l == label })
				}
			case 2:
				b, err := schematest.Begin(t.Context(), g.catalog, "interrupted")
				if err != nil {
					t.Fatal(err)
				}
				a := schematest.Start(t, b, schema.Archive{Format: "loose", Scan: "s"})
				if err := b.Add(a, &schema.Entry{Name: fmt.Sprintf("ultron/%d.ini", step)}); err != nil {
					t.Fatal(err)
				}
				if r.IntN(2) == 0 {
					b.EndArchive(a, nil)
				}
				if err := b.Abandon(); err != nil {
					t.Fatal(err)
				}
			default:
				search := []schema.Search{schema.SearchMade, schema.SearchMade, schema.SearchKept, schema.SearchKept, schema.SearchDropped}[r.IntN(5)]
				if err := g.scan(t.Context(), label, search); err != nil {
					t.Fatal(err)
				}
				if !slices.Contains(labels, label) {
					labels = append(labels, label)
				}
				indexed = search == schema.SearchMade || search == schema.SearchKept && indexed && step > 0
			}
			if !indexed || len(labels) == 0 {
				continue
			}
			db := schematest.Open(t, g.file())
			f, err := query.OpenSearch(t.Context(), db)
			if err != nil {
				t.Fatal(err)
			}
			if !f.Indexed {
				indexed = false
				continue
			}
			for _, word := range testkit.Some(words, 4) {
				if d := cmp.Diff(expected(t, db, word), hits(t, db, word)); d != "" {
					t.Fatalf("seed %d, step %d, %s (-want +got)\n%s", seed, step, word, d)
				}
			}
			_ = db.Close()
		}
		if _, err := schema.Check(t.Context(), g.file(), func(f schema.Finding) { t.Errorf("%s: %s", f.Check, f.Detail) }, func(string) {}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestIDsThatAreGivenOutAgain: names and paths are found whose ids others had before.
func TestIDsThatAreGivenOutAgain(t *testing.T) {
	g := newGame(t)
	for _, word := range []string{"ultron", "hydra", "anvil", "mortar"} {
		g.write(map[string]string{word + ".ini": "[S]\na=" + word + "\n"})
		if err := g.scan(t.Context(), word, schema.SearchMade); err != nil {
			t.Fatal(err)
		}
		db := schematest.Open(t, g.file())
		if d := cmp.Diff(expected(t, db, word), hits(t, db, word)); d != "" {
			t.Errorf("%s (-want +got)\n%s", word, d)
		}
		if word == "ultron" {
			continue // stays
		}
		if err := g.catalog.Remove(t.Context(), word); err != nil {
			t.Fatal(err)
		}
		if got := hits(t, db, word); len(got) > 0 {
			t.Errorf("%s: found %q after its build was removed", word, got)
		}
	}
}

// settings are files with some of the words.
func settings(r *rand.Rand, words []string) map[string]string {
	files := map[string]string{}
	for range 1 + r.IntN(4) {
		var b strings.Builder
		for line := range 1 + r.IntN(60) {
			fmt.Fprintf(&b, "[%s %d]\nkey%d=%s filler%d %s\n", words[r.IntN(len(words))], r.IntN(3), r.IntN(300),
				words[r.IntN(len(words))], r.IntN(1000)+line, words[r.IntN(len(words))])
		}
		files[fmt.Sprintf("f%d/%s.ini", r.IntN(3), words[r.IntN(len(words))])] = b.String() // no folder is found by its name
	}
	return files
}

// TestQueries: which texts match, and in which order.
func TestQueries(t *testing.T) {
	g := newGame(t)
	g.write(map[string]string{"Config/Game.ini": `[S]
a=Beenden
b=Spiel beenden
c=Spiel jetzt beenden, bitte
d=UltronBoss
e=ultronboss arena
f=The boss of Ultron
g=Überfall
h=敵を倒せ
i=unbeendet
`})
	if err := g.scan(t.Context(), "1", schema.SearchMade); err != nil {
		t.Fatal(err)
	}
	db := schematest.Open(t, g.file())
	f, err := query.OpenSearch(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"beenden":           "[S] a, [S] b, [S] c",
		"spiel BEENDEN":     "[S] b, [S] c",
		`"spiel beenden"`:   "[S] b",
		"been*":             "[S] a, [S] b, [S] c",
		"ultron boss":       "[S] d, [S] f",
		"UltronBoss":        "[S] d, [S] e, [S] f",
		"ultronb*":          "[S] d, [S] e",
		"uberfall":          "[S] g",
		"倒":                 "[S] h",
		"敵を":                "[S] h",
		"倒せ":                "[S] h",
		"を倒せ":               "[S] h",
		"been":              "",
		"config ini":        "",
		"x OR y NEAR(a) -b": "",
		"boss NOT ultron":   "",
		`"`:                 "",
		"*":                 "",
		"":                  "",
	} {
		var got []string
		for h, err := range f.Hits(t.Context(), text) {
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if h.Kind == "setting" {
				got = append(got, h.Place)
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: got %q, want %q", text, strings.Join(got, ", "), want)
		}
	}
}

func TestNoIndex(t *testing.T) {
	g := newGame(t)
	g.write(map[string]string{"a.ini": "[S]\na=b\n"})
	if err := g.scan(t.Context(), "1", schema.SearchDropped); err != nil {
		t.Fatal(err)
	}
	f, err := query.OpenSearch(t.Context(), schematest.Open(t, g.file()))
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range f.Hits(t.Context(), "b") {
		if !errors.Is(err, query.ErrNoIndex) {
			t.Errorf("got %v", err)
		}
	}
}

// FuzzHits: whatever is looked for, there is no error.
func FuzzHits(f *testing.F) {
	for _, text := range []string{`"a b`, `a* "`, "敵", "NEAR(a b)", "a\x00b", "{a}", "col:a", "^a", "+", `'`, "%", "_"} {
		f.Add(text)
	}
	dir := f.TempDir()
	c, err := schema.Open(f.Context(), filepath.Join(dir, "a.db"))
	if err != nil {
		f.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "A.ini"), []byte("[S]\na=b c 敵\n"), 0o644); err != nil {
		f.Fatal(err)
	}
	_, err = indexer.Run(f.Context(), indexer.Options{Catalog: c, Registry: all.Registry(), Label: "1", Search: schema.SearchMade, Paths: []string{filepath.Join(dir, "A.ini")}})
	if err != nil {
		f.Fatal(err)
	}
	if err := c.Close(); err != nil {
		f.Fatal(err)
	}
	db := schematest.Open(f, filepath.Join(dir, "a.db"))
	f.Fuzz(func(t *testing.T, text string) {
		finder, err := query.OpenSearch(context.Background(), db)
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range finder.Hits(context.Background(), text) {
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
		}
	})
}

// TestOtherFacts: texts are found of a content that was first listed alone, and then read
// by one inspector and another.
func TestOtherFacts(t *testing.T) {
	g := newGame(t)
	for i, text := range []string{"", "apple", "cherry"} {
		b, err := schematest.Begin(t.Context(), g.catalog, "1")
		if err != nil {
			t.Fatal(err)
		}
		b.Search = schema.SearchMade
		e := schema.Entry{Name: "a.ini", HasContent: true, Content: schema.Digest{1}, ContentSize: 1}
		if text != "" {
			facts := unreal.ConfigFacts{Texts: []string{"S", "key", text}, Lines: []unreal.ConfigLine{{Section: 0, Key: 1, Value: 2}}}
			e.Facts = &schema.Facts{Inspector: fmt.Sprint("test/", i), Kind: "config", Family: facts.Batch()}
		}
		a := schematest.Start(t, b, schema.Archive{Format: "loose", Scan: fmt.Sprint(i)})
		if err := b.Add(a, &e); err != nil {
			t.Fatal(err)
		}
		b.EndArchive(a, nil)
		b.Mount(schema.Mount{Archive: a, Name: "a.pak"})
		if _, err := b.Finish(t.Context()); err != nil {
			t.Fatal(err)
		}
		if text == "" {
			continue
		}
		if got := hits(t, schematest.Open(t, g.file()), text); len(got) != 1 {
			t.Errorf("%s: found %q", text, got)
		}
	}
}

// TestAnotherRevision: an index that another revision made is made anew.
func TestAnotherRevision(t *testing.T) {
	g := newGame(t)
	g.write(map[string]string{"a.ini": "[S]\na=ultron\n"})
	if err := g.scan(t.Context(), "1", schema.SearchMade); err != nil {
		t.Fatal(err)
	}
	other, err := sql.Open("sqlite", g.file())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	for _, statement := range []string{"DELETE FROM x_search_use", "UPDATE x_search_state SET done = 1 WHERE subject = 6"} {
		if _, err := other.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	g.write(map[string]string{"b.ini": "[S]\na=hydra\n"})
	if err := g.scan(t.Context(), "2", schema.SearchKept); err != nil {
		t.Fatal(err)
	}
	if got := hits(t, schematest.Open(t, g.file()), "ultron"); len(got) != 1 {
		t.Errorf("found %q", got)
	}
}

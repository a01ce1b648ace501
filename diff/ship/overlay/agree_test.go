package overlay_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zeebo/blake3"
	"pgregory.net/rapid"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/codecs/gpak"
	"pakdb/codecs/iostore"
	"pakdb/codecs/retropak"
	"pakdb/codecs/umod"
	"pakdb/codecs/unrealpak"
	"pakdb/diff"
	"pakdb/diff/ship/overlay"
	"pakdb/indexer"
	"pakdb/internal/testkit"
	"pakdb/schema"
)

// mounted is an archive of a generated build.
type mounted struct {
	format  *codecs.Format // nil: a loose file
	options codecs.CreateOptions
	entries []drawn
}

// drawn is an entry: a name, or of Retro's archives an id, and a content of that
// many bytes.
type drawn struct {
	entry   codecs.Entry
	content int
}

// game is a build: archives by their names.
type game map[string]mounted

// write writes the archives below a folder. The error is that of an archive that
// its format cannot hold.
func (g game) write(ctx context.Context, dir string) error {
	for name, m := range g {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if m.format == nil {
			if err := os.WriteFile(path, text(m.entries[0].content), 0o666); err != nil {
				return err
			}
			continue
		}
		err := codecs.WriteFile(ctx, path, m.format, &m.options, func(w codecs.Writer) error {
			for _, d := range m.entries {
				if err := w.Add(ctx, &d.entry, strings.NewReader(string(text(d.content)))); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func text(content int) []byte { return []byte(strings.Repeat("x", content)) }

// family is a set of formats that one game has beside each other.
type family struct {
	archives []string // names that may be drawn
	always   string   // one that each build has
	exact    bool     // a patch is what changed of the view, and no more
	draw     func(t *rapid.T, name string) mounted
}

var families = map[string]family{
	"unreal": {
		archives: []string{"a.pak", "B.pak", "a.utoc", "B.utoc", "a_P.pak", "b_P.pak", "A_1_P.pak", "a_P.utoc", "C_0_P.utoc", "G/Content/Paks/G-a.pak",
			"G/Content/Paks/g-B.utoc", "G/Content/Paks/x.pak", "Engine/Content/Paks/e.pak", "sub/a.pak", "Game/one.uasset", "game/Two.uasset"},
		always: "base.pak", exact: true, draw: drawUnreal},
	"unreal without delete records": {
		archives: []string{"a.pak", "B.pak", "b_P.pak", "B.utoc"},
		always:   "base.pak", exact: true, draw: drawOldUnreal},
	"gpak":  {archives: []string{"a.sip", "B.sip", "sub/a.sip", "One.txt"}, always: "Calligraphy.sip", draw: drawNamed(gpak.Format)},
	"umod":  {archives: []string{"a.umod", "B.umod"}, always: "m.umod", draw: drawNamed(umod.Format)},
	"uz":    {archives: []string{"One.txt.uz", "one.txt.uz", "sub/Two.txt.uz"}, always: "m.u.uz", draw: drawUz},
	"retro": {archives: []string{"a.pak", "B.pak"}, always: "m.pak", draw: drawRetro},
}

var points = []string{"../../../", "../../../Game/", `..\..\..\game`, "D:/"}

func drawUnreal(t *rapid.T, name string) mounted {
	switch filepath.Ext(name) {
	case ".utoc":
		return drawContainer(t)
	case ".uasset":
		return mounted{entries: []drawn{{content: rapid.IntRange(1, 3).Draw(t, "content")}}}
	}
	return drawAPak(t, unrealpak.Format().Versions[0], true)
}

func drawOldUnreal(t *rapid.T, name string) mounted {
	if filepath.Ext(name) == ".utoc" {
		return drawContainer(t)
	}
	return drawAPak(t, "5", false)
}

func drawAPak(t *rapid.T, version string, deletes bool) mounted {
	m := mounted{format: unrealpak.Format(), options: codecs.CreateOptions{Version: version, MountPoint: rapid.SampledFrom(points).Draw(t, "point")}}
	prefix := ""
	if !strings.Contains(strings.ToLower(m.options.MountPoint), "game") {
		prefix = "Game/"
	}
	names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"one.uasset", "One.uasset", "ONE.uasset", "two.uasset", "Two.uasset", "./two.uasset", "three.uasset"}),
		0, 4, rapid.ID).Draw(t, "names")
	for _, name := range names {
		d := drawn{codecs.Entry{Name: prefix + name}, rapid.IntRange(1, 3).Draw(t, "content")}
		if deletes && rapid.IntRange(0, 3).Draw(t, "deleted") == 0 {
			d.entry.Flags, d.content = codecs.Deleted, 0
		}
		m.entries = append(m.entries, d)
	}
	return m
}

func drawContainer(t *rapid.T) mounted {
	m := mounted{format: iostore.Format(), options: codecs.CreateOptions{MountPoint: "../../../"}}
	for _, name := range []string{"G/Content/one.uasset", "G/Content/Two.uasset"} {
		if rapid.Bool().Draw(t, "holds") {
			m.entries = append(m.entries, drawn{codecs.Entry{Name: name}, rapid.IntRange(1, 3).Draw(t, "content")})
		}
	}
	return m
}

func drawNamed(format func() *codecs.Format) func(*rapid.T, string) mounted {
	return func(t *rapid.T, name string) mounted {
		if filepath.Ext(name) == ".txt" {
			return mounted{entries: []drawn{{content: rapid.IntRange(1, 3).Draw(t, "content")}}}
		}
		m := mounted{format: format()}
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"One.txt", "one.txt", "sub/two.txt", "three.txt"}), 1, 3, rapid.ID).Draw(t, "names") {
			m.entries = append(m.entries, drawn{codecs.Entry{Name: name}, rapid.IntRange(1, 3).Draw(t, "content")})
		}
		return m
	}
}

func drawUz(t *rapid.T, name string) mounted {
	entry := codecs.Entry{Name: strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))}
	return mounted{format: umod.UzFormat(), entries: []drawn{{entry, rapid.IntRange(1, 3).Draw(t, "content")}}}
}

func drawRetro(t *rapid.T, _ string) mounted {
	m := mounted{format: retropak.Format()}
	for range rapid.IntRange(1, 4).Draw(t, "entries") {
		e := codecs.Entry{Type: "TXTR", ID: codecs.ID32(rapid.Uint32Range(1, 2).Draw(t, "id"))}
		m.entries = append(m.entries, drawn{e, rapid.IntRange(1, 3).Draw(t, "content")})
	}
	return m
}

// games draws a build and the next one, in which every archive is as it was, or
// another one, or, where patches are made of views, gone.
func (f *family) games(t *rapid.T) (old, new game) {
	names := rapid.SliceOfNDistinct(rapid.SampledFrom(f.archives), 0, 5, rapid.ID).Draw(t, "archives")
	old, new = game{}, game{}
	for _, name := range append([]string{f.always}, names...) {
		old[name] = f.draw(t, name)
		new[name] = old[name]
		switch rapid.IntRange(0, 3).Draw(t, "becomes") {
		case 0:
			new[name] = f.draw(t, name)
		case 1:
			if f.exact && name != f.always {
				delete(new, name)
			}
		}
	}
	return old, new
}

// file is what the view files has of a file.
type file struct {
	Content string
	Loose   bool
}

// viewFiles returns what the view files says of a build, and the keys of its rows by
// archive and path.
func viewFiles(t *rapid.T, db *sql.DB, build string) (seen map[string]file, keys map[[2]string]string) {
	rows, err := db.Query(`SELECT CASE length(e.asset_id) WHEN 24 THEN e.asset_id END, f.game_path, f.content, a.format = 'loose', f.archive, f.path
		FROM files f JOIN archives a ON a.build = f.build AND a.archive = f.archive
		JOIN entries e ON e.build = f.build AND e.archive = f.archive AND e.ordinal = f.ordinal WHERE f.build = ?`, build)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	seen, keys = map[string]file{}, map[[2]string]string{}
	for rows.Next() {
		var chunk *string
		var key, archive, path string
		var f file
		if err := rows.Scan(&chunk, &key, &f.Content, &f.Loose, &archive, &path); err != nil {
			t.Fatal(err)
		}
		if key == "" {
			t.Fatalf("%s %s has no key", archive, path)
		}
		if id := overlay.KeyOf(key); chunk == nil {
			key = fmt.Sprintf("%x", id)
		} else { // which its id tells
			sum := blake3.Sum256([]byte("chunk " + *chunk))
			key = fmt.Sprintf("%x", sum[:16])
		}
		if _, twice := seen[key]; twice {
			t.Fatalf("files has two rows for %s", path)
		}
		seen[key], keys[[2]string{archive, path}] = f, key
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return seen, keys
}

// became says what happened to each file.
func became(old, new map[string]file) map[string]string {
	out := map[string]string{}
	for key, f := range new {
		switch before, seen := old[key]; {
		case !seen:
			out[key] = "added"
		case before.Content != f.Content:
			out[key] = "modified"
		}
	}
	for key := range old {
		if _, stays := new[key]; !stays {
			out[key] = "removed"
		}
	}
	return out
}

// byDiff says the same by what diff tells of the two builds.
func byDiff(t *rapid.T, tb testing.TB, db *sql.DB, o diff.Options, oldKeys, newKeys map[[2]string]string) map[string]string {
	r, err := diff.Compare(tb.Context(), db, "old", "new", o)
	if err != nil {
		t.Fatal(err)
	}
	gone, come := map[string]file{}, map[string]file{}
	put := func(into map[string]file, f *diff.File, keys map[[2]string]string) {
		if f == nil {
			return
		}
		key, ok := keys[[2]string{f.Archive, f.Path}]
		if !ok {
			t.Fatalf("diff tells of %s in %s, which files does not have", f.Path, f.Archive)
		}
		into[key] = file{Content: f.Content}
	}
	for c, err := range r.Changes(tb.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		put(gone, c.Old, oldKeys)
		put(come, c.New, newKeys)
	}
	return became(gone, come)
}

// byPlan says the same by what a patch would do. whole is whether the formats are
// patched by making archives anew.
func byPlan(t *rapid.T, db *sql.DB) (map[string]string, bool) {
	stacks, err := diff.LoadStacks(context.Background(), db, all.Registry(), "old", "new")
	if err != nil {
		t.Fatal(err)
	}
	p, err := overlay.Make(stacks[0], stacks[1], all.Registry(), overlay.Options{Number: -1})
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, overlay.ErrNothing) || errors.Is(err, overlay.ErrForeign) {
		return nil, false
	}
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, it := range slices.Concat(p.Items, p.Kept) {
		word := map[overlay.Action]string{overlay.Add: "added", overlay.Replace: "modified", overlay.Delete: "removed"}[it.Action]
		if word != "" { // else it only goes along
			out[fmt.Sprintf("%x", it.Key())] = word
		}
	}
	return out, true
}

// patchable is what a patch is concerned with: no loose files.
func patchable(old, new map[string]file) (before, after map[string]file) {
	before, after = maps.Clone(old), maps.Clone(new)
	maps.DeleteFunc(before, func(key string, f file) bool { return f.Loose || new[key].Loose })
	maps.DeleteFunc(after, func(_ string, f file) bool { return f.Loose })
	return before, after
}

// What a game sees is one thing, whoever tells of it: the view files, diff, a plan
// of a patch, and archives on disk that no catalog knows. The facts that decide
// are in codecs/unrealpak/FORMAT.md; those of package mount are tested there.
func TestAllAgreeOnWhatAGameSees(t *testing.T) {
	testkit.NotShort(t)
	for name, f := range families {
		t.Run(name, func(t *testing.T) {
			c := newCatalog(t) // one for all: making it takes longer than two builds
			rapid.Check(t, func(rt *rapid.T) {
				root, err := os.MkdirTemp(t.TempDir(), "")
				if err != nil {
					rt.Fatal(err)
				}
				defer func() { _ = os.RemoveAll(root) }()
				old, new := f.games(rt)
				dirs := [2]string{filepath.Join(root, "old"), filepath.Join(root, "new")}
				for i, g := range []game{old, new} {
					if err := g.write(t.Context(), dirs[i]); err != nil {
						rt.Skip(err)
					}
				}
				c.scan(dirs)
				f.check(rt, c, dirs)
			})
		})
	}
}

// testCatalog is a catalog that is written and read at once.
type testCatalog struct {
	*testing.T
	*schema.Catalog
	db *sql.DB
}

func newCatalog(t *testing.T) testCatalog {
	path := filepath.Join(t.TempDir(), "pakdb.db")
	c, err := schema.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	db, err := schema.OpenReadOnly(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return testCatalog{t, c, db}
}

// scan makes two folders the builds old and new.
func (c testCatalog) scan(dirs [2]string) {
	for i, label := range []string{"old", "new"} {
		if _, err := indexer.Run(c.Context(), indexer.Options{Catalog: c.Catalog, Registry: all.Registry(), Paths: dirs[i : i+1],
			Label: label, Progress: &indexer.Progress{}}); err != nil {
			c.Fatal(err)
		}
	}
}

func (f *family) check(rt *rapid.T, t testCatalog, dirs [2]string) {
	db := t.db
	before, oldKeys := viewFiles(rt, db, "old")
	after, newKeys := viewFiles(rt, db, "new")
	want := became(before, after)
	for _, o := range []diff.Options{{Files: true}, {Files: true, NoRenames: true}} {
		if d := cmp.Diff(want, byDiff(rt, t.T, db, o, oldKeys, newKeys)); d != "" {
			rt.Fatalf("%+v: diff is not what files says (-files +diff):\n%s", o, d)
		}
	}
	for i, view := range []map[string]file{before, after} {
		stack, err := testDisk().Stack(t.Context(), "disk", dirs[i:i+1], true)
		if err != nil {
			rt.Fatal(err)
		}
		onDisk := map[string]bool{}
		for key := range stack.View() {
			onDisk[fmt.Sprintf("%x", key)] = true
		}
		if d := cmp.Diff(slices.Sorted(maps.Keys(view)), slices.Sorted(maps.Keys(onDisk))); d != "" {
			rt.Fatalf("archives on disk are not what files says (-files +disk):\n%s", d)
		}
	}
	got, ok := byPlan(rt, db)
	if !ok {
		return
	}
	want = became(patchable(before, after))
	if !f.exact { // archives are made anew one by one, with what others hide
		for key := range want {
			if got[key] == "" {
				rt.Fatalf("a patch leaves %s, which was %s, as it is", key, want[key])
			}
		}
		return
	}
	if d := cmp.Diff(want, got); d != "" {
		rt.Fatalf("a patch is not what files says (-files +plan):\n%s", d)
	}
}

// Of entries whose names differ in case alone the game sees one, by their order: another
// order is a change.
func TestOrderOfNamesThatDifferInCase(t *testing.T) {
	a, b := drawn{codecs.Entry{Name: "One.txt"}, 3}, drawn{codecs.Entry{Name: "one.txt"}, 1}
	c, root := newCatalog(t), t.TempDir()
	dirs := [2]string{filepath.Join(root, "old"), filepath.Join(root, "new")}
	f := families["umod"]
	for i, entries := range [][]drawn{{a, b}, {b, a}} {
		g := game{f.always: {format: umod.Format(), entries: entries}}
		if err := g.write(t.Context(), dirs[i]); err != nil {
			t.Fatal(err)
		}
	}
	c.scan(dirs)
	stacks, err := diff.LoadStacks(t.Context(), c.db, all.Registry(), "old", "new")
	if err != nil {
		t.Fatal(err)
	}
	p, err := overlay.Make(stacks[0], stacks[1], all.Registry(), overlay.Options{Number: -1})
	if err != nil || len(p.Items) != 1 || p.Items[0].Action != overlay.Replace {
		t.Errorf("%v, %+v", err, p.Items)
	}
}

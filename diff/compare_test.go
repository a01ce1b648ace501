package diff_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pakdb/diff"
	"pakdb/internal/sketch"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

// made is an archive of a build in the tests below.
type made struct {
	name, mount, format string
	order               int64
	entries             []schema.Entry
}

func file(name string, content int) schema.Entry {
	return schema.Entry{Name: name, Method: "none", Stored: int64(content), Size: int64(content), ContentSize: int64(content),
		Content: digest(content), HasContent: true}
}

// catalog writes builds, named 0, 1 and so on.
func catalog(t testing.TB, builds ...[]made) string {
	t.Helper()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "pakdb.db")
	c, err := schema.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	for label, archives := range builds {
		b, err := schematest.Begin(ctx, c, fmt.Sprint(label))
		if err != nil {
			t.Fatal(err)
		}
		var mounts []schema.Mount
		for _, a := range archives {
			format := a.format
			if format == "" {
				format = "test"
			}
			id := schematest.Start(t, b, schema.Archive{Format: format, Scan: "test", MountPoint: a.mount, Name: a.name})
			for i, e := range a.entries {
				e.Ordinal = int64(i)
				if err := b.Add(id, &e); err != nil {
					t.Fatal(err)
				}
			}
			b.EndArchive(id, nil)
			mounts = append(mounts, schema.Mount{Archive: id, Name: a.name, Order: a.order})
		}
		mountAll(b, mounts)
		if _, err := b.Finish(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func pak(entries ...schema.Entry) []made { return []made{{name: "a.pak", entries: entries}} }

func TestCompare(t *testing.T) {
	later := file("a", 1)
	later.HasTime, later.ModTime = true, 1000
	earlier := later
	earlier.ModTime = 500
	encrypted := file("a", 1)
	encrypted.Flags = 1
	unread, unreadLonger := file("a", 5), file("a", 6)
	unread.HasContent, unreadLonger.HasContent = false, false
	typed := file("a", 1)
	typed.Type = "TXTR"
	base := made{name: "base.pak", mount: "../../../", entries: []schema.Entry{file("Game/Content/x", 1), file("Game/y", 2), file("Game/z", 3)}}
	tests := map[string]struct {
		old, new []made
		o        diff.Options
		want     []string
	}{
		"a time is no change":        {pak(earlier), pak(later), diff.Options{}, nil},
		"unless asked for":           {pak(earlier), pak(later), diff.Options{Times: true}, []string{"metadata a"}},
		"encryption":                 {pak(file("a", 1)), pak(encrypted), diff.Options{}, []string{"restored a"}},
		"a type":                     {pak(file("a", 1)), pak(typed), diff.Options{}, []string{"metadata a"}},
		"unknown contents":           {pak(unread), pak(unread), diff.Options{}, nil},
		"unknown, of other sizes":    {pak(unread), pak(unreadLonger), diff.Options{}, []string{"modified a"}},
		"case alone":                 {pak(file("Dir/A", 1)), pak(file("dir/a", 2)), diff.Options{}, []string{"renamed Dir/A -> dir/a by case"}},
		"equal contents, same name":  {pak(file("x/b", 1), file("x/a", 1)), pak(file("y/a", 1), file("y/b", 1)), diff.Options{}, []string{"renamed x/a -> y/a by content", "renamed x/b -> y/b by content"}},
		"equal contents, same dir":   {pak(file("x/a", 1), file("y/a", 1)), pak(file("y/b", 1), file("x/b", 1)), diff.Options{}, []string{"renamed x/a -> x/b by content", "renamed y/a -> y/b by content"}},
		"empty files are all alike":  {pak(file("a", 0)), pak(file("b", 0)), diff.Options{}, []string{"added b", "removed a"}},
		"one moved among many":       {pak(file("a", 1), file("b", 2), file("c", 3), file("d", 4)), pak(file("d", 4), file("a", 1), file("b", 2), file("c", 3)), diff.Options{}, []string{"metadata d"}},
		"a patch below its own root": {[]made{base}, []made{base, {name: "p.pak", mount: "../../../Game/Content/", order: 100, entries: []schema.Entry{file("x", 7), file("new", 8)}}}, diff.Options{}, []string{"added new", "modified x"}},
		"a patch above the root":     {[]made{base}, []made{base, {name: "p.pak", mount: "../../", order: 100, entries: []schema.Entry{file("../Game/y", 7)}}}, diff.Options{}, []string{"renamed Game/y -> ../Game/y by case"}},
		"loose files by folder":      {[]made{{name: "a/x", format: "loose", entries: []schema.Entry{file("a/x", 1)}}, {name: "b/x", format: "loose", entries: []schema.Entry{file("b/x", 2)}}}, []made{{name: "a/x", format: "loose", entries: []schema.Entry{file("a/x", 1)}}, {name: "b/x", format: "loose", entries: []schema.Entry{file("b/x", 3)}}}, diff.Options{}, []string{"modified b/x"}},
		"archives one by one":        {[]made{{name: "1", entries: []schema.Entry{file("a", 1)}}, {name: "2"}}, []made{{name: "1"}, {name: "2", entries: []schema.Entry{file("a", 1)}}}, diff.Options{PerArchive: true}, []string{"moved a"}},
		"below the one that wins":    {[]made{{name: "1", entries: []schema.Entry{file("a", 1)}}, {name: "2", order: 1, entries: []schema.Entry{file("a", 9)}}}, []made{{name: "1", entries: []schema.Entry{file("a", 2)}}, {name: "2", order: 1, entries: []schema.Entry{file("a", 9)}}}, diff.Options{}, nil},
		"which one by one tells":     {[]made{{name: "1", entries: []schema.Entry{file("a", 1)}}, {name: "2", entries: []schema.Entry{file("a", 9)}}}, []made{{name: "1", entries: []schema.Entry{file("a", 2)}}, {name: "2", entries: []schema.Entry{file("a", 9)}}}, diff.Options{PerArchive: true}, []string{"modified a"}},
	}
	names := slices.Sorted(maps.Keys(tests))
	var builds [][]made
	for _, name := range names {
		builds = append(builds, tests[name].old, tests[name].new)
	}
	db := schematest.Open(t, catalog(t, builds...))
	for i, name := range names {
		test := tests[name]
		t.Run(name, func(t *testing.T) {
			r, changes := comparedIn(t, db, test.o, fmt.Sprint(2*i), fmt.Sprint(2*i+1))
			if d := cmp.Diff(test.want, lines(changes)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if r.Same() != (len(test.want) == 0) {
				t.Errorf("Same is %v", r.Same())
			}
			if name == "unknown contents" && r.Unknown != 1 {
				t.Errorf("%d unknown, want 1", r.Unknown)
			}
		})
	}
}

func TestReorderedAsAWhole(t *testing.T) {
	var entries []schema.Entry
	for i := range 20 {
		entries = append(entries, file(fmt.Sprint("f", i), i+1))
	}
	reversed := slices.Clone(entries)
	slices.Reverse(reversed)
	r, changes := compared(t, catalog(t, pak(entries...), pak(reversed...)), diff.Options{}, "0", "1")
	if len(changes) > 0 || !slices.Equal(r.Reordered, []string{"a.pak"}) || r.Same() {
		t.Errorf("%d changes, reordered %v", len(changes), r.Reordered)
	}
}

func sketched(name string, content int, bytes []byte) schema.Entry {
	e := file(name, content)
	e.Size, e.Stored, e.ContentSize = int64(len(bytes)), int64(len(bytes)), int64(len(bytes))
	e.Sketch = sketch.Of(bytes).Marshal()
	return e
}

func TestSimilar(t *testing.T) {
	bytes := make([]byte, 256<<10)
	for i := range bytes {
		bytes[i] = byte(i * i >> 7 * 31 >> 3)
	}
	edited := slices.Concat(bytes[:100<<10], []byte("something new in the middle"), bytes[100<<10:])
	old, new := pak(sketched("old/a", 1, bytes), sketched("kept", 3, bytes)), pak(sketched("new/b", 2, edited), sketched("kept", 4, edited))
	_, changes := compared(t, catalog(t, old, new), diff.Options{}, "0", "1")
	if d := cmp.Diff([]string{"modified kept", "renamed old/a -> new/b by similar"}, lines(changes)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for _, c := range changes {
		if c.Similarity < 70 || c.Similarity > 99 || c.Download <= 0 || c.Download > c.New.Stored/2 {
			t.Errorf("%s: %d %% alike, download %d of %d", c.Name(), c.Similarity, c.Download, c.New.Stored)
		}
	}
	_, changes = compared(t, catalog(t, old, new), diff.Options{Similar: 101}, "0", "1")
	if len(changes) != 3 {
		t.Errorf("without similarity: %v", lines(changes))
	}
}

// What one build has anywhere need not be fetched, and what is new only once.
func TestDownload(t *testing.T) {
	_, changes := compared(t, catalog(t, pak(file("a", 1), file("b", 20)), pak(file("a", 1), file("b", 20), file("copy", 20), file("c", 30), file("d", 30))),
		diff.Options{}, "0", "1")
	total := int64(0)
	for _, c := range changes {
		total += c.Download
	}
	if len(changes) != 3 || total != 30 {
		t.Errorf("%v, download %d, want 30", lines(changes), total)
	}
}

func TestHistory(t *testing.T) {
	path := catalog(t, pak(file("a", 1)), pak(file("a", 2)), pak(file("z/a", 2)), pak(file("z/a", 2)), pak(file("y", 9)), pak(file("z/a", 3), file("y", 9)))
	db := schematest.Open(t, path)
	for name, want := range map[string][]string{
		"z/a": {"0 added a", "1 modified a", "2 renamed z/a", "4 removed z/a", "5 added z/a"},
		"a":   {"0 added a", "1 modified a", "2 renamed z/a", "4 removed z/a"},
		"y":   {"4 added y"},
	} {
		events, err := diff.History(context.Background(), db, name)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range events {
			got = append(got, e.Build+" "+e.Kind.String()+" "+e.Name())
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// TestDownloadOfKeptContent: of an archive in two editions only rows that changed are
// read. What is new there costs nothing if an entry that did not change holds it.
func TestDownloadOfKeptContent(t *testing.T) {
	old, new := pak(file("a", 11), file("b", 12)), pak(file("a", 11), file("b", 13), file("c", 11), file("d", 14), file("e", 13))
	for _, test := range []struct {
		builds []([]made)
		want   map[string]int64
	}{
		{[][]made{old, new}, map[string]int64{"b": 13, "c": 0, "d": 14, "e": 0}},
		{[][]made{new, old}, map[string]int64{"b": 12, "c": 0, "d": 0, "e": 0}},
		{[][]made{old, pak(file("x", 1)), new}, map[string]int64{"b": 13, "c": 0, "d": 14, "e": 0}},
	} {
		_, changes := compared(t, catalog(t, test.builds...), diff.Options{NoRenames: true}, "0", fmt.Sprint(len(test.builds)-1))
		got := map[string]int64{}
		for _, c := range changes {
			got[c.Name()] = c.Download
		}
		if d := cmp.Diff(test.want, got); d != "" {
			t.Errorf("%d builds (-want +got):\n%s", len(test.builds), d)
		}
	}
}

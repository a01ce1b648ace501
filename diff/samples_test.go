package diff_test

import (
	"database/sql"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
	"pakdb/diff"
	"pakdb/indexer"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

// scanned compares two builds, each scanned from files.
func scanned(t *testing.T, o diff.Options, old, new []string) (*diff.Result, []diff.Change) {
	t.Helper()
	return compared(t, scan(t, old, new), o, "old", "new")
}

// scan makes a catalog of the builds "old" and "new".
func scan(t *testing.T, old, new []string) (catalog string) {
	t.Helper()
	return schematest.Write(t, func(c *schema.Catalog) {
		for label, paths := range map[string][]string{"old": old, "new": new} {
			if _, err := indexer.Run(t.Context(), indexer.Options{Catalog: c, Registry: all.Registry(), Paths: paths, Label: label, Sketch: true}); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// compared compares and collects.
func compared(t testing.TB, catalog string, o diff.Options, old, new string) (*diff.Result, []diff.Change) {
	t.Helper()
	return comparedIn(t, schematest.Open(t, catalog), o, old, new)
}

// comparedIn is for who compares in one catalog again and again: opening it costs
// more than comparing small builds.
func comparedIn(t testing.TB, db *sql.DB, o diff.Options, old, new string) (*diff.Result, []diff.Change) {
	t.Helper()
	ctx := t.Context()
	r, err := diff.Compare(ctx, db, old, new, o)
	if err != nil {
		t.Fatal(err)
	}
	var changes []diff.Change
	for c, err := range r.Changes(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		changes = append(changes, c)
	}
	return r, changes
}

func sample(t *testing.T, name string) string {
	return codecstest.Sample(t, name)
}

// lines describes changes, one each.
func lines(changes []diff.Change) []string {
	var all []string
	for _, c := range changes {
		s := c.Kind.String() + " " + c.Name()
		if c.Kind == diff.Renamed {
			s = "renamed " + c.Old.Name() + " -> " + c.New.Name() + " by " + c.RenamedBy
		}
		all = append(all, s)
	}
	slices.Sort(all)
	return all
}

func of(changes []diff.Change, kind diff.Kind) []string {
	names := []string{}
	for _, c := range changes {
		if c.Kind == kind {
			names = append(names, c.Name())
		}
	}
	slices.Sort(names)
	return names
}

func truth(t *testing.T, file, key string, into any) {
	t.Helper()
	b, err := os.ReadFile(sample(t, file))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(all[key], into); err != nil {
		t.Fatal(err)
	}
}

type gpakTruth struct {
	Added   []string `json:"path_added"`
	Removed []string `json:"path_removed"`
	Changed []string `json:"path_changed"`
	GUIDs   map[string]struct {
		Renamed [][2]string `json:"renamed"`
	} `json:"guid_level"`
	Prototypes [][2]string `json:"prototype_renamed"`
}

func TestCalligraphyByPath(t *testing.T) {
	var want gpakTruth
	truth(t, "gpak/truth.json", "_diff Calligraphy_v10_mhpaktool.sip -> Calligraphy_v11_mhpaktool.sip", &want)
	_, changes := scanned(t, diff.Options{NoRenames: true},
		[]string{sample(t, "gpak/Calligraphy_v10_mhpaktool.sip")}, []string{sample(t, "gpak/Calligraphy_v11_mhpaktool.sip")})
	for kind, names := range map[diff.Kind][]string{diff.Added: want.Added, diff.Removed: want.Removed, diff.Modified: want.Changed} {
		slices.Sort(names)
		if d := cmp.Diff(names, of(changes, kind)); d != "" {
			t.Errorf("%v (-want +got):\n%s", kind, d)
		}
	}
}

func TestCalligraphyByGUID(t *testing.T) {
	var truths gpakTruth
	truth(t, "gpak/truth.json", "_diff Calligraphy_v10_mhpaktool.sip -> Calligraphy_v11_mhpaktool.sip", &truths)
	_, changes := scanned(t, diff.Options{},
		[]string{sample(t, "gpak/Calligraphy_v10_mhpaktool.sip")}, []string{sample(t, "gpak/Calligraphy_v11_mhpaktool.sip")})
	want := map[string]string{}
	for _, r := range truths.Prototypes {
		want["Calligraphy/"+r[0]] = "Calligraphy/" + r[1]
	}
	for _, space := range truths.GUIDs {
		for _, r := range space.Renamed {
			want["Calligraphy/"+r[0]] = "Calligraphy/" + r[1]
		}
	}
	got := map[string]string{}
	for _, c := range changes {
		if c.Kind == diff.Renamed && c.RenamedBy == "guid" {
			got[c.Old.Path] = c.New.Path
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("renames by GUID (-want +got):\n%s", d)
	}
}

func TestRestoredAlone(t *testing.T) {
	r, changes := scanned(t, diff.Options{}, []string{sample(t, "gpak/mu_cdata_1.5.sip")}, []string{sample(t, "gpak/mu_cdata_1.6.sip")})
	for _, c := range changes {
		if c.Kind != diff.Restored || c.Download != 0 {
			t.Errorf("%s %s, download %d; only the storage differs", c.Kind, c.Name(), c.Download)
		}
	}
	if len(changes) == 0 || len(r.Reordered) > 0 || r.Unknown > 0 {
		t.Errorf("%d changes, reordered %v, %d unknown", len(changes), r.Reordered, r.Unknown)
	}
}

// What the truth calls restored cannot all be told from a catalog: one of the two
// is stored in other blocks of the same total size, the other was padded where it
// was stored raw, so that what can be read of it differs.
func TestRetro(t *testing.T) {
	var want struct {
		Added, Removed []string
		Changed        []string         `json:"content_changed"`
		Restored       []string         `json:"same_content_restored_differently"`
		Copies         map[string][]int `json:"copies_changed"`
		Moved          []string         `json:"moved_only"`
	}
	truth(t, "retro-pak/truth.json", "_diff mp3_small.pak -> mp3_small_v2.pak", &want)
	padded := want.Restored[1]
	_, changes := scanned(t, diff.Options{}, []string{sample(t, "retro-pak/mp3_small.pak")}, []string{sample(t, "retro-pak/mp3_small_v2.pak")})
	got := map[string][]string{}
	for _, c := range changes {
		id := strings.ToUpper(c.Name()[strings.IndexByte(c.Name(), '/')+1:])
		got[c.Kind.String()] = append(got[c.Kind.String()], id)
		if n := want.Copies[id]; n != nil && (c.Old.Copies != n[0] || c.New.Copies != n[1]) {
			t.Errorf("%s: copies %d -> %d, want %v", id, c.Old.Copies, c.New.Copies, n)
		}
		if id == padded && !slices.Contains(c.Notes, "names: Ünïcode_名前 -> none") {
			t.Errorf("%s: notes %q", id, c.Notes)
		}
	}
	d := cmp.Diff(map[string][]string{
		"added": want.Added, "removed": want.Removed, "modified": append([]string{padded}, want.Changed...),
		"copies": slices.Collect(maps.Keys(want.Copies)), "metadata": want.Moved,
	}, got)
	if d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestUnrealPairs(t *testing.T) {
	// One package of sandboxutilities was saved again and has another GUID, no more.
	for _, test := range []struct {
		old, new      string
		files, assets map[diff.Kind]int
	}{
		{"integration_old.pak", "integration_new.pak", map[diff.Kind]int{diff.Modified: 6}, map[diff.Kind]int{diff.Modified: 3}},
		{"sandboxutilities_old_P.pak", "sandboxutilities_new_P.pak", map[diff.Kind]int{diff.Modified: 12, diff.Cosmetic: 1, diff.Added: 6},
			map[diff.Kind]int{diff.Modified: 6, diff.Cosmetic: 1, diff.Added: 3}},
	} {
		var sums []diff.Sizes
		catalog := scan(t, []string{sample(t, "unreal-pak/pairs/"+test.old)}, []string{sample(t, "unreal-pak/pairs/"+test.new)})
		for _, o := range []diff.Options{{Files: true}, {}} {
			_, changes := compared(t, catalog, o, "old", "new")
			want := test.assets
			if o.Files {
				want = test.files
			}
			got, all := map[diff.Kind]int{}, diff.NewTotals("kind")
			for _, c := range changes {
				got[c.Kind]++
				all.Add(&c)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s %+v (-want +got):\n%s\n%s", test.new, o, d, strings.Join(lines(changes), "\n"))
			}
			all.All.Count = 0
			sums = append(sums, all.All)
		}
		if d := cmp.Diff(sums[0], sums[1]); d != "" {
			t.Errorf("%s: assets do not add up to their files:\n%s", test.new, d)
		}
	}
}

func TestPatchPak(t *testing.T) {
	dir := "unreal-pak/cue4parse-ue5.8/Patch/Pak/CUE4ParseFixtures-PatchBase"
	base, patch := sample(t, dir+".pak"), sample(t, dir+"_0_P.pak")
	_, changes := scanned(t, diff.Options{}, []string{base}, []string{base, patch})
	if d := cmp.Diff([]string{"modified DA_PatchTarget.uasset"}, lines(changes)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for _, c := range changes {
		if c.PartList() != ".uasset .uexp" {
			t.Errorf("%s: parts %q", c.Name(), c.PartList())
		}
		if c.New.Archive != filepath.Base(patch) || c.New.Copies != 2 || c.Also != diff.Moved|diff.Copies {
			t.Errorf("%s: %+v, also %s", c.Name(), *c.New, c.Also)
		}
	}
}

package calligraphy_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/calligraphy"
)

// build is a whole archive, inspected.
type build struct {
	files []file
	facts map[string]*codecs.Facts // by entry name; nil where inspecting failed
	errs  map[string]error
}

func inspectPak(t *testing.T, name string) build {
	t.Helper()
	b := build{files: readPak(t, name), facts: map[string]*codecs.Facts{}, errs: map[string]error{}}
	in := calligraphy.Inspector()
	for _, f := range b.files {
		if !in.Match(f.entry(), f.body[:min(codecs.HeadSize, len(f.body))]) {
			t.Errorf("%s: not matched", f.name)
			continue
		}
		facts, err := inspect(f.name, f.body)
		if err != nil {
			b.errs[f.name] = err
			continue
		}
		b.facts[f.name] = facts
		for _, p := range facts.Problems {
			t.Errorf("%s: %v", f.name, p)
		}
	}
	return b
}

func (b build) records(space codecs.Space) []calligraphy.Record {
	for _, f := range b.facts {
		if detail(f).Space == space {
			return detail(f).Records
		}
	}
	return nil
}

// everyByte requires that the facts of all files give their bytes again.
func (b build) everyByte(t *testing.T) {
	t.Helper()
	for _, f := range b.files {
		facts := b.facts[f.name]
		if facts == nil || detail(facts).Resource != nil {
			continue
		}
		if !bytes.Equal(encode(facts.Kind, detail(facts)), f.body) {
			t.Errorf("%s: facts do not hold the whole file", f.name)
		}
	}
}

// idsArePathHashes requires that the ids in the directories are what the paths
// hash to, and that every record has its file.
func (b build) idsArePathHashes(t *testing.T) {
	t.Helper()
	for _, space := range []codecs.Space{"curve", "asset_type", "blueprint", "prototype"} {
		for _, r := range b.records(space) {
			want := []codecs.Symbol{symbolOf(space, r.ID, "")}
			same(t, r.Path, calligraphy.EntrySymbols(r.Path), want)
			if b.facts[r.Path] == nil {
				t.Errorf("%s: no such file", r.Path)
			}
		}
	}
}

func TestRealNames(t *testing.T) {
	if testing.Short() {
		t.Skip("25,619 files")
	}
	const sample = "Calligraphy_1.10_names.sip"
	truth := readTruth(t)
	b := inspectPak(t, sample)
	if len(b.errs) > 0 {
		t.Error(b.errs)
	}
	b.everyByte(t)
	b.idsArePathHashes(t)
	counts := truth.counts(t, sample)
	same(t, "entries", len(b.files), counts["entries"])
	same(t, "curves", len(b.records("curve")), counts["curves"])
	same(t, "types", len(b.records("asset_type")), counts["types"])
	same(t, "blueprints", len(b.records("blueprint")), counts["blueprints"])
	same(t, "prototypes", len(b.records("prototype")), counts["prototypes"])
	same(t, "replacements", len(detail(b.facts["Calligraphy/Replacement.directory"]).Replacements), counts["replacements"])
	same(t, "defaults", defaults(b), 2599)

	refs := b.refs()
	declared := refs["declared_by"]
	same(t, "declaring blueprints", declared, 39881)
	total := 0
	for _, kind := range []string{"parent", "embedded_parent", "asset", "curve", "prototype", "asset_type", "string"} {
		if refs[kind] == 0 {
			t.Errorf("no reference of kind %s", kind)
		}
		total += refs[kind]
	}
	same(t, "references", total, counts["refs"])
}

func defaults(b build) (n int) {
	for _, r := range b.records("prototype") {
		if path.Ext(r.Path) == ".defaults" {
			n++
		}
	}
	return n
}

// refs counts the references of prototype bodies by kind.
func (b build) refs() map[string]int {
	n := map[string]int{}
	for _, f := range b.facts {
		if detail(f).Prototype == nil {
			continue
		}
		for _, r := range f.Refs {
			n[r.Kind]++
		}
	}
	return n
}

// What a reference's kind says it points at is where its id is found.
func TestRefsResolve(t *testing.T) {
	for _, sample := range []string{"Calligraphy_v10_mhpaktool.sip", "Calligraphy_v11_mhpaktool.sip"} {
		b := inspectPak(t, sample)
		type key struct {
			space codecs.Space
			id    codecs.ID
		}
		known := map[key]bool{}
		for _, f := range b.facts {
			for _, s := range f.Defines() {
				known[key{s.Space, s.ID}] = true
			}
		}
		for name, f := range b.facts {
			for _, r := range f.Refs {
				if known[key{r.Space, r.ID}] == (r.Kind == "string") {
					t.Errorf("%s: %s: %+v", sample, name, r)
				}
			}
		}
	}
}

func TestVersions(t *testing.T) {
	truth := readTruth(t)
	for _, test := range []struct {
		sample  string
		version uint8
	}{{"Calligraphy_v10_mhpaktool.sip", 10}, {"Calligraphy_v11_mhpaktool.sip", 11}} {
		t.Run(test.sample, func(t *testing.T) {
			b := inspectPak(t, test.sample)
			b.everyByte(t)
			b.idsArePathHashes(t)
			same(t, "entries", len(b.files), truth.entries(t, test.sample))
			for name, f := range b.facts {
				same(t, name, detail(f).Version, test.version)
			}
			for name, err := range b.errs {
				if test.version != 10 || name != "Calligraphy/Noise.curve" && name != "Calligraphy/Empty.curve" {
					t.Error(name, err)
				}
			}
		})
	}
}

// Two files of the version 10 sample are damaged on purpose.
func TestDamagedSamples(t *testing.T) {
	b := inspectPak(t, "Calligraphy_v10_mhpaktool.sip")
	checkError(t, b.errs["Calligraphy/Noise.curve"], codecs.ErrCorrupt, 0)
	checkError(t, b.errs["Calligraphy/Empty.curve"], codecs.ErrTruncated, 0)
	same(t, "damaged", len(b.errs), 2)
	if c := detail(b.facts["Calligraphy/Big.curve"]).Curve; c == nil || len(c.Values) == 0 {
		t.Error("Big.curve has no values")
	}
}

// Records identified by GUID differ between the two versions as they should.
func TestIdentityByGUID(t *testing.T) {
	diff := readTruth(t).diff(t, "_diff Calligraphy_v10_mhpaktool.sip -> Calligraphy_v11_mhpaktool.sip")
	old, new := inspectPak(t, "Calligraphy_v10_mhpaktool.sip"), inspectPak(t, "Calligraphy_v11_mhpaktool.sip")
	for space, kind := range map[codecs.Space]string{"curve": "Curve", "asset_type": "Type", "blueprint": "Blueprint"} {
		want := diff.GUIDLevel[kind]
		byGUID := map[uint64]string{}
		for _, r := range old.records(space) {
			byGUID[r.GUID] = r.Path
		}
		kept, renamed, added := 0, map[string]string{}, 0
		for _, r := range new.records(space) {
			switch oldPath, ok := byGUID[r.GUID]; {
			case !ok:
				added++
			case oldPath == r.Path:
				kept++
			default:
				renamed[strings.TrimPrefix(oldPath, "Calligraphy/")] = strings.TrimPrefix(r.Path, "Calligraphy/")
			}
		}
		same(t, kind+" kept", kept, want.Same)
		same(t, kind+" added", added, len(want.Added))
		same(t, kind+" removed", len(byGUID)-kept-len(renamed), len(want.Removed))
		wantRenamed := map[string]string{}
		for _, r := range want.Renamed {
			wantRenamed[r[0]] = r[1]
		}
		same(t, kind+" renamed", renamed, wantRenamed)
	}
}

func TestResources(t *testing.T) {
	const sample = "Resource_mhpaktool.sip"
	b := inspectPak(t, sample)
	if len(b.errs) > 0 {
		t.Error(b.errs)
	}
	same(t, "entries", len(b.facts), readTruth(t).entries(t, sample))
	for name, f := range b.facts {
		ext := path.Ext(name)
		number, err := strconv.Atoi(strings.TrimSuffix(name[strings.LastIndex(name, "_")+1:], ext))
		if err != nil {
			t.Fatal(err)
		}
		same(t, name, f.Kind, "calligraphy-"+ext[1:])
		r := detail(f).Resource // the sample numbers its heads
		same(t, name, *r, calligraphy.Resource{Signature: 0x1000 + uint32(number), Version: 7, ClassID: uint32(number)})
		if len(f.Defines()) > 0 {
			t.Errorf("%s: content defines %v", name, f.Defines())
		}
	}
}

type truth map[string]json.RawMessage

func readTruth(t *testing.T) truth {
	t.Helper()
	data, err := os.ReadFile(codecstest.Sample(t, "gpak", "truth.json"))
	if err != nil {
		t.Fatal(err)
	}
	var out truth
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func (tr truth) into(t *testing.T, key string, out any) {
	t.Helper()
	var mismatch *json.UnmarshalTypeError
	if err := json.Unmarshal(tr[key], out); err != nil && !errors.As(err, &mismatch) {
		t.Fatalf("%s: %v", key, err)
	}
}

// counts returns the numbers of a sample's truth.
func (tr truth) counts(t *testing.T, sample string) map[string]int {
	out := map[string]int{}
	tr.into(t, sample, &out)
	return out
}

func (tr truth) entries(t *testing.T, sample string) int {
	var out struct{ Entries []json.RawMessage }
	tr.into(t, sample, &out)
	return len(out.Entries)
}

type guidDiff struct {
	Same           int
	Renamed        [][2]string
	Added, Removed []string
}

func (tr truth) diff(t *testing.T, key string) (out struct {
	GUIDLevel map[string]guidDiff `json:"guid_level"`
}) {
	tr.into(t, key, &out)
	return out
}

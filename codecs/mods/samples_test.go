package mods_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/property"
	"pakdb/codecs/iostore"
	"pakdb/codecs/mods"
	"pakdb/codecs/umod"
	"pakdb/codecs/unreal"
	"pakdb/codecs/unreal/zen"
	"pakdb/codecs/unrealpak"
)

// sample is a package of the samples.
type sample struct {
	name        string
	asset, uexp []byte
	options     mods.Options
	zen         bool
	globals     *unreal.ScriptObjectFacts
}

// usmaps are the mappings of packages that need them, by a part of their path. "" is for
// those whose mappings are not among the samples.
var usmaps = []struct{ part, file string }{
	{"Legacy-Unversioned-Zlib.pak", "unreal-properties/cue4parse-UE5_8/CUE4ParseFixtures-Zstandard.usmap"},
	{"uassetapi/BP_GameMode_Base", "unreal-properties/uassetapi/5.4.3-34507850+++UE5+Release-5.4-JOY.usmap"},
	{"uassetapi/BP_Table_Lamp", "unreal-properties/uassetapi/5.4.3-34507850+++UE5+Release-5.4-DeepSpace7.usmap"},
	{"uassetapi/BP_ThirdPersonCharacter", "unreal-properties/uassetapi/ExplicitEnumValuesExample.usmap"},
	{"uassetapi/MI_Quinn_01", "unreal-properties/uassetapi/ExplicitEnumValuesExample.usmap"},
	{"values/unversioned-float", "unreal-properties/uassetapi/5.4.3-34507850+++UE5+Release-5.4-JOY.usmap"},
	{"values/unversioned-name", "unreal-writing/mappings/BlankGame_Dumper-7.usmap"},
	{"values/unversioned-text", "unreal-writing/mappings/Clay.usmap"},
	{"values/unversioned-zero-made", "unreal-writing/mappings/NanosWorld.usmap"},
	{"values/unversioned-", "unreal-properties/cue4parse-UE5_8/CUE4ParseFixtures-Zstandard.usmap"},
}

var libraries = map[string]*property.Library{}

func schemas(t testing.TB, name string) property.Schemas {
	t.Helper()
	for _, u := range usmaps {
		if !strings.Contains(name, u.part) {
			continue
		}
		if libraries[u.file] == nil {
			m, err := property.OpenUsmap(codecstest.Sample(t, strings.Split(u.file, "/")...))
			if err != nil {
				t.Fatal(err)
			}
			libraries[u.file] = m.Library()
		}
		return libraries[u.file]
	}
	return nil
}

var everySample []sample // once they were read

// samples returns the packages of UE4 and UE5 in the samples that are written, by name.
func samples(t testing.TB) []sample {
	t.Helper()
	if everySample == nil {
		everySample = readSamples(t)
	}
	return everySample
}

func readSamples(t testing.TB) (all []sample) {
	t.Helper()
	files := map[string][]byte{}
	root := filepath.Dir(codecstest.Sample(t, "unreal-package"))
	err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		switch filepath.Ext(name) {
		case ".uasset", ".umap", ".uexp":
			files[name], err = os.ReadFile(name)
		case ".pak":
			if strings.Contains(name, "unreal-pak/pairs") || strings.Contains(name, "Legacy-") && strings.HasSuffix(name, "-Zlib.pak") {
				src := codecstest.OpenFile(t, name)
				for _, it := range codecstest.Items(t, codecstest.Open(t, unrealpak.Format(), src, nil)) {
					files[name+"/"+it.Entry.Name] = it.Data
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if ext := path.Ext(name); (ext == ".uasset" || ext == ".umap") && bytes.HasPrefix(data, []byte{0xC1, 0x83, 0x2A, 0x9E}) {
			all = append(all, sample{name: name, asset: data, uexp: files[strings.TrimSuffix(name, ext)+".uexp"],
				options: mods.Options{Name: unreal.LongName(name), Schemas: schemas(t, name)}})
		}
	}
	all = append(all, zenSamples(t)...)
	slices.SortFunc(all, func(a, b sample) int { return strings.Compare(a.name, b.name) })
	return all
}

// classicSamples returns the packages of UE1 to UE3 that are written.
func classicSamples(t testing.TB) (all []sample) {
	t.Helper()
	for _, name := range []string{"TestUC1.u", "TestUC2.u", "TestUC3.u", "HeadExplo_v120_28.u", "ServerAdverts_v512.u", "Rx_Mutator_InfiniteAmmo_v868.u", "GUI_v859.upk"} {
		b, err := os.ReadFile(codecstest.Sample(t, "unreal-package", name))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, sample{name: name, asset: b})
	}
	src := codecstest.OpenFile(t, codecstest.Sample(t, "unreal-package", "DropStuff.umod"))
	for name, b := range codecstest.Contents(t, codecstest.Open(t, umod.Format(), src, &codecs.Options{})) {
		if strings.HasSuffix(name, ".u") {
			all = append(all, sample{name: name, asset: b})
		}
	}
	return all
}

// after returns the sample with other bytes.
func (s *sample) after(asset, uexp []byte) *sample {
	c := *s
	c.asset, c.uexp = asset, uexp
	return &c
}

// zenSamples returns the packages of IoStore containers.
func zenSamples(t testing.TB) (all []sample) {
	t.Helper()
	const tagged = "iostore/cue4parse-ue5.8"
	chunks := func(elem ...string) []codecstest.Item {
		return codecstest.Items(t, codecstest.Open(t, iostore.Format(), codecstest.OpenFile(t, codecstest.Sample(t, elem...)), nil))
	}
	it := chunks(tagged, "global.utoc")[0]
	globals, err := zen.ReadScriptObjects(bytes.NewReader(it.Data), int64(len(it.Data)))
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{tagged + "/Zlib", "unreal-properties/cue4parse-UE5_8/Unversioned-Zlib"} {
		for _, it := range chunks(folder, "CUE4ParseFixtures-Minimal-Zlib-Windows.utoc") {
			if it.Entry.Type == iostore.TypeExportBundleData {
				all = append(all, sample{name: folder + "/" + it.Entry.Name, asset: it.Data, zen: true, globals: globals,
					options: mods.Options{Schemas: schemas(t, "Legacy-Unversioned-Zlib.pak")}})
			}
		}
	}
	return all
}

// open opens a package, nil if it is one that is refused.
func (s *sample) open(t testing.TB) *mods.Package {
	t.Helper()
	var p *mods.Package
	var err error
	if s.zen {
		p, err = mods.OpenZen(s.asset, s.globals, s.options)
	} else {
		p, err = mods.Open(context.Background(), s.asset, s.uexp, s.options)
	}
	if errors.Is(err, unreal.ErrNoWriting) {
		return nil
	}
	if err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	return p
}

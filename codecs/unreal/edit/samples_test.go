package edit_test

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

	"pakdb/codecs/codecstest"
	"pakdb/codecs/unreal/edit"
	"pakdb/codecs/unreal/pkg"
	"pakdb/codecs/unreal/property"
	"pakdb/codecs/unrealpak"
)

// sample is a package of the samples.
type sample struct {
	name        string
	asset, uexp []byte
	options     edit.Options
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

// samples returns the packages of UE4 and UE5 in the samples that are written, by name.
func samples(t testing.TB) (all []sample) {
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
			all = append(all, sample{name, data, files[strings.TrimSuffix(name, ext)+".uexp"],
				edit.Options{Name: pkg.NameOf(name), Schemas: schemas(t, name)}})
		}
	}
	slices.SortFunc(all, func(a, b sample) int { return strings.Compare(a.name, b.name) })
	return all
}

// open opens a package, nil if it is one that is refused.
func (s *sample) open(t testing.TB) *edit.Package {
	t.Helper()
	p, err := edit.Open(context.Background(), s.asset, s.uexp, s.options)
	if errors.Is(err, pkg.ErrNoWriting) {
		return nil
	}
	if err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	return p
}

package media_test

import (
	"bytes"
	"context"
	"io"
	"path"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/pkg"
	"pakdb/codecs/internal/property"
	"pakdb/codecs/iostore"
	"pakdb/codecs/unreal"
	"pakdb/codecs/unreal/media"
	"pakdb/codecs/unreal/zen"
	"pakdb/codecs/unrealpak"
)

const fixtures = "iostore/cue4parse-ue5.8"

// files are the contents of an archive, by name.
func files(t testing.TB, f *codecs.Format, elem ...string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, it := range codecstest.Items(t, codecstest.Open(t, f, codecstest.OpenFile(t, codecstest.Sample(t, elem...)), nil)) {
		all[it.Entry.Name] = it.Data
	}
	return all
}

// beside opens the files beside a package.
func beside(all map[string][]byte, name string) func(media.File) (io.ReaderAt, int64, error) {
	stem := strings.TrimSuffix(name, path.Ext(name))
	return func(f media.File) (io.ReaderAt, int64, error) {
		b, ok := all[stem+string(f)]
		if f == media.Whole {
			b, ok = append(bytes.Clone(all[name]), all[stem+".uexp"]...), true
		}
		if !ok {
			return nil, 0, media.ErrNoBytes
		}
		return bytes.NewReader(b), int64(len(b)), nil
	}
}

// legacy returns the packages of a pak, by their base names.
func legacy(t testing.TB, elem ...string) map[string]*media.Package {
	t.Helper()
	all, out := files(t, unrealpak.Format(), elem...), map[string]*media.Package{}
	for name, data := range all {
		if path.Ext(name) != ".uasset" {
			continue
		}
		p, err := pkg.Read(context.Background(), bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		uexp := all[strings.TrimSuffix(name, ".uasset")+".uexp"]
		out[strings.TrimSuffix(path.Base(name), ".uasset")] = &media.Package{PackageFacts: &p.PackageFacts, Open: beside(all, name),
			Bytes: func(i int) ([]byte, error) {
				r, err := p.OpenExport(i, io.NewSectionReader(bytes.NewReader(uexp), 0, int64(len(uexp))))
				if err != nil {
					return nil, err
				}
				return io.ReadAll(r)
			}}
	}
	return out
}

// zen returns the packages of a container, by their base names.
func zenPackages(t testing.TB, elem ...string) map[string]*media.Package {
	t.Helper()
	scripts := files(t, iostore.Format(), fixtures, "global.utoc")
	var globals *unreal.ScriptObjectFacts
	for _, data := range scripts {
		if f, err := zen.ReadScriptObjects(bytes.NewReader(data), int64(len(data))); err == nil {
			globals = f
		}
	}
	all, out := files(t, iostore.Format(), elem...), map[string]*media.Package{}
	for name, data := range all {
		if ext := path.Ext(name); ext != ".uasset" && ext != ".umap" {
			continue
		}
		p, err := zen.Read(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		facts := zen.Resolve(&p.PackageFacts, globals)
		out[strings.TrimSuffix(path.Base(name), path.Ext(name))] = &media.Package{PackageFacts: facts, Open: beside(all, name),
			Bytes: func(i int) ([]byte, error) { x := facts.Exports[i]; return data[x.Offset : x.Offset+x.Size], nil }}
	}
	return out
}

// mappings are those of the fixtures.
func mappings(t testing.TB) property.Schemas {
	t.Helper()
	m, err := property.OpenUsmap(codecstest.Sample(t, "unreal-properties", "cue4parse-UE5_8", "CUE4ParseFixtures-Zstandard.usmap"))
	if err != nil {
		t.Fatal(err)
	}
	return m.Library()
}

// variants are the packages of the fixtures, in each way in which they were cooked.
func variants(t testing.TB) map[string]map[string]*media.Package {
	t.Helper()
	pak := func(name string) map[string]*media.Package {
		return legacy(t, "unreal-properties", "cue4parse-UE5_8", name)
	}
	unversioned := func() map[string]*media.Package {
		return zenPackages(t, "unreal-properties", "cue4parse-UE5_8", "Unversioned-Zlib", "CUE4ParseFixtures-Minimal-Zlib-Windows.utoc")
	}
	all := map[string]map[string]*media.Package{
		"zen tagged":      zenPackages(t, fixtures, "Zlib", "CUE4ParseFixtures-Minimal-Zlib-Windows.utoc"),
		"zen unversioned": unversioned(), "zen mapped": unversioned(),
		"legacy tagged": pak("Legacy-Tagged-Zlib.pak"), "legacy unversioned": pak("Legacy-Unversioned-Zlib.pak"),
		"android": legacy(t, "unreal-media", "AndroidPak", "CUE4ParseFixtures-Android-Textures.pak"),
	}
	lib := mappings(t)
	for _, p := range all["zen mapped"] {
		p.Options.Schemas = lib
	}
	return all
}

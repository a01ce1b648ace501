package zen_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/pkg"
	"pakdb/codecs/internal/property"
	"pakdb/codecs/iostore"
	"pakdb/codecs/unreal"
	"pakdb/codecs/unreal/zen"
	"pakdb/codecs/unrealpak"
)

// twin is a legacy package and the Zen package that the engine cooked of the same asset.
type twin struct {
	name             string
	asset, uexp, zen []byte
	folder           string
	cooked           bool // only the size of the cooked header may differ
}

func twins(t *testing.T) (all []twin) {
	t.Helper()
	loose, err := filepath.Glob(filepath.Join(codecstest.Sample(t, "unreal-writing", "retoc"), "UE5*", "*.uzenasset"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range loose {
		stem := strings.TrimSuffix(name, ".uzenasset")
		all = append(all, twin{name: name, zen: readFile(t, name), asset: readFile(t, stem+".uasset"), uexp: readFile(t, stem+".uexp")})
	}
	for pak, folder := range map[string]string{
		"Legacy-Tagged-Zlib.pak":      fixtures + "/Zlib",
		"Legacy-Unversioned-Zlib.pak": "unreal-properties/cue4parse-UE5_8/Unversioned-Zlib",
	} {
		zens := map[string][]byte{}
		for _, it := range items(t, folder, "CUE4ParseFixtures-Minimal-Zlib-Windows.utoc") {
			if it.Entry.Type == iostore.TypeExportBundleData {
				zens[it.Entry.Name] = it.Data
			}
		}
		files := map[string][]byte{}
		src := codecstest.OpenFile(t, codecstest.Sample(t, "unreal-properties/cue4parse-UE5_8", pak))
		for _, it := range codecstest.Items(t, codecstest.Open(t, unrealpak.Format(), src, nil)) {
			files[it.Entry.Name] = it.Data
		}
		for name, data := range files {
			ext := filepath.Ext(name)
			if ext != ".uasset" && ext != ".umap" {
				continue
			}
			for other, z := range zens {
				if strings.HasSuffix(other, name) || strings.HasSuffix(name, other) {
					all = append(all, twin{name: pak + "/" + name, asset: data, uexp: files[strings.TrimSuffix(name, ext)+".uexp"], zen: z, folder: folder, cooked: true})
				}
			}
		}
	}
	return all
}

// A legacy package becomes the Zen package that the engine cooked. In packages of UE 5.8 the
// header of the legacy twin had another size, which the Zen package states.
func TestFromLegacy(t *testing.T) {
	equal := 0
	for _, tw := range twins(t) {
		got, err := zen.FromLegacy(context.Background(), tw.asset, tw.uexp, unreal.LongName(tw.name))
		if err != nil {
			t.Errorf("%s: %v", tw.name, err)
			continue
		}
		if tw.cooked && len(got) > 24 {
			copy(got[20:24], tw.zen[20:24])
		}
		if !bytes.Equal(got, tw.zen) {
			at := 0
			for at < min(len(got), len(tw.zen)) && got[at] == tw.zen[at] {
				at++
			}
			t.Errorf("%s: %d bytes, want %d; the first other one is at %d", tw.name, len(got), len(tw.zen), at)
			continue
		}
		equal++
	}
	if equal != 19 {
		t.Errorf("%d twins", equal)
	}
}

// A container's packages become legacy ones, and the same again. The sample lacks the
// packages of the engine that a few import from; without their classes these are refused.
func TestToLegacy(t *testing.T) {
	globals := scripts(t)
	mappings, err := property.OpenUsmap(codecstest.Sample(t, "unreal-properties/cue4parse-UE5_8/CUE4ParseFixtures-Zstandard.usmap"))
	if err != nil {
		t.Fatal(err)
	}
	classes := mappings.Library()
	made := map[string]*pkg.Package{} // by the engine
	for _, tw := range twins(t) {
		if p := readLegacy(t, tw.asset); tw.cooked {
			made[tw.folder+p.Name] = p
		}
	}
	equal, longer, unknown := 0, 0, 0
	for _, folder := range []string{fixtures + "/Zlib", "unreal-properties/cue4parse-UE5_8/Unversioned-Zlib"} {
		chunks, facts := map[string][]byte{}, map[string]*unreal.PackageFacts{}
		for _, it := range items(t, folder, "CUE4ParseFixtures-Minimal-Zlib-Windows.utoc") {
			if it.Entry.Type == iostore.TypeExportBundleData {
				p := readZen(t, it.Data)
				chunks[p.Name], facts[p.Name] = it.Data, zen.Resolve(&p.PackageFacts, globals)
			}
		}
		for name, chunk := range chunks {
			p := readZen(t, chunk)
			d := property.NewDecoder(facts[name], property.Options{Name: name, Schemas: classes})
			o := zen.LegacyOptions{Scripts: globals, Layout: pkg.Cooked58,
				Imported: func(name string) (*unreal.PackageFacts, error) { return facts[name], nil },
				ListEnd: func(i int) (int64, error) {
					x := &p.Exports[i]
					return d.ListEnd(i, chunk[x.Offset:x.Offset+x.Size])
				}}
			asset, uexp, err := p.ToLegacy(context.Background(), chunk, o)
			var class *zen.UnknownClassError
			if errors.As(err, &class) {
				unknown++
				o.AnyClass = true
				asset, uexp, err = p.ToLegacy(context.Background(), chunk, o)
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if w := made[folder+name]; w != nil {
				compareMade(t, w, readLegacy(t, asset))
			}
			again, err := zen.FromLegacy(context.Background(), asset, uexp, "")
			if int64(len(asset)) > p.Zen.CookedHeader && len(again) > 24 {
				longer++
				copy(again[20:24], chunk[20:24])
			}
			if err != nil || !bytes.Equal(again, chunk) {
				t.Errorf("%s: other bytes, %v", name, err)
				continue
			}
			equal++
		}
	}
	t.Logf("%d packages are equal, %d of them but for a longer header; of %d a class is unknown", equal, longer, unknown)
	if equal != 194 || unknown != 14 {
		t.Errorf("%d packages, %d of unknown classes", equal, unknown)
	}
}

func readZen(t *testing.T, chunk []byte) *zen.Package {
	t.Helper()
	p, err := zen.Read(bytes.NewReader(chunk), int64(len(chunk)))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func readLegacy(t *testing.T, asset []byte) *pkg.Package {
	t.Helper()
	p, err := pkg.Read(context.Background(), bytes.NewReader(asset), int64(len(asset)))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// compareMade compares the tables of a made package with those of its twin.
func compareMade(t *testing.T, want, got *pkg.Package) {
	t.Helper()
	if want.Layout != got.Layout || want.ImportCount != got.ImportCount || len(want.Exports) != len(got.Exports) {
		t.Errorf("%s: %s, want %s", want.Name, got.Layout, want.Layout)
		return
	}
	for i := range want.Exports {
		a, b := want.Exports[i], got.Exports[i]
		if a.Flags != b.Flags || a.ExportFlags != b.ExportFlags || a.PackageFlags != b.PackageFlags || a.Size != b.Size {
			t.Errorf("%s: export %d is %+v, want %+v", want.Name, i, b, a)
		}
		if x, y := refs(want, i), refs(got, i); !slices.Equal(x, y) {
			t.Errorf("%s: export %d waits for %v, want %v", want.Name, i, y, x)
		}
	}
	a, b := objects(&want.PackageFacts), objects(&got.PackageFacts)
	if !slices.Equal(a, b) {
		t.Errorf("%s has %v, want %v", want.Name, b, a)
	}
	for i := range want.Imports {
		r := unreal.ObjectRef(-i - 1)
		k := slices.IndexFunc(got.Imports, func(e unreal.PackageImport) bool { return got.NameOf(e.Name) == want.NameOf(want.Imports[i].Name) })
		if k >= 0 {
			x, y := want.Imports[i], got.Imports[k]
			if g := got.NameOf(y.Class); g != "Object" && (want.NameOf(x.Class) != g || want.NameOf(x.ClassPackage) != got.NameOf(y.ClassPackage)) {
				t.Errorf("%s is a %s, want a %s", path(&want.PackageFacts, r), g, want.NameOf(x.Class))
			}
		}
	}
}

// refs are what an export waits for, by path, but for objects of the program that it needs
// beside its class and its template: Zen packages do not list these.
func refs(p *pkg.Package, i int) (all []string) {
	s := p.PreloadSpans[i]
	n := int(s.First)
	for k, count := range s.Counts {
		for range count {
			if to := path(&p.PackageFacts, p.Preload[n]); k == 2 || !strings.HasPrefix(to, "/Script/") {
				all = append(all, fmt.Sprint(k, " ", to))
			}
			n++
		}
	}
	return all
}

// What no sample proves is refused, and what is missing is named.
func TestConversionRefused(t *testing.T) {
	all := twins(t)
	old := readFile(t, codecstest.Sample(t, "unreal-properties", "uasset-rs", "UE53_SimpleRefsDefaultsRef.uasset"))
	first := all[0]
	versioned := bytes.Clone(first.asset)
	for _, c := range []struct {
		name        string
		asset, uexp []byte
		want        string
	}{
		{"editor", old, nil, "not cooked"},
		{"no uexp", first.asset, nil, "without its .uexp"},
		{"cut", first.asset, first.uexp[:len(first.uexp)-1], "without its .uexp"},
		{"no package", []byte("no package at all"), nil, "0x70206f6e"},
		{"bits", versioned, append(bytes.Clone(first.uexp), 0), "followed by the tag alone"},
	} {
		_, err := zen.FromLegacy(context.Background(), c.asset, c.uexp, "/Game/A")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	chunk := all[0].zen
	none := func(string) (*unreal.PackageFacts, error) { return nil, nil }
	for _, c := range []struct {
		name string
		o    zen.LegacyOptions
		want string
	}{
		{"no globals", zen.LegacyOptions{Imported: none}, "global.utoc"},
		{"other globals", zen.LegacyOptions{Scripts: unreal.NewScriptObjectFacts(nil), Imported: none}, "of the program in global.utoc"},
	} {
		_, _, err := readZen(t, chunk).ToLegacy(context.Background(), chunk, c.o)
		if !errors.Is(err, codecs.ErrNotFound) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	last := all[slices.IndexFunc(all, func(tw twin) bool { return strings.Contains(tw.name, "UE5.6") })].zen
	if _, _, err := readZen(t, last).ToLegacy(context.Background(), last, zen.LegacyOptions{}); !errors.Is(err, unreal.ErrNoWriting) {
		t.Errorf("no engine: %v", err)
	}
}

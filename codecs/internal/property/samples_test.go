package property_test

import (
	"bytes"
	"context"
	"flag"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/pkg"
	"pakdb/codecs/internal/property"
	"pakdb/codecs/iostore"
	"pakdb/codecs/unreal"
	"pakdb/codecs/unreal/zen"
	"pakdb/codecs/unrealpak"
)

// loaded is a package of the samples with the bytes of its exports.
type loaded struct {
	name  string // as the truths name it
	facts *unreal.PackageFacts
	data  [][]byte
}

const (
	samples  = "unreal-properties"
	fixtures = "iostore/cue4parse-ue5.8"
)

// legacy reads a package from its .uasset and .uexp.
func legacy(t testing.TB, name string, asset, uexp []byte) *loaded {
	t.Helper()
	p, err := pkg.Read(context.Background(), bytes.NewReader(asset), int64(len(asset)))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	out := &loaded{name: name, facts: &p.PackageFacts}
	for i := range p.Exports {
		r, err := p.OpenExport(i, io.NewSectionReader(bytes.NewReader(uexp), 0, int64(len(uexp))))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out.data = append(out.data, data)
	}
	return out
}

// folder reads the packages of a folder of samples.
func folder(t testing.TB, name string) (all []*loaded) {
	t.Helper()
	root := codecstest.Sample(t, samples, name)
	files, err := filepath.Glob(filepath.Join(root, "*.u*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		ext := filepath.Ext(f)
		if ext != ".uasset" && ext != ".umap" {
			continue
		}
		asset, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		uexp, _ := os.ReadFile(strings.TrimSuffix(f, ext) + ".uexp")
		all = append(all, legacy(t, strings.TrimSuffix(filepath.Base(f), ext), asset, uexp))
	}
	return all
}

// pak reads the packages of a pak.
func pak(t testing.TB, elem ...string) (all []*loaded) {
	t.Helper()
	src := codecstest.OpenFile(t, codecstest.Sample(t, elem...))
	files := map[string][]byte{}
	for _, it := range codecstest.Items(t, codecstest.Open(t, unrealpak.Format(), src, nil)) {
		files[it.Entry.Name] = it.Data
	}
	for name, data := range files {
		if ext := path.Ext(name); ext == ".uasset" || ext == ".umap" {
			base := strings.TrimSuffix(name, ext)
			all = append(all, legacy(t, path.Base(base), data, files[base+".uexp"]))
		}
	}
	return all
}

func scripts(t testing.TB) *unreal.ScriptObjectFacts {
	t.Helper()
	src := codecstest.OpenFile(t, codecstest.Sample(t, fixtures, "global.utoc"))
	it := codecstest.Items(t, codecstest.Open(t, iostore.Format(), src, nil))[0]
	f, err := zen.ReadScriptObjects(bytes.NewReader(it.Data), int64(len(it.Data)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// zenPackages reads the packages of a container.
func zenPackages(t testing.TB, elem ...string) (all []*loaded) {
	t.Helper()
	globals := scripts(t)
	src := codecstest.OpenFile(t, codecstest.Sample(t, elem...))
	for _, it := range codecstest.Items(t, codecstest.Open(t, iostore.Format(), src, nil)) {
		if it.Entry.Type != iostore.TypeExportBundleData {
			continue
		}
		p, err := zen.Read(bytes.NewReader(it.Data), int64(len(it.Data)))
		if err != nil {
			t.Fatal(err)
		}
		out := &loaded{name: path.Base(p.Name), facts: zen.Resolve(&p.PackageFacts, globals)}
		for _, x := range p.Exports {
			out.data = append(out.data, it.Data[x.Offset:x.Offset+x.Size])
		}
		all = append(all, out)
	}
	return all
}

func zenTagged(t testing.TB) []*loaded {
	return zenPackages(t, fixtures, "Zlib", "CUE4ParseFixtures-Minimal-Zlib-Windows.utoc")
}

func zenUnversioned(t testing.TB) []*loaded {
	return zenPackages(t, samples, "cue4parse-UE5_8", "Unversioned-Zlib", "CUE4ParseFixtures-Minimal-Zlib-Windows.utoc")
}

func mappings(t testing.TB, elem ...string) *property.Mappings {
	t.Helper()
	m, err := property.OpenUsmap(codecstest.Sample(t, append([]string{samples}, elem...)...))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func fixtureMappings(t testing.TB) *property.Library {
	return mappings(t, "cue4parse-UE5_8", "CUE4ParseFixtures-Zstandard.usmap").Library()
}

// read reads all exports of packages: first what they declare, then the values.
func read(t testing.TB, all []*loaded, base property.Schemas, engine property.Engine) map[*loaded][]*property.Export {
	t.Helper()
	lib := property.NewLibrary()
	if base != nil {
		lib = property.NewLibrary(base)
	}
	out := map[*loaded][]*property.Export{}
	for pass := range 2 {
		for _, p := range all {
			d := property.NewDecoder(p.facts, property.Options{Engine: engine, Schemas: lib})
			out[p] = nil
			for i := range p.facts.Exports {
				o := &property.Export{}
				d.Export(o, i, p.data[i])
				out[p] = append(out[p], o)
				if pass == 0 && o.Schema != nil {
					lib.Add(o.Schema)
				}
				if pass == 0 && o.Enum != nil {
					lib.AddEnum(o.Enum)
				}
			}
		}
	}
	return out
}

func total(read map[*loaded][]*property.Export) (c property.Coverage) {
	for _, list := range read {
		for _, o := range list {
			c.Add(&o.Coverage)
		}
	}
	return c
}

// hasTruth reports whether a package of the samples has a truth; without samples the
// test is skipped.
func hasTruth(t testing.TB, set, name string) bool {
	t.Helper()
	_, err := os.Stat(filepath.Join(codecstest.Sample(t, samples, "truth"), set, name+".json"))
	return err == nil
}

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares text with a file of testdata, or rewrites that.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Errorf("%s differs, -update rewrites it; now:\n%s", file, got)
	}
}

package zen_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/pkg"
	"pakdb/codecs/iostore"
	"pakdb/codecs/unreal"
	"pakdb/codecs/unreal/zen"
	"pakdb/codecs/unrealpak"
)

const fixtures = "iostore/cue4parse-ue5.8"

func items(t testing.TB, elem ...string) []codecstest.Item {
	t.Helper()
	src := codecstest.OpenFile(t, codecstest.Sample(t, elem...))
	return codecstest.Items(t, codecstest.Open(t, iostore.Format(), src, nil))
}

func minimal(t testing.TB) []codecstest.Item {
	return items(t, fixtures, "Zlib", "CUE4ParseFixtures-Minimal-Zlib-Windows.utoc")
}

func inspect(t testing.TB, it codecstest.Item) *codecs.Facts {
	t.Helper()
	in := zen.Inspector()
	if !in.Match(it.Entry, it.Data[:min(len(it.Data), codecs.HeadSize)]) {
		t.Fatalf("%s (%s) does not match", it.Entry.Name, it.Entry.Type)
	}
	f, err := in.Inspect(context.Background(), bytes.NewReader(it.Data), int64(len(it.Data)), it.Entry)
	if err != nil {
		t.Fatalf("%s: %v", it.Entry.Name, err)
	}
	for _, p := range f.Problems {
		t.Errorf("%s: %v", it.Entry.Name, p)
	}
	return f
}

func scripts(t testing.TB) *unreal.ScriptObjectFacts {
	t.Helper()
	f := inspect(t, items(t, fixtures, "global.utoc")[0])
	return f.Detail.(*unreal.ScriptObjectFacts)
}

// packages are the facts of every package of the sample, by name.
func packages(t testing.TB) map[string]*unreal.PackageFacts {
	t.Helper()
	all := map[string]*unreal.PackageFacts{}
	for _, it := range minimal(t) {
		if it.Entry.Type == iostore.TypeExportBundleData {
			f := inspect(t, it).Detail.(*unreal.PackageFacts)
			all[f.Name] = f
			if id, _ := iostore.PackageOf(it.Entry.ID); id != f.Zen.PackageID {
				t.Errorf("%s: the chunk's id starts with %016x, the name has %016x", f.Name, id, f.Zen.PackageID)
			}
		}
	}
	if len(all) != 97 {
		t.Fatalf("%d packages", len(all))
	}
	return all
}

// Each object of the program has the hash of its path for an id.
func TestScriptObjects(t *testing.T) {
	f := scripts(t)
	if len(f.Objects) != 36979 {
		t.Fatalf("%d objects", len(f.Objects))
	}
	for _, o := range f.Objects {
		path, ok := f.Path(o.ID)
		if !ok || unreal.ScriptObjectID(path) != o.ID {
			t.Fatalf("%016x is %q, %v, which has %016x", o.ID, path, ok, unreal.ScriptObjectID(path))
		}
	}
	if path, ok := f.Path(unreal.ScriptObjectID("/Script/Engine.Actor")); path != "/Script/Engine.Actor" || !ok {
		t.Errorf("Actor is %q, %v", path, ok)
	}
}

// The paths of objects alone give all that resolving needs: outers, and the
// classes that are stored.
func TestScriptObjectsByName(t *testing.T) {
	f := scripts(t)
	g := unreal.ScriptObjectsNamed(func(yield func(uint64, string) bool) {
		for _, o := range f.Objects {
			if path, ok := f.Path(o.ID); !ok || !yield(o.ID, path) {
				return
			}
		}
	})
	classes := 0
	for i, o := range f.Objects {
		if g.Objects[i].ID != o.ID || g.Objects[i].Outer != o.Outer || g.Objects[i].Name != o.Name {
			t.Fatalf("%+v, want %+v", g.Objects[i], o)
		}
		pkg, class, ok := f.ClassOf(o.ID)
		if byPkg, byName, found := g.ClassOf(o.ID); byPkg != pkg || byName != class || found != ok {
			t.Fatalf("%+v is a %s, by name a %s", o, class, byName)
		}
		if class == "Class" {
			classes++
		}
	}
	if pkg, class, ok := f.ClassOf(unreal.ScriptObjectID("/Script/Engine.Default__Actor")); pkg != "/Script/Engine" || class != "Actor" || !ok {
		t.Errorf("Default__Actor is a %s of %s", class, pkg)
	}
	if classes < 1000 {
		t.Errorf("%d classes", classes)
	}
}

// Every import resolves: objects of the program by the ScriptObjects, objects
// of packages by the public hash of an export there, which is the hash of its
// path.
func TestImportsResolve(t *testing.T) {
	f, all := scripts(t), packages(t)
	var program, named, hashed, other int
	for _, p := range all {
		r := zen.Resolve(p, f)
		for i := range r.Imports {
			im := &r.Imports[i]
			switch id := r.Zen.ImportIDs[i]; {
			case im.Flags&unreal.ImportByID != 0:
				t.Logf("%s imports %s", p.Name, path(r, unreal.ObjectRef(-i-1)))
				hashed++
			case id&unreal.ObjectKind == unreal.ObjectScript:
				if got := path(r, unreal.ObjectRef(-i-1)); unreal.ScriptObjectID(got) != id {
					t.Errorf("%s: %s is not %016x", p.Name, got, id)
				}
				program++
			case id&unreal.ObjectKind == unreal.ObjectPackage:
				named++
			default:
				other++
			}
		}
		checkExports(t, r)
	}
	t.Logf("%d objects of the program, %d of packages by name, %d by hash, %d packages", program, named, hashed, other)
	if program == 0 || named == 0 {
		t.Error("nothing resolved")
	}
}

func path(f *unreal.PackageFacts, r unreal.ObjectRef) string {
	p, _ := f.PathOf(r)
	return p
}

// checkExports: public hashes are those of paths, and data lies one after the
// other to the end.
func checkExports(t *testing.T, f *unreal.PackageFacts) {
	t.Helper()
	end := f.HeaderSize
	for i, x := range f.Exports {
		if x.Offset != end {
			t.Errorf("%s: export %d at %d, the one before ends at %d", f.Name, i, x.Offset, end)
		}
		end = x.Offset + x.Size
		got, _ := f.PathOf(unreal.ObjectRef(i + 1))
		if h := f.Zen.PublicHashes[i]; h != 0 && h != unreal.ExportHash(got) {
			t.Errorf("%s: export %d %s has %016x, not %016x", f.Name, i, got, h, unreal.ExportHash(got))
		}
	}
}

// The packages that a legacy pak of the same build holds say the same.
func TestTwins(t *testing.T) {
	f, all := scripts(t), packages(t)
	pak := codecstest.Sample(t, "unreal-pak/cue4parse-ue5.8/LegacyPak/Tagged/Uncompressed/CUE4ParseFixtures-Legacy-Tagged-Uncompressed.pak")
	a := codecstest.Open(t, unrealpak.Format(), codecstest.OpenFile(t, pak), nil)
	twins := 0
	for _, it := range codecstest.Items(t, a) {
		name := unreal.LongName(a.Info().MountPoint + it.Entry.Name)
		if twin := all[name]; twin != nil {
			twins++
			p, err := pkg.Read(context.Background(), bytes.NewReader(it.Data), int64(len(it.Data)))
			if err != nil {
				t.Fatal(err)
			}
			compareTwins(t, &p.PackageFacts, zen.Resolve(twin, f), legacyRefs(t, it))
		}
	}
	if twins != 5 {
		t.Errorf("%d twins", twins)
	}
}

func legacyRefs(t *testing.T, it codecstest.Item) []codecs.Ref {
	f, err := pkg.Inspector().Inspect(context.Background(), bytes.NewReader(it.Data), int64(len(it.Data)), it.Entry)
	if err != nil {
		t.Fatal(err)
	}
	return f.Refs
}

func compareTwins(t *testing.T, legacy, twin *unreal.PackageFacts, refs []codecs.Ref) {
	t.Helper()
	if legacy.ImportCount != twin.ImportCount || legacy.ExportCount != twin.ExportCount {
		t.Errorf("%s: %d imports and %d exports, legacy %d and %d", twin.Name, twin.ImportCount, twin.ExportCount, legacy.ImportCount, legacy.ExportCount)
	}
	if a, b := edgesOf(refs), edgesOf(zen.References(twin)); !slices.Equal(a, b) {
		t.Errorf("%s refers to\n%s\nlegacy to\n%s", twin.Name, strings.Join(b, "\n"), strings.Join(a, "\n"))
	}
	if a, b := objects(legacy), objects(twin); !slices.Equal(a, b) {
		t.Errorf("%s has\n%s\nlegacy\n%s", twin.Name, strings.Join(b, "\n"), strings.Join(a, "\n"))
	}
}

// edgesOf are the references that both kinds of package have.
func edgesOf(refs []codecs.Ref) []string {
	var out []string
	for _, r := range refs {
		switch r.Kind {
		case "import", "zen_import":
			out = append(out, "import "+r.Name)
		case "class", "super", "archetype", "outer":
			out = append(out, r.Kind+" "+r.Name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// objects are the imports and exports by path, with what exports are made of.
func objects(f *unreal.PackageFacts) []string {
	var out []string
	for i := range f.Imports {
		out = append(out, "import "+path(f, unreal.ObjectRef(-i-1)))
	}
	for i, x := range f.Exports {
		out = append(out, strings.Join([]string{"export", path(f, unreal.ObjectRef(i+1)), path(f, x.Class), path(f, x.Super), path(f, x.Archetype)}, " "))
	}
	slices.Sort(out)
	return out
}

// The container's header lists the packages, and what each imports.
func TestContainerHeader(t *testing.T) {
	all := packages(t)
	for _, it := range minimal(t) {
		if it.Entry.Type != iostore.TypeContainerHeader {
			continue
		}
		f := inspect(t, it).Detail.(*unreal.ContainerFacts)
		if len(f.Packages) != len(all) || f.Version != 5 {
			t.Errorf("version %d, %d packages", f.Version, len(f.Packages))
		}
		stored := map[uint64][]uint64{}
		for _, p := range f.Packages {
			stored[p.ID] = p.Imports
		}
		for name, p := range all {
			var want []uint64
			for _, imported := range p.Zen.Packages {
				want = append(want, imported.ID)
			}
			if got, ok := stored[p.Zen.PackageID]; !ok || !slices.Equal(got, want) {
				t.Errorf("%s: the container says %x, the package %x", name, got, want)
			}
		}
	}
}

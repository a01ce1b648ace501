package indexer_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
	"pakdb/indexer"
	"pakdb/internal/testkit"
)

// pack writes an archive of that format; names and contents alternate.
func pack(t testing.TB, path, format string, o codecs.CreateOptions, files ...string) {
	t.Helper()
	f, ok := all.Registry().Format(format)
	if !ok {
		t.Fatalf("no format %s", format)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	w, err := f.Create(out, &o)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(files); i += 2 {
		if err := w.Add(context.Background(), &codecs.Entry{Name: files[i]}, strings.NewReader(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func pkg(imports ...string) codecstest.Package { return codecstest.Package{Imports: imports} }

// using returns the bytes of a package that imports these.
func using(imports ...string) string { return string(pkg(imports...).Bytes()) }

func TestPackagesAreFoundInAllArchives(t *testing.T) {
	dir := t.TempDir()
	pack(t, filepath.Join(dir, "Mod.umod"), "umod", codecs.CreateOptions{}, "System/InUmod.u", using("Core"))
	pack(t, filepath.Join(dir, "Redirect.u.uz2"), "uz2", codecs.CreateOptions{}, "Redirect.u", using("InUmod"))
	pack(t, filepath.Join(dir, "Game.pak"), "unrealpak", codecs.CreateOptions{MountPoint: "../../../Game/Content/"},
		"Maps/InPak.u", using("Redirect", "inumod", "Nowhere"))
	write(t, filepath.Join(dir, "Sub", "Loose.u"), []byte(using("InPak")))
	write(t, filepath.Join(dir, "notes.u"), []byte("no package"))
	c := newCatalog(t)
	c.mustScan(indexer.Options{Label: "1", Paths: []string{dir}})
	c.want("SELECT archive, path, package, engine, version, import_count FROM packages ORDER BY path",
		"Game.pak|Maps/InPak.u|InPak|UE1|69|3", "Redirect.u.uz2|Redirect.u|Redirect|UE1|69|1",
		"Sub/Loose.u|Sub/Loose.u|Loose|UE1|69|1", "Mod.umod|System/InUmod.u|InUmod|UE1|69|1")
	c.want("SELECT path, kind, target_kind, target, target_path, status FROM dependencies ORDER BY path, seq",
		"Maps/InPak.u|import|package|Redirect|Redirect.u|resolved",
		"Maps/InPak.u|import|package|inumod|System/InUmod.u|resolved",
		"Maps/InPak.u|import|package|Nowhere||missing",
		"Redirect.u|import|package|InUmod|System/InUmod.u|resolved",
		"Sub/Loose.u|import|package|InPak|Maps/InPak.u|resolved",
		"System/InUmod.u|import|package|Core||missing")
}

// Assets are known by their long names, which mount points begin.
func TestLongPackageNames(t *testing.T) {
	dir := t.TempDir()
	pack(t, filepath.Join(dir, "Base.pak"), "unrealpak", codecs.CreateOptions{MountPoint: "../../../Game/Content/"},
		"A.uasset", using("/Game/Sub/B"), "Sub/B.uasset", using("/Engine/E", "/Script/Engine"))
	pack(t, filepath.Join(dir, "Engine.pak"), "unrealpak", codecs.CreateOptions{MountPoint: "../../../"},
		"Engine/Content/E.uasset", using("/game/a"))
	write(t, filepath.Join(dir, "Project", "Content", "L.umap"), []byte(using("/Game/A")))
	c := newCatalog(t)
	c.mustScan(indexer.Options{Label: "1", Paths: []string{dir}})
	c.want("SELECT package FROM packages ORDER BY 1", "/Engine/E", "/Game/A", "/Game/L", "/Game/Sub/B")
	c.want("SELECT path, target, target_path, status FROM dependencies WHERE status = 'resolved' ORDER BY path",
		"A.uasset|/Game/Sub/B|Sub/B.uasset|resolved", "Engine/Content/E.uasset|/game/a|A.uasset|resolved",
		"Project/Content/L.umap|/Game/A|A.uasset|resolved", "Sub/B.uasset|/Engine/E|Engine/Content/E.uasset|resolved")
}

func TestPackageConflicts(t *testing.T) {
	dir := t.TempDir()
	long := codecs.CreateOptions{MountPoint: "../../../"}
	// Twin: two contents, nothing decides. Copy: one content twice. Patched: the
	// patch decides, whatever its mount point. All are named by User.
	pack(t, filepath.Join(dir, "A.pak"), "unrealpak", long,
		"G/Content/Twin.uasset", using("A"), "G/Content/Copy.uasset", using("C"), "G/Content/Patched.uasset", using("P"))
	pack(t, filepath.Join(dir, "B.pak"), "unrealpak", long,
		"G/Content/Twin.uasset", using("B"), "G/Content/Copy.uasset", using("C"))
	pack(t, filepath.Join(dir, "B_0_P.pak"), "unrealpak", codecs.CreateOptions{MountPoint: "../../../G/Content/"},
		"Patched.uasset", using("Q"))
	write(t, filepath.Join(dir, "User.u"), []byte(using("/Game/Twin", "/Game/COPY", "/Game/Patched")))
	c := newCatalog(t)
	c.mustScan(indexer.Options{Label: "1", Paths: []string{dir}})
	c.want("SELECT target, target_path, status FROM dependencies WHERE path = 'User.u' ORDER BY seq",
		"/Game/Twin|G/Content/Twin.uasset|ambiguous", "/Game/COPY|G/Content/Copy.uasset|resolved",
		"/Game/Patched|Patched.uasset|resolved")
}

// Names are pooled over scans: the second one finds those of the first.
func TestNamePool(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "A.u"), []byte(using("Shared", "shared", "First")))
	c := newCatalog(t)
	c.mustScan(indexer.Options{Label: "1", Paths: []string{dir}})
	write(t, filepath.Join(dir, "B.u"), []byte(using("Shared", "shared", "Second")))
	c.mustScan(indexer.Options{Label: "2", Paths: []string{dir}})
	c.want("SELECT count(*), count(DISTINCT name) FROM x_name", "7|7") // Core First None Package Second Shared shared; A and B follow from their paths
}

// A renamed file is another package, although it was scanned before.
func TestRenamedPackage(t *testing.T) {
	testkit.NotShort(t)
	dir := t.TempDir()
	old, renamed := filepath.Join(dir, "Old.u"), filepath.Join(dir, "New.u")
	write(t, old, []byte(using("Core")))
	c := newCatalog(t)
	c.mustScan(indexer.Options{Label: "1", Paths: []string{dir}})
	if err := os.Rename(old, renamed); err != nil {
		t.Fatal(err)
	}
	c.mustScan(indexer.Options{Label: "2", Paths: []string{dir}})
	c.want("SELECT build, package, path FROM packages ORDER BY 1", "1|Old|Old.u", "2|New|New.u")
	if r := c.mustScan(indexer.Options{Label: "3", Paths: []string{dir}}); r.Reused != 1 {
		t.Errorf("%d reused, want 1", r.Reused)
	}
}

func TestPackageWithDamage(t *testing.T) {
	dir := t.TempDir()
	b := []byte(using("Core", "Engine.Actor"))
	write(t, filepath.Join(dir, "Cut.u"), b[:len(b)-8])
	write(t, filepath.Join(dir, "Tag.u"), bytes.Clone(b[:20]))
	c := newCatalog(t)
	c.mustScan(indexer.Options{Label: "1", Paths: []string{dir}})
	c.want("SELECT path, name_count FROM packages ORDER BY path", "Cut.u|6", "Tag.u|0")
	c.want("SELECT DISTINCT path FROM problems ORDER BY path", "Cut.u", "Tag.u")
}

// Any byte of a package may be wrong: what can be told is told, and the scan
// goes on.
func TestPackagesWithWrongBytes(t *testing.T) {
	whole := codecstest.Package{Imports: []string{"Core.Object", "A.B.C"}, Exports: []codecstest.Export{
		{Name: "One", Class: "A.B.C", Data: "data"}, {Name: "Two", Super: "Core.Object"}}}.Bytes()
	dir := t.TempDir()
	for i := 0; i < len(whole); i += testkit.Of(7, 1) {
		for _, v := range []byte{0x00, 0x7F, 0x81, 0xFF} {
			b := bytes.Clone(whole)
			b[i] = v
			write(t, filepath.Join(dir, fmt.Sprintf("P%03d_%02x.u", i, v)), b)
		}
	}
	c := newCatalog(t)
	c.mustScan(indexer.Options{Label: "1", Paths: []string{dir}})
	c.want("SELECT DISTINCT cause FROM problems WHERE cause LIKE '%internal%'")
	c.want("SELECT count(*) FROM imports WHERE full_name IS NULL OR class IS NULL", "0")
	c.want("SELECT count(*) > 0 FROM exports WHERE class LIKE '<bad import %'", "1")
}

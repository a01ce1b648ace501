package pkg_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/internal/pkg"
	"pakdb/codecs/unreal"
)

// A cooked UE3 package holds objects of other packages: the root of their
// outers is a forced Package, and imports may lie in it too.
func TestForcedExports(t *testing.T) {
	b := tiny(868)
	b.names = append(b.names, unreal.PackageName{Text: "Other"})
	b.imports = append(b.imports,
		unreal.PackageImport{ClassPackage: unreal.ObjectName{Index: 1}, Class: unreal.ObjectName{Index: 3}, Outer: -1, Name: unreal.ObjectName{Index: 2}},
		unreal.PackageImport{ClassPackage: unreal.ObjectName{Index: 1}, Class: unreal.ObjectName{Index: 3}, Outer: 3, Name: unreal.ObjectName{Index: 4}})
	b.exports = append(b.exports,
		unreal.PackageExport{Class: -3, Name: unreal.ObjectName{Index: 6}, ExportFlags: unreal.ExportForced},
		unreal.PackageExport{Class: -2, Outer: 3, Name: unreal.ObjectName{Index: 5, Number: 8}})
	b.data = append(b.data, nil, nil)
	b.depends = append(b.depends, nil, nil)
	f := inspectBytes(t, b.bytes(t))
	p := f.Detail.(*unreal.PackageFacts)
	for _, c := range []struct {
		ref    unreal.ObjectRef
		path   string
		rooted bool
	}{
		{1, "Mine", false}, {2, "Mine.Mine", false}, {4, "Other.Mine_7", true}, {-2, "Core.Object", true}, {-4, "Other.Object", true},
		{0, "", false},
	} {
		if path, rooted := p.PathOf(c.ref); path != c.path || rooted != c.rooted {
			t.Errorf("path of %d = %q, %v; want %q, %v", c.ref, path, rooted, c.path, c.rooted)
		}
	}
	if len(f.Symbols) != 1 || f.Symbols[0] != (codecs.Symbol{Space: "package", Name: "Other"}) {
		t.Errorf("symbols %v", f.Symbols)
	}
	for _, r := range f.Refs {
		if r.Name != "Core" {
			t.Errorf("reference %v; Other lies in the file", r)
		}
	}
}

// What points nowhere is rendered, not followed.
func TestBadReferences(t *testing.T) {
	f := &unreal.PackageFacts{
		Engine:  "UE4",
		Names:   []unreal.PackageName{{Text: "A"}},
		Imports: []unreal.PackageImport{{Outer: -1}, {Outer: -9}, {Outer: -1 << 31}},
		Exports: []unreal.PackageExport{{Outer: 2}, {Outer: 1}, {Name: unreal.ObjectName{Index: 5}, Class: 9}, {Name: unreal.ObjectName{Number: 3}, Outer: 3}},
	}
	for _, c := range []struct {
		ref  unreal.ObjectRef
		path string
	}{
		{-2, "<bad import 8>.A"}, {-3, "<bad import 2147483647>.A"}, {3, "<bad name 5>"}, {4, "<bad name 5>:A_2"}, {1<<31 - 1, "<bad export 2147483646>"},
	} {
		if path, _ := f.PathOf(c.ref); path != c.path {
			t.Errorf("path of %d = %q, want %q", c.ref, path, c.path)
		}
	}
	if path, _ := f.PathOf(1); path[:7] != "<loop>." || f.RootOf(1) != 0 {
		t.Errorf("loop: %q", path)
	}
	equal(t, "class", f.ClassOf(2), "<bad export 8>")
	equal(t, "bare number", (&unreal.PackageFacts{Names: f.Names, BareNumbers: true}).NameOf(unreal.ObjectName{Number: 6}), "A5")
	equal(t, "soft path", unreal.SoftObject{Package: "/Game/A", Asset: "A", Sub: "B"}.Path(), "/Game/A.A:B")
}

func inspectBytes(t testing.TB, raw []byte) *codecs.Facts {
	t.Helper()
	f, err := pkg.Inspector().Inspect(context.Background(), bytes.NewReader(raw), int64(len(raw)), &codecs.Entry{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range f.Problems {
		t.Error(p)
	}
	return f
}

// A disk that fails is no damaged package.
func TestUnreadable(t *testing.T) {
	errDisk := errors.New("input/output error")
	for _, version := range []int{69, 868} {
		b := tiny(version)
		b.fit()
		raw := b.bytes(t)
		r := readerFunc(func(p []byte, off int64) (int, error) {
			if off+int64(len(p)) > 40 {
				return 0, errDisk
			}
			return bytes.NewReader(raw).ReadAt(p, off)
		})
		if _, err := pkg.Read(context.Background(), r, int64(len(raw))); !errors.Is(err, errDisk) {
			t.Errorf("%d: %v", version, err)
		}
	}
}

type readerFunc func([]byte, int64) (int, error)

func (f readerFunc) ReadAt(p []byte, off int64) (int, error) { return f(p, off) }

func TestMatch(t *testing.T) {
	in := pkg.Inspector()
	for _, c := range []struct {
		name, head string
		want       bool
	}{
		{"a.bin", "\xC1\x83\x2A\x9E\x45\x00\x00\x00", true},
		{"a.bin", "\x9E\x2A\x83\xC1\x00\x00\x00\x45", true},
		{"a.uasset", "ACE7....", true},
		{"a.txt", "ACE7....", false},
		{"a.utx", "L\x00i\x00n\x00e\x00", true},
		{"a.upk", "", false},
		{"a.upk", "\xC1\x83\x2A", false},
		{"a.uasset", "\x00\x00\x00\x00\x00\x00\x00\x00", false},
	} {
		if got := in.Match(&codecs.Entry{Name: c.name}, []byte(c.head)); got != c.want {
			t.Errorf("%s %q: %v", c.name, c.head, got)
		}
	}
}

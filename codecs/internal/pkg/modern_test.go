package pkg_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/internal/pkg"
	"pakdb/codecs/unreal"
)

// assets are all layouts of UE4 and UE5 from 4.7 on.
func assets() (out []asset) {
	for _, v := range []int{434, 451, 482, 498, 504, 505, 507, 508, 510, 511, 513, 514, 516, 517, 518, 519, 520, 522} {
		out = append(out, asset{ue4: v})
	}
	for _, v := range []int{1000, 1001, 1002, 1003, 1004, 1005, 1006, 1008, 1009, 1010, 1012, 1013, 1014, 1015, 1016, 1017, 1018} {
		out = append(out, asset{ue4: 522, ue5: v})
	}
	return out
}

func TestAssetVersions(t *testing.T) {
	for _, a := range assets() {
		for _, cooked := range []bool{false, true} {
			a.cooked, a.split = cooked, cooked
			if a.ue4 < 511 || !cooked && a.ue4 >= 521 {
				a.split = false
			}
			t.Run(fmt.Sprintf("%+v", a), func(t *testing.T) { checkAsset(t, mustRead(t, a.bytes(t)), a) })
		}
	}
	a := asset{ue4: 522, ue5: 1018, cooked: true, split: true, package8: true}
	checkAsset(t, mustRead(t, a.bytes(t)), a)
}

func checkAsset(t *testing.T, p *pkg.Package, a asset) {
	t.Helper()
	for _, e := range p.Problems {
		t.Errorf("problem: %v", e)
	}
	if len(p.Names) != 7 || len(p.Imports) != 2 || len(p.Exports) != 1 {
		t.Fatalf("%d names, %d imports, %d exports", len(p.Names), len(p.Imports), len(p.Exports))
	}
	path, rooted := p.PathOf(1)
	equal(t, "path", path, "T_Test_2")
	equal(t, "rooted", rooted, false)
	equal(t, "class", p.ClassOf(0), "Texture2D")
	equal(t, "name", p.Name, "/Game/T_Test")
	equal(t, "engine version", p.EngineVersion, "4.27.2-1234+++UE4+Test")
	equal(t, "split", p.Split, a.split)
	want := unreal.ExportNotForClient
	if a.ue4 >= 485 {
		want |= unreal.ExportAsset
	}
	equal(t, "export flags", p.Exports[0].ExportFlags, want)
	equal(t, "depends", len(p.Depends.At(0)), 1)
	equal(t, "spans", len(p.PreloadSpans) == 1, a.ue4 >= 507)
	if a.ue5 < 1016 {
		equal(t, "guid", p.GUID.String(), "0000000a0000000b0000000c0000000d")
	}
	equal(t, "editor only", p.Imports[0].Flags&unreal.ImportEditor != 0, false)
}

// Cooked packages without versions, of every layout.
func TestErasedVersions(t *testing.T) {
	for _, a := range assets() {
		a.cooked = true
		if a.ue4 < 482 {
			continue
		}
		raw := a.bytes(t)
		binary.LittleEndian.PutUint32(raw[12:], 0)
		if a.ue5 > 0 {
			binary.LittleEndian.PutUint32(raw[16:], 0)
		}
		p := mustRead(t, raw)
		if !p.Unversioned {
			t.Errorf("%+v: not unversioned", a)
		}
		checkAsset(t, p, a)
	}
}

func TestMalformedAsset(t *testing.T) {
	good := asset{ue4: 522, ue5: 1012}.bytes(t)
	p := mustRead(t, good)
	exports, imports := int(p.Summary.Exports.Offset), int(p.Summary.Imports.Offset)
	const counts = 73 // of names; the header size stands before the name
	for _, c := range []struct {
		name  string
		in    []byte
		class error
		field string
		off   int64
	}{
		{"summary cut", good[:100], codecs.ErrTruncated, "summary", -2},
		{"header size too large", put(good, 48, 1<<30), codecs.ErrTruncated, "header_size", 8},
		{"header size too small", put(good, 48, uint32(p.HeaderSize-1)), codecs.ErrNonStrict, "header", p.HeaderSize - 1},
		{"import in nothing", put(good, imports+16, 99), codecs.ErrCorrupt, "imports[0].outer", int64(imports)},
		{"import without a package", put(good, imports+8, 3), codecs.ErrNonStrict, "imports[0].class", int64(imports)},
		{"export of an unknown class", put(good, exports, 77), codecs.ErrCorrupt, "exports[0].class", int64(exports)},
		{"depends on nothing", put(good, int(p.Summary.Depends.Offset)+4, 99), codecs.ErrCorrupt, "depends", p.Summary.Depends.Offset},
		{"preloads nothing", put(good, int(p.Summary.Preload.Offset), 99), codecs.ErrCorrupt, "preload", p.Summary.Preload.Offset},
		{"no tag at the end", put(good, len(good)-4, 0), codecs.ErrNonStrict, "end", int64(len(good)) - 4},
		{"bits for other tables", put(good, int(p.Summary.AssetRegistry)+12, 3), codecs.ErrNonStrict, "asset_registry", p.Summary.AssetRegistry},
		{"legacy version -1", put(good, 4, 0xFFFFFFFF), codecs.ErrCorrupt, "version", 0},
		{"of the future", put(put(good, 16, 2000), counts, 1), errors.ErrUnsupported, "version", 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := mustRead(t, c.in)
			for _, e := range p.Problems {
				if errors.Is(e, c.class) && e.Field == c.field && (e.Off == c.off || c.off == -2) {
					return
				}
			}
			t.Errorf("problems %v; want %v of %s at 0x%x", p.Problems, c.class, c.field, c.off)
		})
	}
}

func FuzzAsset(f *testing.F) {
	for _, a := range []asset{{ue4: 482}, {ue4: 522}, {ue4: 522, ue5: 1004}, {ue4: 522, ue5: 1012}, {ue4: 522, ue5: 1018}} {
		f.Add(a.bytes(f))
		a.cooked, a.split = true, a.ue4 >= 511
		f.Add(a.bytes(f))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		checkCost(t, raw)
		_, _ = pkg.Inspector().Inspect(context.Background(), bytes.NewReader(raw), int64(len(raw)), &codecs.Entry{})
	})
}

package pkg_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/pkg"
	"pakdb/codecs/unreal"
)

func inspected(t testing.TB, b []byte) *codecs.Facts {
	t.Helper()
	f, err := pkg.Inspector().Inspect(context.Background(), bytes.NewReader(b), int64(len(b)), &codecs.Entry{Name: "A.uasset"})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func digestOf(t testing.TB, b []byte) *codecs.PartDigest {
	t.Helper()
	d := inspected(t, b).Digest
	if d == nil {
		t.Fatal("no digest")
	}
	return d
}

// What every save writes anew is noise wherever a version keeps it.
func TestDigestLeavesGUIDsOut(t *testing.T) {
	for _, a := range []asset{{ue4: 434}, {ue4: 518}, {ue4: 522}, {ue4: 522, cooked: true}, {ue4: 522, ue5: 1009}, {ue4: 522, ue5: 1017}} {
		before := a.bytes(t)
		d := digestOf(t, before)
		guid := binary.LittleEndian.AppendUint32(nil, 10)
		guid = binary.LittleEndian.AppendUint32(guid, 11)
		at := bytes.Index(before, guid)
		if a.ue5 >= 1016 {
			at = 28 // the hash of the package, in place of the GUID
		}
		if at < 0 {
			t.Fatalf("%+v: no GUID", a)
		}
		after := slices.Clone(before)
		after[at] ^= 0xff
		if got := digestOf(t, after); got.Essence != d.Essence || !slices.Equal(got.Parts, d.Parts) {
			t.Errorf("%+v: another GUID is another essence", a)
		}
		after = slices.Clone(before)
		after[len(after)-6] ^= 1 // in the data of the export
		got := digestOf(t, after)
		if got.Essence == d.Essence || slices.Equal(got.Parts, d.Parts) {
			t.Errorf("%+v: another export has the same digest", a)
		}
	}
}

// Every byte of the tables that is not noise makes another essence.
func TestDigestSeesTheRest(t *testing.T) {
	before := asset{ue4: 522, cooked: true}.bytes(t)
	d := digestOf(t, before)
	blind := 0
	for i := range before {
		after := slices.Clone(before)
		after[i] ^= 1
		f, err := pkg.Inspector().Inspect(context.Background(), bytes.NewReader(after), int64(len(after)), &codecs.Entry{Name: "A.uasset"})
		if err == nil && f.Digest != nil && f.Digest.Essence == d.Essence {
			blind++
		}
	}
	if want := 16 + 7*4 + 16; blind != want { // the GUID, hashes of seven names, the GUID of one export
		t.Errorf("%d bytes do not count, want %d", blind, want)
	}
}

func TestDigestOfSplitPackage(t *testing.T) {
	a := asset{ue4: 522, cooked: true}
	whole := a.bytes(t)
	a.split = true
	header := a.bytes(t)
	body := whole[len(header):]
	f := inspected(t, header)
	if f.Body == nil || f.Digest == nil || f.Digest.Parts != nil {
		t.Fatalf("digest %v, body %t", f.Digest, f.Body != nil)
	}
	d, err := f.Body(context.Background(), bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	if want := digestOf(t, whole).Parts; !slices.Equal(d.Parts, want) {
		t.Errorf("exports %x, in one file %x", d.Parts, want)
	}
	d, err = f.Body(context.Background(), bytes.NewReader(nil), 0)
	if err != nil || d.Parts != nil {
		t.Errorf("of nothing: %v, %v", d, err)
	}
}

// A property that is a GUID is recognised by its tag, in UE3 and in UE4.
func TestDigestLeavesGUIDPropertiesOut(t *testing.T) {
	for _, version := range []string{"UE3", "UE4"} {
		property := func(value byte, padding int) []byte {
			var b []byte
			for _, v := range []uint32{5, 0, 1, 0, 16, 3, 2, 0} { // name, StructProperty, size, place in an array, Guid
				b = binary.LittleEndian.AppendUint32(b, v)
			}
			return append(append(b, make([]byte, padding)...), bytes.Repeat([]byte{value}, 16)...)
		}
		facts := &unreal.PackageFacts{Exports: []unreal.PackageExport{{Offset: 0, Size: 80}}}
		padding := 17
		if version == "UE3" {
			padding = 0
		}
		mask := pkg.GUIDMask(version, []unreal.PackageName{{Text: "None"}, {Text: "StructProperty"}, {Text: "Guid"}})
		sum := func(b []byte) uint64 {
			b = append(b, make([]byte, 80-len(b))...)
			d, err := facts.Digest(context.Background(), bytes.NewReader(b), 0, 80, nil, mask)
			if err != nil {
				t.Fatal(err)
			}
			return d.Parts[0]
		}
		if sum(property(1, padding)) != sum(property(2, padding)) {
			t.Errorf("%s: the value of the GUID counts", version)
		}
		other := property(1, padding)
		other[0]++
		if sum(property(1, padding)) == sum(other) {
			t.Errorf("%s: the name of the property does not count", version)
		}
	}
}

// Real packages have digests, and one for each of their exports.
func TestDigestOfSamples(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(codecstest.Sample(t, "unreal-package"), "*", "*", "*.uasset"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f := inspected(t, b)
		d, p := f.Digest, f.Detail.(*unreal.PackageFacts)
		if d == nil || len(d.Parts) != len(p.Exports) {
			t.Errorf("%s: %v", file, d)
			continue
		}
		for i, sum := range d.Parts {
			if (sum == 0) != (p.Exports[i].Size == 0) {
				t.Errorf("%s: export %d of %d bytes: %x", file, i, p.Exports[i].Size, sum)
			}
		}
	}
}

func BenchmarkInspectWithDigest(b *testing.B) {
	raw, err := os.ReadFile(codecstest.Sample(b, "unreal-package", "GUI_v859.upk"))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		inspected(b, raw)
	}
}

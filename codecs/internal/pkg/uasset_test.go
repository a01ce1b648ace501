package pkg_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/pkg"
	"pakdb/codecs/unreal"
)

var tagBytes = []byte{0xC1, 0x83, 0x2A, 0x9E}

// cooked returns the headers of cooked packages that lie in sample paks, found
// by their tag, in the pak itself and in its zlib blocks. All are split.
func cooked(t testing.TB) (headers [][]byte) {
	t.Helper()
	for _, name := range []string{
		"pairs/integration_new.pak", "pairs/sandboxutilities_new_P.pak",
		"cue4parse-ue5.8/LegacyPak/Tagged/Uncompressed/CUE4ParseFixtures-Legacy-Tagged-Uncompressed.pak",
	} {
		pak, err := os.ReadFile(codecstest.Sample(t, "unreal-pak", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		headers = append(headers, tagged(pak)...)
		for at := range pak {
			if pak[at] == 0x78 && at+1 < len(pak) && (0x7800+int(pak[at+1]))%31 == 0 {
				headers = append(headers, tagged(inflate(pak[at:]))...)
			}
		}
	}
	return headers
}

func inflate(b []byte) []byte {
	z, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil
	}
	out, err := io.ReadAll(io.LimitReader(z, 1<<20))
	if err != nil {
		return nil
	}
	return out
}

// tagged cuts out what starts with the tag and a negative version, as long as
// the header says.
func tagged(b []byte) (out [][]byte) {
	for {
		at := bytes.Index(b, tagBytes)
		if at < 0 || len(b)-at < 64 {
			return out
		}
		b = b[at:]
		if int32(binary.LittleEndian.Uint32(b[4:])) < 0 {
			if n := headerSize(b); n > 64 && n <= len(b) {
				out = append(out, b[:n])
			}
		}
		b = b[4:]
	}
}

// headerSize returns the header size of a package without reading its tables:
// it follows the custom versions.
func headerSize(b []byte) int {
	if binary.LittleEndian.Uint32(b[4:]) == 0xFFFFFFF7 { // -9: behind the saved hash
		return int(binary.LittleEndian.Uint32(b[44:]))
	}
	at := 24 + 20*int(binary.LittleEndian.Uint32(b[20:]))
	if at < 0 || at+4 > len(b) {
		return 0
	}
	return int(binary.LittleEndian.Uint32(b[at:]))
}

// Cooked packages with their versions, and the same with the versions erased:
// the layout is found by what must hold.
func TestUnversioned(t *testing.T) {
	headers := cooked(t)
	if len(headers) < 100 {
		t.Fatalf("only %d packages found", len(headers))
	}
	for i, h := range headers {
		want := mustRead(t, h)
		for _, p := range want.Problems {
			t.Errorf("%d: %v", i, p)
		}
		if want.Unversioned || !want.Split || len(want.Exports) == 0 {
			t.Errorf("%d: unversioned %v, split %v, %d exports", i, want.Unversioned, want.Split, len(want.Exports))
		}
		bare := bytes.Clone(h)
		binary.LittleEndian.PutUint32(bare[12:], 0)
		if want.LegacyVersion <= -8 {
			binary.LittleEndian.PutUint32(bare[16:], 0)
		}
		got := mustRead(t, bare)
		if !got.Unversioned || len(got.Problems) > 0 {
			t.Errorf("%d: unversioned %v, layout %q, problems %v", i, got.Unversioned, got.Layout, got.Problems)
		}
		if !reflect.DeepEqual(got.Names, want.Names) || !reflect.DeepEqual(got.Imports, want.Imports) ||
			!reflect.DeepEqual(got.Exports, want.Exports) || !reflect.DeepEqual(got.PreloadSpans, want.PreloadSpans) {
			t.Errorf("%d: tables differ by layout %q", i, got.Layout)
		}
	}
}

// A package cut at its header has its data elsewhere.
func TestSplit(t *testing.T) {
	raw, err := os.ReadFile(codecstest.Sample(t, "unreal-package", "uasset-rs", "UE427", "SimpleRefsGraphRef.uasset"))
	if err != nil {
		t.Fatal(err)
	}
	whole := mustRead(t, raw)
	split := mustRead(t, raw[:whole.HeaderSize])
	if whole.Split || !split.Split || len(split.Problems) > 0 {
		t.Fatalf("whole split %v, header split %v, problems %v", whole.Split, split.Split, split.Problems)
	}
	rest := raw[whole.HeaderSize:]
	uexp := io.NewSectionReader(bytes.NewReader(rest), 0, int64(len(rest)))
	for i := range whole.Exports {
		r, err := split.OpenExport(i, uexp)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(got, exportData(t, whole, i)) {
			t.Errorf("export %d: %d bytes, %v", i, len(got), err)
		}
	}
	if _, err := split.OpenExport(0, nil); err == nil {
		t.Error("export of a split package opened without the .uexp")
	}
}

// Versions that came later are read as long as the tables hold together.
func TestNewerVersion(t *testing.T) {
	raw, err := os.ReadFile(codecstest.Sample(t, "unreal-package", "uasset-rs", "UE427", "SimpleRefsGraphRef.uasset"))
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint32(raw[12:], 530)
	p := mustRead(t, raw)
	if len(p.Exports) != 6 || len(p.Problems) != 1 {
		t.Errorf("%d exports, problems %v", len(p.Exports), p.Problems)
	}
}

// What the asset registry says of use by the game, and paths as the engine
// prints them.
func TestReferences(t *testing.T) {
	f := inspect(t, "uasset-rs/UE56/SimpleRefsRoot.uasset")
	want := []codecs.Ref{
		{Kind: "import", Space: "package", Name: "/Game/SimpleRefs/SimpleRefsDefaultsRef"},
		{Kind: "import", Space: "package", Name: "/Game/SimpleRefs/SimpleRefsGraphRef"},
		{Kind: "import", Space: "package", Name: "/Script/BlueprintGraph", Flags: codecs.Native | codecs.Editor},
		{Kind: "import", Space: "package", Name: "/Script/CoreUObject", Flags: codecs.Native},
		{Kind: "import", Space: "package", Name: "/Script/Engine", Flags: codecs.Native},
		{Kind: "import", Space: "package", Name: "/Script/UnrealEd", Flags: codecs.Native | codecs.Editor},
	}
	if len(f.Refs) < len(want) || !reflect.DeepEqual(f.Refs[:len(want)], want) {
		t.Errorf("references start with %v, want %v", f.Refs, want)
	}
	if len(f.Symbols) != 1 || f.Symbols[0].Name != "/Game/SimpleRefs/SimpleRefsRoot" {
		t.Errorf("symbols %v", f.Symbols)
	}

	f = inspect(t, "uasset-reader-js/ue57/Actor.uasset")
	p := f.Detail.(*unreal.PackageFacts)
	path, rooted := p.PathOf(1)
	const actor = "/Game/ThirdPerson/Lvl_ThirdPerson.Lvl_ThirdPerson:PersistentLevel.StaticMeshActor_UAID_F4A475FF15A3736A02_1961941707"
	if path != actor || !rooted {
		t.Errorf("path %q, rooted %v", path, rooted)
	}
	outer := codecs.Ref{Kind: "outer", Space: "package", Name: "/Game/ThirdPerson/Lvl_ThirdPerson"}
	if last := f.Refs[len(f.Refs)-1]; last != outer {
		t.Errorf("last reference %v, want %v", last, outer)
	}
}

// Core's own classes are native, and so is a package of which no more is used.
func TestNativeClasses(t *testing.T) {
	f := inspect(t, "HeadExplo_v120_28.u")
	p := f.Detail.(*unreal.PackageFacts)
	native := map[string]bool{}
	for i, e := range p.Imports {
		path, _ := p.PathOf(unreal.ObjectRef(-i - 1))
		native[path] = e.Flags&unreal.ImportNative != 0
	}
	for path, want := range map[string]bool{"Core.Package": false, "Core.Function": true, "Engine": false} {
		if got, ok := native[path]; ok && got != want {
			t.Errorf("%s native %v, want %v", path, got, want)
		}
	}
	for _, r := range f.Refs {
		if r.Name == "Engine" && r.Flags != 0 {
			t.Errorf("%v is not native as a whole", r)
		}
	}
}

func inspect(t testing.TB, name string) *codecs.Facts {
	t.Helper()
	raw, err := os.ReadFile(codecstest.Sample(t, "unreal-package", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	e := &codecs.Entry{Name: name}
	in := pkg.Inspector()
	if !in.Match(e, raw[:min(len(raw), codecs.HeadSize)]) {
		t.Fatalf("%s is not recognised", name)
	}
	f, err := in.Inspect(context.Background(), bytes.NewReader(raw), int64(len(raw)), e)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

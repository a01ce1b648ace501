package zen_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/iostore"
	"pakdb/codecs/unreal"
	"pakdb/codecs/unreal/zen"
)

const patchPair = "iostore/patch-pair"

// The headers of the engine's own containers come out byte for byte.
func TestContainersRewritten(t *testing.T) {
	n := 0
	for _, it := range append(minimal(t), append(items(t, patchPair, "CUE4ParseFixtures-PatchBase.utoc"),
		items(t, patchPair, "CUE4ParseFixtures-PatchBase_0_P.utoc")...)...) {
		if it.Entry.Type != iostore.TypeContainerHeader {
			continue
		}
		n++
		f := inspect(t, it).Detail.(*unreal.ContainerFacts)
		raw, err := zen.AppendContainerHeader(nil, f)
		if err != nil || !bytes.Equal(raw, it.Data) {
			t.Errorf("%s: %d bytes, %v, want %d:\n%x\n%x", it.Entry.Name, len(raw), err, len(it.Data), raw, it.Data)
		}
	}
	if n != 3 {
		t.Errorf("%d headers", n)
	}
}

// A patch made from the base and the changed chunk is the engine's own patch,
// byte for byte where the data is.
func TestPatchRemade(t *testing.T) {
	base := codecstest.Open(t, iostore.Format(), codecstest.OpenFile(t, codecstest.Sample(t, patchPair, "CUE4ParseFixtures-PatchBase.utoc")), nil)
	patchPath := codecstest.Sample(t, patchPair, "CUE4ParseFixtures-PatchBase_0_P.utoc")
	patch := codecstest.Open(t, iostore.Format(), codecstest.OpenFile(t, patchPath), nil)
	name := filepath.Base(patchPath)

	var header *unreal.ContainerFacts
	for _, it := range codecstest.Items(t, base) {
		if it.Entry.Type == iostore.TypeContainerHeader {
			header = inspect(t, it).Detail.(*unreal.ContainerFacts)
		}
	}
	out := filepath.Join(t.TempDir(), name)
	o, err := iostore.Overlay(base, name)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	err = codecs.WriteFile(ctx, out, iostore.Format(), o, func(w codecs.Writer) error {
		packages := map[uint64]bool{}
		for e, err := range patch.Entries() {
			if err != nil || e.Type == iostore.TypeContainerHeader {
				continue
			}
			id, _ := iostore.PackageOf(e.ID)
			packages[id] = true
			raw, err := patch.OpenRaw(e)
			if err != nil {
				return err
			}
			if err := w.AddRaw(ctx, e, raw); err != nil {
				return err
			}
		}
		id := iostore.ContainerID(name)
		b, err := zen.AppendContainerHeader(nil, unreal.Overriding(id, func(pkg uint64) bool { return packages[pkg] }, header))
		if err != nil {
			return err
		}
		return w.Add(ctx, iostore.HeaderEntry(id), bytes.NewReader(b))
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, ext := range []string{".utoc", ".ucas"} {
		got, want := readFile(t, out[:len(out)-5]+ext), readFile(t, patchPath[:len(patchPath)-5]+ext)
		if !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, the engine's has %d", ext, len(got), len(want))
		}
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

package iostore_test

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/iostore"
)

const fixtures = "iostore/cue4parse-ue5.8"

// minimal opens one of the three twins: Uncompressed, Zlib, Oodle.
func minimal(t testing.TB, kind string) codecs.Archive {
	t.Helper()
	path := codecstest.Sample(t, fixtures, kind, "CUE4ParseFixtures-Minimal-"+kind+"-Windows.utoc")
	return codecstest.Open(t, iostore.Format(), codecstest.OpenFile(t, path), nil)
}

// samples are all containers of the engine's own.
func samples(t testing.TB) []string {
	t.Helper()
	dir := codecstest.Sample(t, "iostore")
	var all []string
	for _, pattern := range []string{"cue4parse-ue5.8/*.utoc", "cue4parse-ue5.8/*/*.utoc", "patch-pair/*.utoc"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	if len(all) != 6 {
		t.Fatalf("%d containers, 6 expected", len(all))
	}
	return all
}

// Every chunk of every sample reads, and has the hash that the TOC declares.
func TestSamples(t *testing.T) {
	entries := 0
	for _, path := range samples(t) {
		a := codecstest.Open(t, iostore.Format(), codecstest.OpenFile(t, path), nil)
		for _, w := range a.Info().Warnings {
			t.Errorf("%s: %v", path, w)
		}
		for _, it := range codecstest.Items(t, a) {
			entries++
			if it.Entry.Sum.Kind != codecs.BLAKE3Decoded || len(it.Entry.Sum.Bytes) != 20 {
				t.Errorf("%s: %s has the sum %v", path, it.Entry.Name, it.Entry.Sum)
			}
			if i, ok := a.(iostore.Finder).Find(it.Entry.ID); !ok || i != it.Entry.Ordinal {
				t.Errorf("%s: %s is found at %d, %v", path, it.Entry.Name, i, ok)
			}
		}
	}
	if entries != 3*112+1+3+2 {
		t.Errorf("%d chunks", entries)
	}
}

// The twins hold the same 111 chunks; their headers differ, being named by
// their containers.
func TestTwins(t *testing.T) {
	first := byID(t, minimal(t, "Uncompressed"))
	if len(first) != 112 {
		t.Fatalf("%d chunks", len(first))
	}
	for _, kind := range []string{"Zlib", "Oodle"} {
		shared, alone := 0, 0
		for id, it := range byID(t, minimal(t, kind)) {
			twin, ok := first[id]
			switch {
			case !ok && it.Entry.Type == iostore.TypeContainerHeader:
				alone++
			case !ok:
				t.Errorf("%s: %s is in one twin only", kind, it.Entry.Name)
			case !bytes.Equal(twin.Data, it.Data) || !bytes.Equal(twin.Entry.Sum.Bytes, it.Entry.Sum.Bytes) || twin.Entry.Name != it.Entry.Name:
				t.Errorf("%s: %s differs", kind, it.Entry.Name)
			default:
				shared++
			}
		}
		if shared != 111 || alone != 1 {
			t.Errorf("%s: %d chunks shared, %d headers told apart", kind, shared, alone)
		}
	}
}

func byID(t testing.TB, a codecs.Archive) map[codecs.ID]codecstest.Item {
	m := map[codecs.ID]codecstest.Item{}
	for _, it := range codecstest.Items(t, a) {
		m[it.Entry.ID] = it
	}
	return m
}

// The .utoc alone tells what a patch changes.
func TestPatchPair(t *testing.T) {
	sums := func(name string) (map[string]string, int) {
		path := codecstest.Sample(t, "iostore/patch-pair", name)
		src := codecstest.OpenFile(t, path)
		src.Dir = nil
		a := codecstest.Open(t, iostore.Format(), src, nil)
		list, err := a.(codecs.Summer).Sums(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		m := map[string]string{}
		for e, err := range a.Entries() {
			if err != nil {
				t.Fatal(err)
			}
			m[e.Name] = string(list[e.Ordinal].Bytes)
		}
		return m, iostore.MountOrder(path)
	}
	base, baseOrder := sums("CUE4ParseFixtures-PatchBase.utoc")
	patch, patchOrder := sums("CUE4ParseFixtures-PatchBase_0_P.utoc")
	if patchOrder != baseOrder+100 {
		t.Errorf("mount orders %d and %d", baseOrder, patchOrder)
	}
	changed := 0
	for name, sum := range patch {
		if old, ok := base[name]; ok && old != sum {
			changed++
		} else if !strings.HasPrefix(name, iostore.TypeContainerHeader+"/") {
			t.Errorf("%s: not in the base, or equal", name)
		}
	}
	if changed != 1 || len(base) != 3 || len(patch) != 2 {
		t.Errorf("%d of %d chunks changed, the base has %d", changed, len(patch), len(base))
	}
}

package all_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
)

// A file that is named as an archive and is not read as one is damage, whatever
// the extension: it must not pass for a file that never was an archive.
func TestEveryExtensionIsExplained(t *testing.T) {
	r := all.Registry()
	for _, f := range r.Formats {
		for _, ext := range f.Exts {
			for what, content := range map[string]string{"empty": "", "short": "x", "text": "no archive at all, and long enough for any header that there may be............................................................................................................................................................................................................................."} {
				src := codecstest.Bytes("Game"+ext, []byte(content))
				found, err := r.Damage(t.Context(), "Game"+ext, src, nil)
				if err != nil || len(found) != 1 {
					t.Errorf("%s %s: %v, %v", what, ext, found, err)
					continue
				}
				if found[0].Cause == "" || found[0].Archive != "Game"+ext {
					t.Errorf("%s %s: %+v", what, ext, found[0])
				}
			}
		}
	}
}

// A file of another kind is no damaged archive, and neither is one without a name
// that promises anything.
func TestOtherFilesAreNotDamaged(t *testing.T) {
	r := all.Registry()
	for name, content := range map[string]string{"quake.pak": "PACK\x00\x00\x00\x00\x00\x00\x00\x00", "readme.txt": "", "data.bin": "KAP"} {
		if found, err := r.Damage(t.Context(), name, codecstest.Bytes(name, []byte(content)), nil); err != nil || found != nil {
			t.Errorf("%s: %v, %v", name, found, err)
		}
	}
}

// TestTruncatedSamples: whatever part of a real archive is missing at its end, it
// is damage of the archive as a whole.
func TestTruncatedSamples(t *testing.T) {
	r := all.Registry()
	for _, name := range []string{
		"gpak/Calligraphy_v11_mhpaktool.sip", "gpak/mu_cdata_1.6.sip", "gpak/mu_cdata_1.5.sip", "unreal-package/DropStuff.umod",
		"retro-pak/mp1_small.pak", "retro-pak/mp3_small.pak", "iostore/patch-pair/CUE4ParseFixtures-PatchBase.utoc",
		"unreal-pak/unrealpak/pack_v5.pak", "unreal-pak/unrealpak/pack_v11_compress.pak", "unreal-pak/pairs/integration_new.pak",
	} {
		path := codecstest.Sample(t, strings.Split(name, "/")...)
		src := codecstest.OpenFile(t, path)
		whole, err := r.Damage(t.Context(), name, src, nil)
		if err != nil || whole != nil {
			t.Errorf("%s: %v, %v", name, whole, err)
		}
		for _, left := range []int64{0, 1, 17, src.Size / 10, src.Size / 2, src.Size - 1000, src.Size - 1} {
			cut := src
			cut.Size = max(left, 0)
			cut.ReaderAt = io.NewSectionReader(src.ReaderAt, 0, cut.Size)
			found, err := r.Damage(t.Context(), name, cut, nil)
			if err != nil || len(found) == 0 {
				t.Errorf("%s, %d of %d bytes: %v, %v", name, cut.Size, src.Size, found, err)
			}
		}
	}
}

func TestRefuseDamaged(t *testing.T) {
	found := []codecs.Damage{{Build: "new", Archive: "A.pak", Field: "footer", Offset: 16, Cause: "truncated: empty"}, {Archive: "B.pak"}}
	err := codecs.RefuseDamaged(found, false)
	if !errors.Is(err, codecs.ErrDamaged) || err.Error() != "damaged archive: new: A.pak: footer at 0x10: truncated: empty (and 1 more)" {
		t.Errorf("%v", err)
	}
	if err := errors.Join(codecs.RefuseDamaged(found, true), codecs.RefuseDamaged(nil, false)); err != nil {
		t.Error(err)
	}
}

func TestDemoted(t *testing.T) {
	old := []codecs.NamedFormat{{Name: "Data/A.bin", Format: "gpak"}, {Name: "b.pak", Format: "loose"}, {Name: "c.txt", Format: "loose"}, {Name: "gone.pak", Format: "unrealpak"}}
	new := []codecs.NamedFormat{{Name: "data/a.BIN", Format: "loose"}, {Name: "b.pak", Format: "unrealpak"}, {Name: "c.txt", Format: "loose"}, {Name: "fresh.bin", Format: "loose"}}
	inOld, inNew := all.Registry().Demoted(old, new)
	if len(inOld) != 1 || inOld[0].Archive != "b.pak" || len(inNew) != 1 || inNew[0].Archive != "data/a.BIN" {
		t.Errorf("%v, %v", inOld, inNew)
	}
}

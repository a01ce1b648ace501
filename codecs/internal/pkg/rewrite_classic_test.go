package pkg_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/pkg"
	"pakdb/codecs/unreal"
)

// Packages of UE1 to UE3 are written as they were; names are appended, and data that is longer or
// shorter moves what is after it. The writer reads each result back.
func TestRewriteClassic(t *testing.T) {
	grown, named := 0, 0
	for _, name := range []string{"TestUC1.u", "TestUC2.u", "TestUC3.u", "HeadExplo_v120_28.u", "ServerAdverts_v512.u", "Rx_Mutator_InfiniteAmmo_v868.u", "GUI_v859.upk"} {
		b, err := os.ReadFile(codecstest.Sample(t, "unreal-package", name))
		if err != nil {
			t.Fatal(err)
		}
		ctx := context.Background()
		p, err := pkg.Read(ctx, bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		same, _, err := p.Rewrite(ctx, b, nil, &pkg.Changes{})
		if err != nil || !bytes.Equal(same, b) {
			t.Errorf("%s: other bytes: %v", name, err)
		}
		for i := range p.Exports {
			x := &p.Exports[i]
			if x.Size == 0 || i%7 != 0 {
				continue
			}
			data := b[x.Offset : x.Offset+x.Size]
			for _, other := range [][]byte{append(bytes.Clone(data), make([]byte, 300)...), data[:1], bytes.Clone(data)} {
				c := &pkg.Changes{Exports: map[int]pkg.ExportChange{i: {Data: other}}}
				out, _, err := p.Rewrite(ctx, b, nil, c)
				switch {
				case errors.Is(err, unreal.ErrInside):
				case err != nil:
					t.Errorf("%s: export %d of %d bytes: %v", name, i, len(other), err)
				case len(other) == len(data) && !bytes.Equal(out, b):
					t.Errorf("%s: export %d: other bytes", name, i)
				default:
					grown++
				}
			}
		}
		_, _, err = p.Rewrite(ctx, b, nil, &pkg.Changes{Names: []string{"PakdbName", "Other"}})
		if err == nil {
			named++
		} else if !errors.Is(err, unreal.ErrInside) && !errors.Is(err, unreal.ErrNoWriting) {
			t.Errorf("%s: %v", name, err)
		}
		for _, c := range []*pkg.Changes{{Copies: []pkg.ExportCopy{{}}}, {Imports: make([]unreal.PackageImport, 1)}, {Soft: make([]pkg.SoftEntry, 1)}} {
			if _, _, err := p.Rewrite(ctx, b, nil, c); !errors.Is(err, unreal.ErrNoWriting) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if t.Logf("%d exports of other data, names in %d packages", grown, named); grown < 100 || named < 5 {
		t.Error("most are refused")
	}
}

package rows

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"os"
	"path"
	"runtime"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/pkg"
	"pakdb/codecs/unreal"
	"pakdb/internal/testkit"
)

// readDamaged reads the values of a package of whatever bytes, and checks that each
// object of it is counted once.
func readDamaged(t testing.TB, raw []byte) {
	t.Helper()
	ctx := context.Background()
	f, err := pkg.Inspector().Inspect(ctx, bytes.NewReader(raw), int64(len(raw)), &codecs.Entry{Name: "A.u"})
	if err != nil || !Reader().Takes(f) {
		return
	}
	content, size := io.ReaderAt(bytes.NewReader(raw)), int64(len(raw))
	if f.Decoded != nil {
		content, size = f.Decoded, f.DecodedSize
	}
	v, err := Reader().Read(ctx, f, content, 0, size, &codecs.ValueOptions{Package: "/Game/A"})
	if err != nil {
		t.Fatal(err) // only reading may fail
	}
	if v.Exact+v.Tailed+v.Lost != v.Exports || v.Opaque > v.Fields || v.OpaqueBytes > v.Bytes {
		t.Fatalf("%+v", v)
	}
	facts := f.Detail.(*unreal.PackageFacts)
	p := Package{PackageFacts: facts, Bytes: func(i int) ([]byte, error) {
		x := &facts.Exports[i]
		if x.Offset < 0 || x.Size < 0 || x.Offset > size || x.Size > size-x.Offset {
			return nil, nil
		}
		b := make([]byte, x.Size)
		_, err := io.ReadFull(io.NewSectionReader(content, x.Offset, x.Size), b) // of no bytes at the end, too
		return b, err
	}}
	if _, err := p.Code(); err != nil {
		t.Fatal(err)
	}
	for _, rows := range v.Rows.Rows {
		if rows.Len() < 0 {
			t.Fatal("rows")
		}
	}
}

// samples are packages of all generations, in one file each.
var samples = []string{"unreal-properties/uelib/TestUC1.u", "unreal-properties/uelib/TestUC2.u", "unreal-properties/uelib/TestUC3.u",
	"unreal-properties/uasset-rs/UE427_SimpleRefsDefaultsRef.uasset", "unreal-package/uasset-rs/UE56/SimpleRefsRoot.uasset"}

// TestDamagedPackages reads 10,000 packages with damaged bytes: no panic, all objects are
// counted, and no reading leaves more than 64 MB behind.
func TestDamagedPackages(t *testing.T) {
	n := testkit.Of(1000, 10_000)
	rnd := rand.New(rand.NewPCG(15, 1))
	var before, after runtime.MemStats
	for _, name := range samples {
		raw, err := os.ReadFile(codecstest.Sample(t, path.Clean(name)))
		if err != nil {
			t.Fatal(err)
		}
		readDamaged(t, raw)
		for range n / len(samples) {
			b := bytes.Clone(raw)
			for range 1 + rnd.IntN(6) {
				switch at := rnd.IntN(len(b)); rnd.IntN(4) {
				case 0:
					b[at] = byte(rnd.Uint32())
				case 1:
					b[at] ^= 1 << rnd.IntN(8)
				case 2:
					for i := at; i < min(at+4, len(b)); i++ {
						b[i] = 0xff // a count of 2^31 or more, or -1
					}
				case 3:
					b = b[:max(at, 64)]
				}
			}
			runtime.ReadMemStats(&before)
			readDamaged(t, b)
			runtime.ReadMemStats(&after)
			if grown := after.TotalAlloc - before.TotalAlloc; grown > 64<<20 {
				t.Errorf("%s: %d MB were allocated in all", name, grown>>20)
			}
		}
	}
}

// FuzzReader: whatever the bytes of a package are, its values are rows or counted.
func FuzzReader(f *testing.F) {
	f.Add(codecstest.Package{Imports: []string{"Engine.Actor", "Engine.Texture"}, Exports: []codecstest.Export{
		{Name: "Hero", Super: "Engine.Actor", Data: "\x00\x01\x02\x03"}, {Name: "Skin", Class: "Engine.Texture", Data: "\x01\x05\x00"}}}.Bytes())
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) > 1<<20 {
			t.Skip()
		}
		readDamaged(t, raw)
	})
}

package iostore_test

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
	"pakdb/codecs/iostore"
)

// large is a table of n chunks with paths.
func large(b *testing.B, n int) []byte {
	items := make([]codecstest.Item, n)
	for i := range items {
		items[i].Entry = &codecs.Entry{Name: fmt.Sprintf("Game/Content/Characters/Heroes/Folder%04d/Sub%02d/SK_Some_Mesh_Of_It_%06d.uasset", i/200, i/20%10, i)}
		items[i].Data = binary.LittleEndian.AppendUint32(nil, uint32(i))
	}
	return build(b, codecs.CreateOptions{MountPoint: "../../../"}, items)[""].Bytes()
}

// The whole table of a large game, from the .utoc alone.
func BenchmarkList(b *testing.B) {
	const n = 500_000
	toc := large(b, n)
	runtime.GC()
	b.SetBytes(int64(len(toc)))
	b.ReportAllocs()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, peak := m.HeapAlloc, uint64(0)
	for b.Loop() {
		a := codecstest.Open(b, iostore.Format(), codecstest.Bytes("a.utoc", toc), nil)
		all := make([]*codecs.Entry, 0, n)
		for e, err := range a.Entries() {
			if err != nil {
				b.Fatal(err)
			}
			all = append(all, e)
		}
		runtime.ReadMemStats(&m)
		peak = max(peak, m.HeapAlloc)
		runtime.KeepAlive(all)
	}
	b.ReportMetric(float64(peak-before)/1e6, "MB-heap")
}

func BenchmarkRead(b *testing.B) {
	for _, m := range []compress.Method{compress.None, compress.Zlib, compress.LZ4, compress.Zstd} {
		b.Run(m.String(), func(b *testing.B) {
			data := []byte(strings.Repeat(string(noise(3000))+string(text(3000)), 6000))
			a := build(b, codecs.CreateOptions{Method: m}, []codecstest.Item{{Entry: &codecs.Entry{Name: "Game/Content/A.uasset"}, Data: data}}).open(b, nil)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				codecstest.Items(b, a)
			}
		})
	}
}

package pkg_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/internal/pkg"
	"pakdb/codecs/unreal"
)

// large is a package with n names, n/2 imports and n exports without data, as
// long as its header.
func large(version, n int) *build {
	b := tiny(version)
	name := func(i int) unreal.ObjectName { return unreal.ObjectName{Index: int32(i)} }
	for i := range n {
		b.names = append(b.names, unreal.PackageName{Text: fmt.Sprintf("StaticMeshActor_Something_%d", i)})
		b.exports = append(b.exports, unreal.PackageExport{Class: -2, Outer: 1, Name: name(6 + i)})
		b.data = append(b.data, nil)
		b.depends = append(b.depends, nil)
		if i%2 == 0 {
			b.imports = append(b.imports, unreal.PackageImport{ClassPackage: name(1), Class: name(3), Outer: -1, Name: name(6 + i)})
		}
	}
	b.fit()
	return b
}

func BenchmarkInspect(b *testing.B) {
	for _, version := range []int{69, 128, 868} {
		b.Run(fmt.Sprintf("made %d", version), func(b *testing.B) {
			benchInspect(b, large(version, 10_000).bytes(b))
		})
	}
	b.Run("cooked 522", func(b *testing.B) {
		var largest []byte
		for _, h := range cooked(b) {
			if len(h) > len(largest) {
				largest = h
			}
		}
		benchInspect(b, largest)
	})
}

func benchInspect(b *testing.B, raw []byte) {
	in := pkg.Inspector()
	e := &codecs.Entry{Name: "a"}
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := in.Inspect(context.Background(), bytes.NewReader(raw), int64(len(raw)), e); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPaths(b *testing.B) {
	p := mustRead(b, large(868, 10_000).bytes(b))
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		for i := range p.Exports {
			buf, _ = p.AppendPath(buf[:0], unreal.ObjectRef(i+1))
		}
	}
}

// Reading allocates for tables, not for their entries.
func TestAllocations(t *testing.T) {
	for _, version := range []int{69, 868} {
		raw := large(version, 5_000).bytes(t)
		n := testing.AllocsPerRun(3, func() { mustRead(t, raw) })
		if n > 100 {
			t.Errorf("%d: %.0f allocations for 5,000 names, 2,500 imports, 5,000 exports", version, n)
		}
	}
}

// sparse is a file of any size: a header, then zeros. It counts what is read.
type sparse struct {
	head []byte
	size int64
	read int64
}

func (s *sparse) ReadAt(p []byte, off int64) (int, error) {
	if off >= s.size {
		return 0, io.EOF
	}
	n := int(min(int64(len(p)), s.size-off))
	clear(p[:n])
	if off < int64(len(s.head)) {
		copy(p[:n], s.head[off:])
	}
	s.read += int64(n)
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Of a large package only the header is read.
func TestOnlyTheHeaderIsRead(t *testing.T) {
	raw := tiny(868).bytes(t)
	s := &sparse{head: raw, size: 1 << 40}
	p, err := pkg.Read(context.Background(), s, s.size)
	if err != nil || len(p.Exports) != 2 || len(p.Problems) != 0 {
		t.Fatalf("%v, %v", err, p.Problems)
	}
	if s.read > 64<<10 {
		t.Errorf("read %d bytes", s.read)
	}
}

// A header that promises everything makes nobody allocate it.
func TestHostileCounts(t *testing.T) {
	raw := tiny(868).bytes(t)
	for _, at := range []int{at868Names, at868Exports, at868Imports, 8} {
		for _, v := range []uint32{1 << 22, 1<<31 - 1} {
			bad := bytes.Clone(raw)
			binary.LittleEndian.PutUint32(bad[at:], v)
			s := &sparse{head: bad, size: 8 << 20}
			before := allocated()
			if _, err := pkg.Read(context.Background(), s, s.size); err != nil {
				t.Error(err)
			}
			if n := allocated() - before; n > 32*s.size {
				t.Errorf("count %d at %d: %d bytes allocated for a file of %d", v, at, n, s.size)
			}
		}
	}
}

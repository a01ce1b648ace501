package maker_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/codecs/unreal"
	"pakdb/codecs/unreal/rows"
	"pakdb/internal/testkit"
)

// TestPackages inserts, removes and moves rows of the tables of Unreal packages, so that every
// later reference shifts, and bounds the patches: by what they had when this was written, with a
// little room, and by bsdiff where that is installed.
func TestPackages(t *testing.T) {
	for _, c := range testkit.Some([]struct {
		name   string
		atMost int
	}{
		{"TestUC3.u", 640},
		{"TestUC1.u", 500},
		{"HeadExplo_v120_28.u", 460},
		{"compressed/BioD_PrsCvA.pcc", 720},
		{"GUI_v859.upk", 210},
		{"TestUC2.u", 590},
	}, 3) {
		t.Run(c.name, func(t *testing.T) {
			p := readClassic(t, codecstest.Sample(t, "unreal-package/"+c.name))
			dir, paths := t.TempDir(), []string(nil)
			for i, content := range [][]byte{p.write(p.rows(0)), p.write(p.rows(1))} {
				path := filepath.Join(dir, string(rune('a'+i)), "content")
				if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, content, 0o666); err != nil {
					t.Fatal(err)
				}
				paths = append(paths, path)
			}
			size := roundTrip(t, paths[:1], paths[1:])
			if size > c.atMost {
				t.Errorf("%d bytes, at most %d expected", size, c.atMost)
			}
			tool, err := exec.LookPath("bsdiff")
			if err != nil {
				t.Logf("%d bytes; no bsdiff to compare with", size)
				return
			}
			out := filepath.Join(dir, "bsdiff")
			if text, err := exec.Command(tool, paths[0], paths[1], out).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			st, err := os.Stat(out)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d bytes, bsdiff %d", size, st.Size())
			if int64(size)*10 > st.Size()*9 {
				t.Errorf("%d bytes, bsdiff %d", size, st.Size())
			}
		})
	}
}

// classic is a package of UE1 to UE3 with the bytes of its exports.
type classic struct {
	*rows.Package
	data [][]byte
}

func readClassic(t *testing.T, file string) *classic {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	library, err := rows.NewLibrary("", nil)
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := library.Open(t.Context(), &rows.Source{Content: bytes.NewReader(b), Size: int64(len(b))})
	if err != nil {
		t.Fatal(err)
	}
	c := &classic{Package: p}
	for i := range p.Exports {
		data, err := p.Bytes(i)
		if err != nil {
			t.Fatal(err)
		}
		c.data = append(c.data, data)
	}
	return c
}

// tables are the rows of a package as it is written, by their old numbers.
type tables struct{ names, imports, exports []int }

// rows returns all rows, or, with a seed, without some, with some twice, and with some moved.
func (c *classic) rows(seed uint64) tables {
	draw := rand.New(rand.NewPCG(seed, 3))
	changed := func(n, inserted, removed, moved int) (list []int) {
		for i := range n {
			list = append(list, i)
		}
		for range inserted * int(min(seed, 1)) {
			list = slices.Insert(list, draw.IntN(len(list)), draw.IntN(n))
		}
		for range removed * int(min(seed, 1)) {
			k := draw.IntN(len(list))
			list = slices.Delete(list, k, k+1)
		}
		for range moved * int(min(seed, 1)) {
			from, to := draw.IntN(len(list)), draw.IntN(len(list)-1)
			row := list[from]
			list = slices.Insert(slices.Delete(list, from, from+1), to, row)
		}
		return list
	}
	return tables{changed(len(c.Names), 5, 1, 1), changed(len(c.Imports), 2, 0, 0), changed(len(c.Exports), 3, 1, 1)}
}

// numbers returns the new number of each old row, -1 for one that is gone.
func numbers(list []int, n int) []int {
	at := slices.Repeat([]int{-1}, n)
	for i, row := range slices.Backward(list) {
		at[row] = i
	}
	return at
}

// classicWriter writes indices as a version does.
type classicWriter struct {
	*classic
	names, imports, exports []int
}

// write returns the tables and what the exports have, references corrected.
func (c *classic) write(rows tables) []byte {
	w := classicWriter{c, numbers(rows.names, len(c.Names)), numbers(rows.imports, len(c.Imports)), numbers(rows.exports, len(c.Exports))}
	var b, data []byte
	for _, i := range rows.names {
		b = append(append(b, byte(len(c.Names[i].Text)+1)), c.Names[i].Text...)
		b = binary.LittleEndian.AppendUint32(append(b, 0), uint32(c.Names[i].Flags))
	}
	for _, i := range rows.imports {
		m := &c.Imports[i]
		b = w.name(w.name(b, m.ClassPackage), m.Class)
		b = w.name(binary.LittleEndian.AppendUint32(b, uint32(w.ref(m.Outer))), m.Name)
	}
	for _, i := range rows.exports {
		x, body := &c.Exports[i], w.body(i)
		b = w.index(w.index(b, w.ref(x.Class)), w.ref(x.Super))
		b = w.name(binary.LittleEndian.AppendUint32(b, uint32(w.ref(x.Outer))), x.Name)
		b = binary.LittleEndian.AppendUint64(b, x.Flags)
		b = w.index(w.index(b, int32(len(body))), int32(len(data)))
		data = append(data, body...)
	}
	return append(b, data...)
}

func (w *classicWriter) index(b []byte, v int32) []byte {
	if w.Version >= unreal.VerUE3 {
		return binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	sign, n := byte(0), uint32(v)
	if v < 0 {
		sign, n = 0x80, -n
	}
	if n < 0x40 {
		return append(b, sign|byte(n))
	}
	b, n = append(b, sign|0x40|byte(n&0x3f)), n>>6
	for ; n >= 0x80; n >>= 7 {
		b = append(b, 0x80|byte(n&0x7f))
	}
	return append(b, byte(n))
}

func (w *classicWriter) name(b []byte, n unreal.ObjectName) []byte {
	b = w.index(b, int32(w.names[n.Index]))
	if w.Version >= unreal.VerNameNumber {
		b = binary.LittleEndian.AppendUint32(b, uint32(n.Number))
	}
	return b
}

func (w *classicWriter) ref(r unreal.ObjectRef) int32 {
	if i, ok := r.Export(); ok && i < len(w.exports) {
		return int32(w.exports[i]) + 1
	}
	if i, ok := r.Import(); ok && i < len(w.imports) {
		return -int32(w.imports[i]) - 1
	}
	return int32(r)
}

// body returns what export i has. References are corrected in its list of properties, those in
// code are not.
func (w *classicWriter) body(i int) []byte {
	for _, start := range []int{0, 4, 8} {
		if start > len(w.data[i]) {
			break
		}
		if b, ok := w.list(w.data[i][start:]); ok {
			return append(slices.Clip(w.data[i][:start]), b...)
		}
	}
	return w.data[i]
}

// list corrects a list of properties at the begin of data, and reports whether there is one.
func (w *classicWriter) list(data []byte) (b []byte, ok bool) {
	r := unreal.NewOldReader(w.PackageFacts, data)
	at := func() int { return len(data) - r.In.Len() }
	for {
		from := at()
		tag := r.Tag()
		head := data[from:at()]
		if r.In.Err() != nil || tag.Kind >= unreal.OldUnknown {
			return nil, false
		}
		h := unreal.NewOldReader(w.PackageFacts, head)
		b = w.copyName(b, h)
		if tag.Name == "None" {
			return append(b, data[at():]...), true
		}
		if w.Version >= unreal.VerTypedTags {
			b = w.copyName(b, h)
		}
		b = append(b, head[len(head)-h.In.Len():]...)
		value := data[at():][:tag.Size]
		r.In.Skip(tag.Size)
		v := unreal.NewOldReader(w.PackageFacts, value)
		switch tag.Kind {
		case unreal.OldObject, unreal.OldClass, unreal.OldComponent:
			b = w.index(b, w.ref(unreal.ObjectRef(v.Index())))
		case unreal.OldName:
			b = w.copyName(b, v)
		case unreal.OldArray:
			b = w.array(b, value)
			continue
		}
		b = append(b, value[len(value)-v.In.Len():]...)
	}
}

// array corrects an array that may be one of objects.
func (w *classicWriter) array(b, value []byte) []byte {
	v := unreal.NewOldReader(w.PackageFacts, value)
	n := v.Index()
	if w.Version < unreal.VerUE3 || len(value)%4 != 0 || int(n) != len(value)/4-1 {
		return append(b, value...)
	}
	b = w.index(b, n)
	for range n {
		b = w.index(b, w.ref(unreal.ObjectRef(v.Index())))
	}
	return b
}

// copyName corrects a name.
func (w *classicWriter) copyName(b []byte, r *unreal.OldReader) []byte {
	n := unreal.ObjectName{Index: r.Index()}
	if w.Version >= unreal.VerNameNumber {
		n.Number = r.In.I32()
	}
	if n.Index < 0 || int(n.Index) >= len(w.names) {
		n.Index = 0
	}
	return w.name(b, n)
}

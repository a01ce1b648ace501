package property_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"testing"

	"pakdb/codecs/internal/property"
	"pakdb/internal/testkit"
)

// check fails when a reading contradicts itself: nodes must nest, lie within the
// export, and be found by walking.
func check(t *testing.T, d *property.Decoder, o *property.Export, data []byte) {
	t.Helper()
	l := &o.List
	for i := range l.Nodes {
		n := &l.Nodes[i]
		if int(n.Next) <= i || int(n.Next) > len(l.Nodes) || n.Offset < 0 || n.Size < 0 || int(n.Offset)+int(n.Size) > len(data) {
			t.Fatalf("node %d of %d: %+v of %d bytes", i, len(l.Nodes), n, len(data))
		}
		for k, c := range l.Children(i) {
			if k <= i || c.Next > n.Next {
				t.Fatalf("node %d is below %d, which ends at %d: %+v", k, i, n.Next, c)
			}
		}
		if n.Flags&property.Packed != 0 {
			if data, size := l.Packed(i); len(data) != size*l.Count(i) || len(l.Unpack(i, 0, 3).Nodes) < 3 {
				t.Fatalf("%d elements of %d bytes in %d", l.Count(i), size, len(data))
			}
		}
	}
	for path, i := range d.Walk(l) {
		if l.Nodes[i].Type == nil || len(path) == 0 && l.Nodes[i].Name != "" {
			t.Fatalf("node %d at %q: %+v", i, path, l.Nodes[i])
		}
	}
	if o.Status == property.Lost && (len(l.Nodes) > 0 || o.Why == nil) || o.End > len(data) || o.Tail > len(data) {
		t.Fatalf("%s, %d nodes, ends at %d with %d after of %d: %v", o.Status, len(l.Nodes), o.End, o.Tail, len(data), o.Why)
	}
}

// mutate damages a copy of data: bits, whole integers, cuts, and parts that move.
func mutate(r *rand.Rand, data []byte) []byte {
	out := bytes.Clone(data)
	for range 1 + r.IntN(4) {
		if len(out) < 8 {
			break
		}
		at := r.IntN(len(out) - 4)
		switch r.IntN(5) {
		case 0:
			out[at] ^= 1 << r.IntN(8)
		case 1:
			out[at] = byte(r.Uint32())
		case 2:
			binary.LittleEndian.PutUint32(out[at:], []uint32{0, 1, 0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, uint32(len(out)), 1 << 20}[r.IntN(7)])
		case 3:
			out = out[:at]
		case 4:
			copy(out[at:], out[r.IntN(len(out)):])
		}
	}
	return out
}

// Ten thousand damaged exports: none panics, contradicts itself, or takes more than
// 64 MB.
func TestDamagedPackages(t *testing.T) {
	mutations := testkit.Of(400, 10000)
	type subject struct {
		d *property.Decoder
		p *loaded
	}
	var subjects []subject
	for _, set := range sets(t) {
		for _, p := range set.all {
			subjects = append(subjects, subject{property.NewDecoder(p.facts, property.Options{Schemas: set.base, MaxNodes: 1 << 18}), p})
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	var o property.Export
	var before, after runtime.MemStats
	most, states := uint64(0), map[property.Status]int{}
	for k := range mutations {
		s := subjects[r.IntN(len(subjects))]
		if len(s.p.data) == 0 {
			continue
		}
		i := r.IntN(len(s.p.data))
		data := mutate(r, s.p.data[i])
		if k%50 == 0 {
			runtime.ReadMemStats(&before)
		}
		s.d.Export(&o, i, data)
		if k%50 == 0 {
			runtime.ReadMemStats(&after)
			most = max(most, after.TotalAlloc-before.TotalAlloc)
		}
		check(t, s.d, &o, data)
		states[o.Status]++
	}
	runtime.ReadMemStats(&after)
	t.Logf("%v; %d bytes at most for one; %d from the system", states, most, after.Sys)
	if most > 64<<20 || states[property.Exact] == 0 || states[property.Tailed] == 0 || states[property.Lost] == 0 {
		t.Errorf("%d bytes for one export, %v", most, states)
	}
}

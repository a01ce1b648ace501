package property_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"pakdb/codecs/internal/property"
)

// meshOf returns the class data of a cooked mesh, each of whose levels has so many triangles,
// with four vertices, in sections with so many flags. without has the bits of buffers that are
// not there.
func meshOf(flags int, without byte, triangles ...int) []byte {
	var b bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			if n, ok := v.(int); ok {
				v = int32(n)
			}
			if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
				panic(err)
			}
		}
	}
	indexes := func(n int) {
		put(0, 1, 2*n, make([]byte, 2*n), 0)
	}
	put([]byte{1, 0}, 1, 0, 0, make([]byte, 16), 0, len(triangles))
	for _, n := range triangles {
		put([]byte{1, without}, 1, 0, 0, n, 0, 3, make([]int32, flags), float32(0), 0, 1)
		put([]byte{1, without}, 12, 4, 12, 4, make([]byte, 48))
		put([]byte{1, 0}, 2, 4, 0, 0, 8, 4, make([]byte, 32), 4, 8, make([]byte, 32))
		put([]byte{1, 0}, 0, 0)
		indexes(3 * n)
		if without&4 == 0 {
			indexes(3 * n)
		}
		indexes(3 * n)
		if without&4 == 0 {
			indexes(3 * n)
		}
		if without&1 == 0 {
			indexes(12 * n)
		}
		if without&8 == 0 {
			put(1, 5, make([]byte, 5))
		}
		put(make([]int32, 2*3), make([]int32, 3))
	}
	put([]byte{1, 2, 3}) // what is after the levels
	return b.Bytes()
}

// TestStaticMesh: levels of a mesh are shown where its buffers have as many elements as its
// sections need. Nothing is shown of one of another layout, which is no damage; an index outside is.
func TestStaticMesh(t *testing.T) {
	f := fixture{ue4: 522, names: "None StaticMesh"}
	facts := f.facts()
	facts.Imports[1].Name.Index = 1
	shown := func(data []byte, damaged bool) string {
		d := property.NewDecoder(facts, property.Options{})
		var o property.Export
		d.Export(&o, 0, append(make([]byte, 8+4), data...)) // None, and no GUID
		if o.Status != property.Tailed || (o.Why != nil) != damaged || (o.Damage != nil) != damaged {
			t.Errorf("status %v, %v, %v", o.Status, o.Why, o.Damage)
		}
		_, text, _ := strings.Cut(string(d.AppendJSON(nil, &o, 0)), `"LODs":`)
		return strings.Join(strings.Fields(text), "")
	}
	for flags := range 5 {
		for _, without := range []byte{0, 1, 4, 8, 13} {
			got := shown(meshOf(2+flags, without, 2, 1), false)
			want := `[{"Vertices":4,"Triangles":2,"Sections":1,"TextureCoordinates":2},{"Vertices":4,"Triangles":1,"Sections":1,"TextureCoordinates":2}]`
			if !strings.HasPrefix(got, want) {
				t.Errorf("%d flags, without %d: %s", 2+flags, without, got)
			}
		}
	}
	whole := meshOf(4, 8, 2, 1)
	for at := 1; at < len(whole)-3; at++ {
		if got := shown(whole[:at], false); got != "" {
			t.Errorf("%d bytes: %s", at, got)
		}
	}
	outside := bytes.Clone(whole)
	at := bytes.Index(outside, []byte{1, 0, 0, 0, 12, 0, 0, 0}) + 8 // the first index
	outside[at] = 4
	if got := shown(outside, true); got != "" {
		t.Errorf("an index outside: %s", got)
	}
}

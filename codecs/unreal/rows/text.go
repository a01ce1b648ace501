package rows

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/zeebo/blake3"

	"pakdb/codecs/unreal/property"
)

// manyElements is how many elements an array of numbers must have more of to be one
// value.
const manyElements = 16

// isPlain reports whether an array is one value: it has many elements, and all are
// numbers or structs of numbers.
func isPlain(l *property.List, at int) bool {
	n := &l.Nodes[at]
	if n.Kind != property.Array || l.Count(at) <= manyElements || isCurve(n) {
		return false
	}
	if n.Flags&property.Packed != 0 {
		return true
	}
	for i := at + 1; i < int(n.Next); i++ {
		e := &l.Nodes[i]
		if !isNumber(e) && (e.Kind != property.Struct || e.Text != "" || int(e.Next)-i > manyElements) {
			return false
		}
	}
	return true
}

func isNumber(n *property.Node) bool {
	return n.Kind >= property.Bool && n.Kind <= property.Double && n.Text == ""
}

// plainText renders an array that is one value: its first elements, and the start of
// the BLAKE3 of all.
func plainText(d *property.Decoder, l *property.List, at int) string {
	h := blake3.New()
	if data, _ := l.Packed(at); data != nil {
		_, _ = h.Write(data)
	} else {
		for i := at + 1; i < int(l.Nodes[at].Next); i++ {
			if e := &l.Nodes[i]; e.Kind != property.Struct {
				_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, e.Bits))
			}
		}
	}
	return fmt.Sprintf("%s, ... #%x", strings.Join(d.FirstElements(l, at), ", "), h.Sum(nil)[:8])
}

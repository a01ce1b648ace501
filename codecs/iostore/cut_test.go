package iostore_test

import (
	"errors"
	"fmt"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
)

// A .ucas that ends before its last block was cut short, which concerns the whole
// container; what pads the last block may be missing, and so may the file.
func TestCutContents(t *testing.T) {
	for _, method := range []compress.Method{compress.None, compress.Zlib} {
		p := build(t, codecs.CreateOptions{Method: method}, vectorItems())
		whole := p[".ucas"].Bytes()
		for _, tt := range []struct {
			size int
			cut  bool
		}{{len(whole), false}, {len(whole) - 8, false}, {len(whole) - 16, true}, {1, true}, {0, true}} {
			var b codecstest.Buffer
			_, _ = b.Write(whole[:tt.size])
			p[".ucas"] = &b
			var found []*codecs.FormatError
			for _, w := range p.open(t, nil).Info().Warnings {
				if errors.Is(w, codecs.ErrTruncated) && codecs.DamagesTables(nil, w) {
					found = append(found, w)
				}
			}
			if (len(found) == 1) != tt.cut {
				t.Errorf("%v: %d bytes of %d: %v", method, tt.size, len(whole), found)
			}
			if want := fmt.Sprintf("truncated: Game.ucas has %d bytes, and its blocks %d", tt.size, len(whole)-8); tt.cut && (len(found) != 1 || found[0].Err.Error() != want) {
				t.Errorf("%v: %v, want %s", method, found, want)
			}
		}
		delete(p, ".ucas")
		if w := p.open(t, nil).Info().Warnings; len(w) > 0 {
			t.Errorf("%v: without contents: %v", method, w)
		}
	}
}

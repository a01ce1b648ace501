package maker

import (
	"fmt"
	"testing"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/deltatest"
)

// TestEditedTwin: an entry that was edited is explained by what it was, also where another
// entry still has that.
func TestEditedTwin(t *testing.T) {
	t.Parallel()
	old := make([][]byte, 12)
	for i := range old {
		old[i] = fmt.Appendf(nil, "%x", deltatest.Noisy(uint64(i), 4000))
	}
	old[5], old[7] = old[2], old[3]
	new := append([][]byte(nil), old...)
	new[2] = fmt.Appendf(nil, "%s, edited, %s", old[2][:3000], old[2][3000:])
	new[3] = fmt.Appendf(nil, "%s, edited, %s", old[3][:5000], old[3][5000:])
	a := []delta.Input{deltatest.Input("x.pak", deltatest.PakOf(t, old...))}
	b := []delta.Input{deltatest.Input("x.pak", deltatest.PakOf(t, new...))}
	p := rounds().Patch(t, a, b)
	rounds().Check(t, p, a, b)
	if t.Logf("%d bytes", len(p)); len(p) > 400 {
		t.Errorf("%d bytes for two edits", len(p))
	}
}

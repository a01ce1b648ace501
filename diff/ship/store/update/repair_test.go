package update_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/diff/ship/internal/deltatest"
	"pakdb/diff/ship/store/publish"
	"pakdb/internal/testkit"
)

// Damaged files are made good with what is damaged, and little besides: records before
// entries tell what there is without an index, and blocks are known by their hash.
func TestRepair(t *testing.T) {
	testkit.NotShort(t)
	r := rand.New(rand.NewPCG(5, 5))
	list := assets(80, 8000)
	for i := range 2 {
		list = append(list, deltatest.Content{Name: "Game/Content/Large" + string(rune('0'+i)), Data: prose(r, 1<<20)})
	}
	list = append(list, deltatest.Content{Name: "Game/Content/Noise", Data: noise(3, 300_000)})
	for _, version := range []string{"11", "8A"}[:testkit.Of(1, 2)] {
		pak := pakOf(t, codecs.CreateOptions{Version: version}, list)
		dir, right := t.TempDir(), folder{"Game.pak": pak}
		publishWith(t, dir, "1", right, &publish.Options{Registry: all.Registry(), Effort: publish.Fast})
		index := indexOf(t, pak)
		scattered := bytes.Clone(pak)
		for range 8 {
			scattered[r.IntN(len(pak))] ^= 0x21
		}
		swapped := bytes.Clone(pak)
		copy(swapped[len(pak)/2:], pak[:1000]) // a record of another place
		for _, c := range testkit.Some([]struct {
			name  string
			bytes []byte
			most  int64
		}{
			{"cut", pak[:len(pak)-1024], 256 << 10},
			{"without its index", pak[:index], 256 << 10},
			{"index damaged", filled(pak, index, len(pak)-300), 256 << 10},
			{"a record damaged", filled(pak, 8, 24), 256 << 10},
			{"a byte of the index", filled(pak, index+(len(pak)-index)/2, index+(len(pak)-index)/2+1), 256 << 10},
			{"scattered bytes", scattered, 8*128<<10 + 256<<10},
			{"swapped", swapped, 384 << 10},
			{"half", pak[:len(pak)/2], int64(len(pak)/2 + 256<<10)},
			{"zeros behind", append(bytes.Clone(pak[:index]), make([]byte, 2<<20)...), 256 << 10},
			{"nothing", nil, int64(len(pak)) * 103 / 100},
		}, 4) {
			at := folder{"Game.pak": c.bytes}.write(t, t.TempDir())
			bill, _, err := runUpdate(t.Context(), dir, at, "")
			if err != nil {
				t.Fatalf("version %s, %s: %v", version, c.name, err)
			}
			same(t, c.name, readFolder(t, at), right)
			if n := bill.Fetch + bill.Known; n > c.most {
				t.Errorf("version %s, %s: %d bytes fetched of %d, at most %d expected", version, c.name, n, len(pak), c.most)
			}
			t.Logf("version %s, %s: %d bytes fetched of %d", version, c.name, bill.Fetch+bill.Known, len(pak))
		}
	}
}

// filled is pak with other bytes in a place.
func filled(pak []byte, from, to int) []byte {
	pak = bytes.Clone(pak)
	for i := from; i < to; i++ {
		pak[i] = pak[i]*5 + 77
	}
	return pak
}

// indexOf returns where the index begins, as the footer says.
func indexOf(t *testing.T, pak []byte) int {
	t.Helper()
	at := bytes.LastIndex(pak, []byte{0xE1, 0x12, 0x6F, 0x5A})
	if at < 0 {
		t.Fatal("no footer")
	}
	return int(binary.LittleEndian.Uint64(pak[at+8:]))
}

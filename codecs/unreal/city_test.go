package unreal_test

import (
	"bufio"
	"os"
	"strconv"
	"testing"

	"pakdb/codecs/unreal"
)

// testdata/city.txt holds the hashes of the first 0, 1, 2, ... bytes of a
// linear congruential generator, by an implementation of other hands
// (github.com/go-faster/city, Hash64).
func TestCityHash64(t *testing.T) {
	f, err := os.Open("testdata/city.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var b []byte
	x := uint32(1)
	for lines := bufio.NewScanner(f); lines.Scan(); {
		want, err := strconv.ParseUint(lines.Text(), 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		if got := unreal.CityHash64(b); got != want {
			t.Errorf("%d bytes: %016x, want %016x", len(b), got, want)
		}
		x = x*1664525 + 1013904223
		b = append(b, byte(x>>24))
	}
	if len(b) != 301 {
		t.Fatalf("%d vectors", len(b))
	}
}

func TestNameHash(t *testing.T) {
	for name, want := range map[string]uint64{
		"/Game/Fixtures/Blueprints/S_Fixture": 310477927074192785, // a package of UE 5.8.1
		"/game/fixtures/blueprints/s_fixture": 310477927074192785,
	} {
		if got := unreal.NameHash(name); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
	if unreal.NameHash("/Game/É") != unreal.NameHash("/game/é") {
		t.Error("letters beyond ASCII are not lower-cased")
	}
}

func BenchmarkCityHash64(b *testing.B) {
	s := make([]byte, 120)
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		unreal.CityHash64(s)
	}
}

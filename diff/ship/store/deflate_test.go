package store_test

import (
	"bytes"
	"runtime"
	"sync"
	"testing"

	"pakdb/diff/ship/store"
)

// Encoders of 40 MB each outlive garbage collections while a publication runs.
func TestDeflaterKeepsItsEncoders(t *testing.T) {
	var d store.Deflater
	text := bytes.Repeat([]byte("some text, and some more of it. "), 1000)
	allocated := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.TotalAlloc
	}
	for _, deflate := range []func([]byte) ([]byte, error){d.Deflate, d.DeflateQuickly} {
		first, err := deflate(text)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 { // a sync.Pool is empty after two
			runtime.GC()
		}
		before := allocated()
		again, err := deflate(text)
		if err != nil || !bytes.Equal(first, again) {
			t.Fatalf("the second time: %v, %d bytes and %d", err, len(first), len(again))
		}
		if n := allocated() - before; n > 1<<20 {
			t.Errorf("%d bytes allocated: the encoder was made again", n)
		}
	}
}

// What is compressed at once has the bytes that it has alone.
func TestDeflaterAtOnce(t *testing.T) {
	var d store.Deflater
	var g sync.WaitGroup
	for i := range 16 {
		g.Go(func() {
			text := bytes.Repeat([]byte{byte(i), byte(i * i), 3, 4, 5}, 1000+100*i)
			got, err := d.Deflate(text)
			if err != nil {
				t.Error(err)
				return
			}
			var alone store.Deflater
			if want, err := alone.Deflate(text); err != nil || !bytes.Equal(got, want) {
				t.Errorf("text %d: %d bytes, alone %d, %v", i, len(got), len(want), err)
			}
			if plain, err := store.InflateFrame(got); err != nil || !bytes.Equal(plain, text) {
				t.Errorf("text %d: decoded to %d bytes, %v", i, len(plain), err)
			}
		})
	}
	g.Wait()
}

package lzo_test

import (
	"bytes"
	"errors"
	"testing"

	rasky "github.com/rasky/go-lzo"

	"pakdb/codecs/internal/lzo"
	"pakdb/internal/lzotest"
)

// FuzzDecode compares Decode with the oracle in everything it returns, and
// where it succeeds with go-lzo's decoder.
func FuzzDecode(f *testing.F) {
	for _, v := range vectors {
		if len(v.stream) < 1000 {
			f.Add(v.stream, uint16(len(v.want)))
			f.Add(cat(v.stream, make([]byte, 60)), uint16(len(v.want)+60))
		}
	}
	for _, level := range []int{lzotest.LevelFast, lzotest.LevelBest} {
		stream, err := lzotest.Encode(nil, prose(1500), level)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(stream, uint16(1500))
	}
	f.Fuzz(func(t *testing.T, src []byte, size uint16) {
		buf := rep([]byte{0xee}, int(size)+64)
		n, read, err := lzo.Decode(buf[:size], src)
		if !bytes.Equal(buf[size:], rep([]byte{0xee}, 64)) {
			t.Fatal("wrote beyond dst")
		}
		o := oracle{src: src, limit: int(size)}
		want, wantRead, wantErr := o.decode()
		if !errors.Is(err, wantErr) || read != wantRead || !bytes.Equal(buf[:n], want) {
			t.Fatalf("%d bytes, read %d, %v; want %d, %d, %v", n, read, err, len(want), wantRead, wantErr)
		}
		if err == nil {
			compareWithPeer(t, src[:read], want)
		}
	})
}

// compareWithPeer feeds go-lzo's decoder a stream that is known to decode, and
// to how much. It reads through a buffer, at whose end it fails on valid
// streams: only those that fit in one read are comparable.
func compareWithPeer(t *testing.T, stream, want []byte) {
	if len(stream) > 1024 {
		return
	}
	got, err := rasky.Decompress1X(bytes.NewReader(stream), len(stream), len(want))
	if err != nil || !bytes.Equal(got, want) {
		t.Fatalf("go-lzo: %d bytes, %v; want %d", len(got), err, len(want))
	}
}

func FuzzDecodeSegmented(f *testing.F) {
	for _, v := range segmented {
		f.Add(v.stream, uint16(len(v.want)))
	}
	f.Fuzz(func(t *testing.T, src []byte, size uint16) {
		buf := rep([]byte{0xee}, int(size)+64)
		read, err := lzo.DecodeSegmented(buf[:size], src)
		if !bytes.Equal(buf[size:], rep([]byte{0xee}, 64)) {
			t.Fatal("wrote beyond dst")
		}
		if read < 0 || read > len(src) {
			t.Fatalf("read %d of %d", read, len(src))
		}
		var e *lzo.Error
		if err != nil && (!errors.As(err, &e) || e.Off < read || e.Off > len(src) || e.Out < 0 || e.Out > int(size)) {
			t.Fatalf("read %d: %v", read, err)
		}
	})
}

// FuzzRoundTrip encodes at both levels, plain and segmented.
func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(noise(300))
	f.Add(prose(3000))
	f.Add(rep([]byte("ab"), 700))
	f.Fuzz(func(t *testing.T, data []byte) {
		roundTrip(t, data, lzotest.LevelFast)
		roundTrip(t, data, lzotest.LevelBest)
	})
}

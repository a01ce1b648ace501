package unrealpak

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/sha1"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"pakdb/codecs/compress"
	"pakdb/internal/aes256"
)

// blockText draws bytes that shrink, or not, or in part.
func blockText(t *rapid.T, size int) []byte {
	noise := rapid.Uint64().Draw(t, "seed")
	b := make([]byte, size)
	for i := range b {
		noise = noise*6364136223846793005 + 1442695040888963407
		if b[i] = byte(noise >> 56); i/1000%2 == 0 {
			b[i] = byte(i / 100)
		}
	}
	return b
}

// What is written decodes to what was taken, and so does what the Content gives back,
// whether it was held or not, and however many blocks are compressed at once.
func TestRoundTrip(t *testing.T) {
	cipher, err := aes.NewCipher(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	var c blockContent
	rapid.Check(t, func(t *rapid.T) {
		if err := c.Reset(); err != nil {
			t.Fatal(err)
		}
		const most = 20000
		want := blockText(t, rapid.OneOf(rapid.IntRange(0, 70000), rapid.SampledFrom([]int{most, most + 1, 4096, 8192})).Draw(t, "size"))
		o := blockOptions{
			Method: rapid.SampledFrom([]compress.Method{compress.Zlib, compress.LZ4, compress.Zstd}).Draw(t, "method"),
			Fast:   rapid.Bool().Draw(t, "fast"),
			Size:   rapid.SampledFrom([]int{1 << 10, 4 << 10, 64 << 10}).Draw(t, "block size"),
		}
		if rapid.Bool().Draw(t, "encrypted") {
			o.Cipher = cipher
		}
		whole, err := c.Take(iotest.HalfReader(bytes.NewReader(want)), most)
		if err != nil || whole != (len(want) <= most) {
			t.Fatal(whole, err)
		}
		if err := c.Encode(t.Context(), o, rapid.IntRange(1, 5).Draw(t, "parallel")); err != nil {
			t.Fatal(err)
		}
		back, err := io.ReadAll(c.Reader())
		if err != nil || !bytes.Equal(back, want) || c.Size != int64(len(want)) {
			t.Fatalf("%d bytes back, size %d, of %d: %v", len(back), c.Size, len(want), err)
		}
		stored := c.Stored()
		var out bytes.Buffer
		if n, err := c.WriteTo(&out); err != nil || n != stored || sha1.Sum(out.Bytes()) != c.Sum {
			t.Fatal(n, stored, err)
		}
		if got := decoded(t, c.Blocks, o, out.Bytes(), len(want)); !bytes.Equal(got, want) {
			t.Fatal("the blocks decode to something else")
		}
	})
}

// decoded decodes blocks as a reader of the archive does.
func decoded(t *rapid.T, list []blockRange, o blockOptions, stored []byte, size int) (all []byte) {
	if o.Cipher != nil {
		aes256.DecryptECB(o.Cipher, stored)
	}
	for _, b := range list {
		plain := make([]byte, min(o.Size, size-len(all)))
		if err := compress.Decode(o.Method, plain, stored[b.start:b.end]); err != nil {
			t.Fatal(err)
		}
		all = append(all, plain...)
	}
	return all
}

// A content that cannot be read, and one nobody waits for, end with that error.
func TestFailures(t *testing.T) {
	broken := errors.New("broken")
	for _, size := range []int{10, 5000} { // before and after what is held
		var c blockContent
		_, err := c.Take(io.MultiReader(bytes.NewReader(make([]byte, size)), iotest.ErrReader(broken)), 1000)
		if err == nil {
			err = c.Encode(t.Context(), blockOptions{Method: compress.Zlib, Size: 1024}, 2)
		}
		if !errors.Is(err, broken) {
			t.Errorf("%d: %v", size, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var c blockContent
	if _, err := c.Take(bytes.NewReader(make([]byte, 5000)), 1000); err != nil {
		t.Fatal(err)
	}
	if err := c.Encode(ctx, blockOptions{Method: compress.Zlib, Size: 1024}, 2); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

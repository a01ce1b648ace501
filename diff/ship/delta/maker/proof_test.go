package maker

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"sync/atomic"
	"testing"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/deltatest"
	"pakdb/internal/stored"
	"pakdb/internal/testkit"
)

// turning is a file whose bytes become others after so many reads of all files.
type turning struct {
	io.ReaderAt
	left *atomic.Int32
	do   func(p []byte)
}

func (t *turning) ReadAt(p []byte, off int64) (int, error) {
	n, err := t.ReaderAt.ReadAt(p, off)
	if t.left.Add(-1) < 0 {
		t.do(p[:n])
	}
	return n, err
}

// severalSegments are files whose patch has a segment each. Noise of this size costs
// little, even with the greatest effort; segments of the usual size would take a second
// each.
func severalSegments() (old, new []delta.Input, o *MakeOptions) {
	var contents []string
	for i := range uint64(6) {
		contents = append(contents, string(deltatest.Noisy(i, 24<<10)))
	}
	return deltatest.Files("old"), deltatest.Files(contents...), &MakeOptions{segment: 16 << 10}
}

// TestProof: segments are proved while others are made, and the patch is what it
// is without proof.
func TestProof(t *testing.T) {
	old, new, o := severalSegments()
	var want bytes.Buffer
	if _, _, err := Make(context.Background(), old, new, &want, t.TempDir(), o); err != nil {
		t.Fatal(err)
	}
	name := t.TempDir() + "/p"
	h, _, err := MakeFile(context.Background(), name, old, new, o)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(name)
	if err != nil || !bytes.Equal(got, want.Bytes()) || len(h.Parts) != len(new) {
		t.Errorf("%d bytes in %d segments, %d without proof: %v", len(got), len(h.Parts), want.Len(), err)
	}
}

// TestProofFails: files that change while a patch is made, an end that comes from
// outside, at any read: no patch, and nothing is left.
func TestProofFails(t *testing.T) {
	testkit.NotShort(t)
	for name, c := range map[string]struct {
		do   func(p []byte, cancel func())
		want error
	}{
		"changed":   {func(p []byte, _ func()) { clear(p) }, delta.ErrResult},
		"cancelled": {func(_ []byte, cancel func()) { cancel() }, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			old, files, o := severalSegments()
			hashed := int32(len(files)) // reads by which hashes are computed, before anything is made
			for reads := hashed; ; reads++ {
				ctx, cancel := context.WithCancel(context.Background())
				var left atomic.Int32
				left.Store(reads)
				new := slices.Clone(files)
				for i := range new {
					new[i].ReaderAt = &turning{new[i].ReaderAt, &left, func(p []byte) { c.do(p, cancel) }}
				}
				_, _, err := MakeFile(ctx, dir+"/p", old, new, o)
				cancel()
				there, errDir := os.ReadDir(dir)
				if errDir != nil {
					t.Fatal(errDir)
				}
				if err == nil {
					if left.Load() < 0 || reads < 2*hashed {
						t.Fatalf("after %d reads: a patch", reads)
					}
					return // they were read less often
				}
				if !errors.Is(err, c.want) || len(there) > 0 {
					t.Fatalf("after %d reads: %v, %d files left", reads, err, len(there))
				}
			}
		})
	}
}

// TestCompared: what is compared is what would have been written, whatever comes
// later than what stands behind it.
func TestCompared(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	want := deltatest.Noisy(3, 300<<10+77)
	for range 20 {
		var p proven
		c := newCompared(bytes.NewReader(want), int64(len(want)), &p)
		got := bytes.Clone(want) // less what is not written yet
		var holes [][2]int
		for at := 0; at < len(want); {
			n := min(1+r.IntN(40<<10), len(want)-at)
			if hole := r.IntN(n); r.IntN(2) == 0 {
				end := min(hole+1+r.IntN(30), n)
				clear(got[at+hole : at+end])
				holes = append(holes, [2]int{at + hole, at + end})
			}
			if _, err := c.WriteAt(got[at:at+n], int64(at)); err != nil {
				t.Fatal(err)
			}
			at += n
			back := make([]byte, at)
			if err := stored.ReadAt(c, back, 0); err != nil || !bytes.Equal(back, got[:at]) {
				t.Fatalf("it reads as something else: %v", err)
			}
		}
		sum := delta.SumOfBytes(want)
		if err := c.check(sum); !bytes.Equal(got, want) != errors.Is(err, delta.ErrResult) {
			t.Fatalf("with holes: %v", err)
		}
		r.Shuffle(len(holes), func(i, k int) { holes[i], holes[k] = holes[k], holes[i] })
		for _, h := range holes {
			if _, err := c.WriteAt(want[h[0]:h[1]], int64(h[0])); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.check(sum); err != nil || p.n != int64(len(want)) {
			t.Fatalf("%v, %d bytes proved", err, p.n)
		}
		if err := c.check(delta.Sum{}); !errors.Is(err, delta.ErrResult) {
			t.Fatalf("another hash: %v", err)
		}
	}
}

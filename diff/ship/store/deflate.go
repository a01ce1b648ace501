package store

import (
	"runtime"
	"sync"

	"github.com/klauspost/compress"
	"github.com/klauspost/compress/zstd"
)

// A Deflater compresses what a publication writes. It holds on to as many encoders as there
// are processors, of which those of the best level take 40 MB each: a [sync.Pool] drops them
// between two garbage collections, and making them again took a third of the CPU of a
// publication. It is safe for concurrent use; the zero value is ready.
type Deflater struct {
	begin sync.Once
	turns chan struct{} // as many as may compress at once
	spare [len(levels)]chan *zstd.Encoder
}

// levels are what [Deflater.Deflate] compresses with: the second has four times the speed, and
// what is close to noise takes half a percent more with it. docs/tried.md has figures.
var levels = [...]zstd.EncoderLevel{zstd.SpeedBestCompression, zstd.SpeedBetterCompression}

// frameWindow is how far back an encoder looks, which is more than a frame of a pack has.
const frameWindow = 1 << 20

// noisy is the entropy, in bits a byte by how often each value occurs, from which on bytes
// are close to noise.
const noisy = 7

// Deflate returns b as a zstd frame.
func (d *Deflater) Deflate(b []byte) ([]byte, error) {
	if compress.ShannonEntropyBits(b) >= noisy*len(b) {
		return d.deflate(b, 1)
	}
	return d.deflate(b, 0)
}

// DeflateQuickly is [Deflater.Deflate] for a quarter of the CPU and up to a tenth more bytes.
func (d *Deflater) DeflateQuickly(b []byte) ([]byte, error) { return d.deflate(b, 1) }

func (d *Deflater) deflate(b []byte, level int) (frame []byte, err error) {
	d.begin.Do(func() {
		most := runtime.GOMAXPROCS(0)
		d.turns = make(chan struct{}, most)
		for i := range d.spare {
			d.spare[i] = make(chan *zstd.Encoder, most)
		}
	})
	d.turns <- struct{}{}
	defer func() { <-d.turns }()
	var e *zstd.Encoder
	select {
	case e = <-d.spare[level]:
	default:
		e, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(levels[level]), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(frameWindow))
		if err != nil {
			return nil, err
		}
	}
	frame = e.EncodeAll(b, nil)
	d.spare[level] <- e // has room: no more are taken than there are turns
	return frame, nil
}

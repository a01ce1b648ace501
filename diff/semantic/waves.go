package semantic

import (
	"encoding/binary"
	"image"
	"image/color"
)

// The size of drawn samples.
const (
	waveWidth  = 320
	waveHeight = 72
)

// waveColour can be seen on light and dark pages.
var waveColour = color.NRGBA{0x3f, 0x7f, 0xd8, 0xff}

// drawWaves draws the samples of two sounds of the same channels and rate, and how they differ:
// 16 bits, little-endian, channels interleaved. Both are drawn over the time of the longer
// one.
func drawWaves(a, b []byte) *Pictures {
	n := max(len(a), len(b)) / 2
	p := &Pictures{Wave: true}
	p.Old = wave(n, func(i int) int { return sample(a, i) })
	p.New = wave(n, func(i int) int { return sample(b, i) })
	p.Difference = wave(n, func(i int) int { return sample(a, i) - sample(b, i) })
	return p
}

// sample returns one sample, 0 after the end.
func sample(samples []byte, i int) int {
	if 2*i+2 > len(samples) {
		return 0
	}
	return int(int16(binary.LittleEndian.Uint16(samples[2*i:])))
}

// wave draws n samples: each column goes from the least to the largest that it has.
func wave(n int, at func(i int) int) image.Image {
	const scale = 1 << 16
	out := image.NewNRGBA(image.Rect(0, 0, waveWidth, waveHeight))
	row := func(v int) int { return min(max((scale/2-v)*waveHeight/scale, 0), waveHeight-1) }
	for x := range waveWidth {
		from, to := n*x/waveWidth, n*(x+1)/waveWidth
		low, high := 0, 0
		for i := from; i < max(to, from+1) && i < n; i++ {
			v := at(i)
			if i == from {
				low, high = v, v
			}
			low, high = min(low, v), max(high, v)
		}
		for y := row(high); y <= row(low); y++ {
			out.SetNRGBA(x, y, waveColour)
		}
	}
	return out
}

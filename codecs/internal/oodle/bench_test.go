package oodle_test

import (
	"testing"

	"pakdb/codecs/internal/oodle"
)

// benchmark decodes blocks one after another; an operation is all of them.
func benchmark(b *testing.B, blocks []block) {
	total, largest := 0, 0
	for _, v := range blocks {
		total += v.size
		largest = max(largest, v.size)
	}
	dst := make([]byte, largest)
	var d oodle.Decoder
	run := func() {
		for _, v := range blocks {
			if _, err := d.Decode(dst[:v.size], v.src); err != nil {
				b.Fatal(err)
			}
		}
	}
	run() // the scratch is there now
	b.SetBytes(int64(total))
	b.ReportAllocs()
	for b.Loop() {
		run()
	}
}

// BenchmarkSamples decodes the Oodle blocks of the samples, all Kraken: all of them, and by kind and size.
func BenchmarkSamples(b *testing.B) {
	blocks := oodleBlocks(b)
	kinds := map[string][]block{}
	for _, v := range blocks {
		kinds[kind(v)] = append(kinds[kind(v)], v)
	}
	b.Run("all", func(b *testing.B) { benchmark(b, blocks) })
	for _, name := range []string{"stored", "array", "delta/small", "delta/large", "raw/small", "raw/large"} {
		if len(kinds[name]) == 0 {
			continue
		}
		b.Run(name, func(b *testing.B) {
			b.Logf("%d blocks", len(kinds[name]))
			benchmark(b, kinds[name])
		})
	}
}

// kind classifies a block by its first chunk.
func kind(v block) string {
	if v.src[0]&0x40 != 0 {
		return "stored"
	}
	h := v.src[5]
	if h&0x80 == 0 {
		return "array"
	}
	name := "delta"
	if h>>3&15 == 1 {
		name = "raw"
	}
	if v.size < 0x10000 {
		return name + "/small"
	}
	return name + "/large"
}

// BenchmarkMade decodes streams of 256 KiB that the test encoders made: the command coding alone, without entropy-coded
// arrays, but for the rANS codecs.
func BenchmarkMade(b *testing.B) {
	const n = 0x40000
	streams(sample(5, n), func(name string, src []byte) {
		b.Run(name, func(b *testing.B) { benchmark(b, []block{{src: src, size: n}}) })
	})
	for codec, name := range map[byte]string{5: "LZNA", 11: "BitKnit"} {
		src := encodeSmall(smallSample(5, n), codec, 0)
		b.Run(name, func(b *testing.B) { benchmark(b, []block{{src: src, size: n}}) })
	}
}

// BenchmarkArray decodes the vectors' arrays, which are small: the cost of headers and tables.
func BenchmarkArray(b *testing.B) {
	for _, v := range vectors(b) {
		if v.kind == "array" {
			b.Run(v.name, func(b *testing.B) { benchmark(b, []block{{src: v.stream(b), size: v.size}}) })
		}
	}
}

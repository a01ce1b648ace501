package oodle_test

import (
	"testing"

	"pakdb/codecs/compress/oodle"
)

// BenchmarkSamples decodes all Oodle blocks of the samples one after another; one operation is all of them.
func BenchmarkSamples(b *testing.B) {
	blocks := oodleBlocks(b)
	total := 0
	for _, v := range blocks {
		total += v.size
	}
	dst := make([]byte, 1<<18)
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

package oodle_test

import (
	"bytes"
	"errors"
	"testing"

	"pakdb/codecs/internal/oodle"
)

// TestErrors damages vectors in one place and checks the class, the field and the place of the error.
func TestErrors(t *testing.T) {
	src := map[string]vector{}
	for _, v := range vectors(t) {
		src[v.name] = v
	}
	for _, c := range []struct {
		name  string // vector
		at    int    // byte to set, or -1
		to    byte
		grow  int // what to add to the size
		field string
		off   int
		raw   int
		err   error
	}{
		{"F2", 0, 0xCD, 0, "block.magic", 0, 0, oodle.ErrCorrupt},
		{"F2", 0, 0xDC, 0, "block.magic", 0, 0, oodle.ErrCorrupt},
		{"F2", 1, 0x07, 0, "block.codec", 1, 0, errors.ErrUnsupported},
		{"F2", -1, 0, 1, "block.stored", 2, 0, oodle.ErrCorrupt},
		{"F2", -1, 0, -1, "end", 13, 11, oodle.ErrCorrupt},
		{"F1", 2, 0x0B, 0, "quantum.kind", 2, 0, oodle.ErrCorrupt},
		{"F1", -1, 0, 0x40000, "block.header", 6, 0x40000, oodle.ErrCorrupt},
		{"F3", 4, 0x0C, 0, "quantum.size", 2, 0, oodle.ErrCorrupt},
		{"F4", 5, 0x6E, 0, "chunk.kind", 5, 0, oodle.ErrCorrupt},
		{"F4", -1, 0, 1, "chunk.size", 5, 0, oodle.ErrCorrupt},
		{"B2", 5, 0x90, 0, "chunk.mode", 5, 0, oodle.ErrCorrupt},
		{"B2", 6, 0x01, 0, "chunk.size", 5, 0, oodle.ErrCorrupt},
		{"B2", 16, 0x80, 0, "excess", 16, 0, errors.ErrUnsupported},
		{"B2", 16, 0x70, 0, "literals.kind", 16, 0, oodle.ErrCorrupt},
		{"B2", 17, 0x02, 0, "literals.stored", 16, 0, oodle.ErrCorrupt},
		{"B2", 158, 0x70, 0, "commands.kind", 158, 0, oodle.ErrCorrupt},
		{"B2", 161, 0xC5, 0, "commands.run", 8, 0, oodle.ErrCorrupt},
		{"B2", 239, 0x00, 0, "bits.longs", 232, 0, oodle.ErrCorrupt},
		{"K2", -1, 0, -1, "commands.run", 8, 0, oodle.ErrCorrupt},
		{"S1", 5, 0x90, 0, "chunk.mode", 5, 0, oodle.ErrCorrupt},
		{"L5", 5, 0xB8, 0, "chunk.mode", 5, 0, oodle.ErrCorrupt},
	} {
		v := src[c.name]
		p := bytes.Clone(v.src)
		if c.at >= 0 {
			p[c.at] = c.to
		}
		_, err := oodle.Decode(make([]byte, v.size+c.grow), p)
		var e *oodle.Error
		if !errors.As(err, &e) || !errors.Is(err, c.err) {
			t.Errorf("%s, byte %d = %#x: %v, want %v", c.name, c.at, c.to, err, c.err)
			continue
		}
		if e.Field != c.field || e.Offset != c.off || e.Raw != c.raw {
			t.Errorf("%s, byte %d = %#x: %v, want %s at %#x (raw %#x)", c.name, c.at, c.to, err, c.field, c.off, c.raw)
		}
	}
}

func TestEmpty(t *testing.T) {
	if n, err := oodle.Decode(nil, nil); n != 0 || err != nil {
		t.Errorf("nothing: %d, %v", n, err)
	}
	if _, err := oodle.Decode(nil, []byte{0x8C}); !errors.Is(err, oodle.ErrCorrupt) {
		t.Errorf("a byte for nothing: %v", err)
	}
	if _, err := oodle.Decode(make([]byte, 1), nil); !errors.Is(err, oodle.ErrCorrupt) {
		t.Errorf("nothing for a byte: %v", err)
	}
}

// TestRestart checks that a restart inside a stream is refused where its meaning is unknown.
func TestRestart(t *testing.T) {
	data := bytes.Repeat([]byte("restart inside a stream "), 20_000)
	src := encode(data, 6, kraken, variant{mode: 1})
	second := bytes.LastIndex(src, []byte{0x0C, 6})
	src[second] |= 0x80
	n, err := oodle.Decode(make([]byte, len(data)), src)
	var e *oodle.Error
	if n != 0x40000 || !errors.Is(err, errors.ErrUnsupported) || !errors.As(err, &e) || e.Offset != second {
		t.Errorf("%d, %v", n, err)
	}
}

// TestAllocs checks that a Decoder allocates nothing once it has decoded such blocks before.
func TestAllocs(t *testing.T) {
	var all []block
	for _, v := range vectors(t) {
		all = append(all, block{src: v.stream(t), size: v.size})
	}
	for _, codec := range []byte{5, 6, 10, 11, 12} {
		all = append(all, small(codec)...)
	}
	var d oodle.Decoder
	dst := make([]byte, 1<<18)
	n := testing.AllocsPerRun(5, func() {
		for _, b := range all {
			if _, err := d.Decode(dst[:b.size], b.src); err != nil {
				t.Fatal(err)
			}
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

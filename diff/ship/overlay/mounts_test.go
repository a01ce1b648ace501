package overlay_test

import (
	"testing"

	"pakdb/codecs/all"
	"pakdb/diff/ship/overlay"
)

func TestSumShadows(t *testing.T) {
	shadows := []overlay.Shadow{
		{File: &overlay.File{Stored: 5}},
		{File: &overlay.File{Stored: 7}, Tie: true},
		{File: &overlay.File{Stored: 11}, Tie: true, Same: true},
	}
	if stored, ties := overlay.SumShadows(shadows); stored != 23 || ties != 2 {
		t.Errorf("%d bytes, %d ties, want 23 and 2", stored, ties)
	}
}

func TestChunkOfMount(t *testing.T) {
	for _, c := range []struct {
		format, name string
		chunk        int
		ok           bool
	}{
		{"unrealpak", "pakchunk12-WindowsNoEditor.pak", 12, true},
		{"unrealpak", "pakchunk12-WindowsNoEditor_0_P.pak", 12, true},
		{"unrealpak", "Game.pak", 0, false},
		{"gpak", "pakchunk12-WindowsNoEditor.pak", 0, false},
		{"nothing", "pakchunk12.pak", 0, false},
	} {
		m := overlay.Mount{Name: c.name, Format: c.format}
		if chunk, ok := m.Chunk(all.Registry()); chunk != c.chunk || ok != c.ok {
			t.Errorf("%s %s: %d, %v, want %d, %v", c.format, c.name, chunk, ok, c.chunk, c.ok)
		}
	}
}

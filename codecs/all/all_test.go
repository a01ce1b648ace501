package all_test

import (
	"testing"

	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
)

func TestRegistryIsComplete(t *testing.T) {
	if err := all.Registry().Check(); err != nil {
		t.Fatal(err)
	}
}

func TestDetect(t *testing.T) {
	for _, tt := range []struct{ name, bytes, want string }{
		{"KAPG in a file of any name", "KAPG\x01\x00\x00\x00\x00\x00\x00\x00", "gpak"},
		{"IoStore TOC in a file of any name", "-==--==--==--==-", "iostore"},
		{"pak of Quake in a file of any name", "PACK\x0c\x00\x00\x00\x00\x00\x00\x00", "quakepak"},
		{"pack of Git", "PACK\x00\x00\x00\x02\x00\x00\x00\x07x\x9c", "loose"},
		{"a .sip that is none", "not a pak", "loose"},
		{"empty", "", "loose"},
		{"database that is cut", "SQLite format 3\x00", "loose"},
	} {
		f, err := all.Registry().Detect(codecstest.Bytes("Calligraphy.sip", []byte(tt.bytes)))
		if err != nil || f.Name != tt.want {
			t.Errorf("%s: %v, %v", tt.name, f, err)
		}
	}
}

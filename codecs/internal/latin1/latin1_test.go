package latin1_test

import (
	"bytes"
	"errors"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/internal/latin1"
)

func TestEveryByteComesBack(t *testing.T) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	s := latin1.Decode(all)
	if want := "\u00e9"; latin1.Decode([]byte{0xE9}) != want {
		t.Errorf("0xE9 is %q", latin1.Decode([]byte{0xE9}))
	}
	if got, err := latin1.Encode(s); err != nil || !bytes.Equal(got, all) {
		t.Errorf("% x, %v", got, err)
	}
}

func TestEncodeRefuses(t *testing.T) {
	for _, s := range []string{"\u0394", "a\u0100", "\xff"} { // the last is no UTF-8
		if _, err := latin1.Encode(s); !errors.Is(err, codecs.ErrName) {
			t.Errorf("%q: %v", s, err)
		}
	}
}

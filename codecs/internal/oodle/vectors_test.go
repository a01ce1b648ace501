package oodle_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"

	"pakdb/codecs/internal/oodle"
)

// vector is one of testdata/vectors.txt.
type vector struct {
	name, kind, sum, doc string
	size                 int
	src                  []byte
}

// vectors reads testdata/vectors.txt.
func vectors(tb testing.TB) []vector {
	tb.Helper()
	text, err := os.ReadFile("testdata/vectors.txt")
	if err != nil {
		tb.Fatal(err)
	}
	var all []vector
	var code strings.Builder
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		line := s.Text()
		switch {
		case strings.HasPrefix(line, "#"):
		case line == "" && code.Len() > 0:
			src, err := hex.DecodeString(code.String())
			if err != nil {
				tb.Fatal(err)
			}
			all[len(all)-1].src = src
			code.Reset()
		case strings.Contains(line, " "):
			var v vector
			if _, err := fmt.Sscan(line, &v.name, &v.kind, &v.size, &v.sum); err != nil {
				tb.Fatalf("%q: %v", line, err)
			}
			_, v.doc, _ = strings.Cut(line, v.sum+" ")
			all = append(all, v)
		default:
			code.WriteString(line)
		}
	}
	if code.Len() > 0 {
		tb.Fatal("vectors.txt: no empty line behind the last vector")
	}
	return all
}

// stream returns the vector as a whole stream. An array becomes a Kraken stream of a single chunk: a chunk whose first
// bit is 0 is one array. That needs the long form of the header.
func (v vector) stream(tb testing.TB) []byte {
	if v.kind == "block" {
		return v.src
	}
	array := longArray(tb, v.src)
	n := len(array) - 1
	return append([]byte{0x8C, 6, byte(n >> 16), byte(n >> 8), byte(n)}, array...)
}

// longArray returns the array with the long form of its header.
func longArray(tb testing.TB, a []byte) []byte {
	if a[0]&0x80 == 0 {
		return a
	}
	kind := a[0] >> 4 & 7
	if kind == 0 {
		tb.Fatal("stored array")
	}
	v := int(a[0])<<16 | int(a[1])<<8 | int(a[2])
	stored := v & 0x3FF
	size := stored + v>>10&0x3FF + 1
	w := uint64(kind)<<36 | uint64(size-1)<<18 | uint64(stored)
	h := []byte{byte(w >> 32), byte(w >> 24), byte(w >> 16), byte(w >> 8), byte(w)}
	return append(h, a[3:]...)
}

func TestVectors(t *testing.T) {
	all := vectors(t)
	if len(all) != 34 {
		t.Errorf("%d vectors, want 34", len(all))
	}
	var d oodle.Decoder
	for _, v := range all {
		t.Run(v.name, func(t *testing.T) {
			dst := make([]byte, v.size)
			n, err := d.Decode(dst, v.stream(t))
			if n != v.size || err != nil {
				t.Fatalf("%s: %d, %v", v.doc, n, err)
			}
			if sum := sha256.Sum256(dst); hex.EncodeToString(sum[:]) != v.sum {
				t.Errorf("%s: wrong bytes\n%s", v.doc, hex.Dump(dst))
			}
		})
	}
}

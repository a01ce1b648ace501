package coder_test

import (
	"bytes"
	"fmt"
	"log"
	"strings"

	"pakdb/diff/ship/internal/coder"
)

// A content is coded by an older one, and decoded by it.
func Example() {
	old := []byte(strings.Repeat("The quick brown fox jumps over the lazy dog. ", 20))
	new := bytes.Replace(old, []byte("lazy"), []byte("sleeping"), 1)

	var e coder.Encoder
	e.Reset()
	e.Number(0, uint64(len(new)))
	e.Content(new, coder.NewIndex(old), 0, 0)
	stream := e.Bytes()

	var d coder.Decoder
	d.Reset(stream)
	n := d.Number(0)
	decoded, err := d.Content(int(n), bytes.NewReader(old), 0, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(new), "bytes; less than 40 coded:", len(stream) < 40, "same:", bytes.Equal(decoded, new))
	// Output: 904 bytes; less than 40 coded: true same: true
}

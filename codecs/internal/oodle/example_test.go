package oodle_test

import (
	"encoding/hex"
	"errors"
	"fmt"

	"pakdb/codecs/internal/oodle"
)

func ExampleDecode() {
	// A Kraken stream of a single quantum that is one byte, 12 times. The size comes from the container.
	src, _ := hex.DecodeString("8c0607ffff2a")
	dst := make([]byte, 12)
	n, err := oodle.Decode(dst, src)
	fmt.Printf("%d %q %v\n", n, dst, err)
	// Output: 12 "************" <nil>
}

func ExampleError() {
	src := []byte{0x8C, 0x07, 0, 0, 0} // an older codec
	_, err := oodle.Decode(make([]byte, 100), src)
	var e *oodle.Error
	if errors.As(err, &e) && errors.Is(err, errors.ErrUnsupported) {
		fmt.Printf("%s at %d: %v\n", e.Field, e.Offset, err)
	}
	// Output: block.codec at 1: oodle: codec 7 block.codec at 0x1 (raw 0x0): unsupported operation: Oodle codec 7
}

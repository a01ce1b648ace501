package compress

import (
	"errors"
	"sync"

	"pakdb/codecs/internal/oodle"
)

// An oodle.Decoder keeps its tables and scratch space, about 300 KiB.
var oodleDecoders = sync.Pool{New: func() any { return new(oodle.Decoder) }}

func decodeOodle(dst, src []byte) error {
	d := oodleDecoders.Get().(*oodle.Decoder)
	defer oodleDecoders.Put(d)
	n, err := d.Decode(dst, src)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return unsupported(Oodle, err.Error())
	case err != nil:
		return corrupt(Oodle, "%v", err)
	case n != len(dst):
		return corrupt(Oodle, "decoded %d bytes, declared %d", n, len(dst))
	}
	return nil
}

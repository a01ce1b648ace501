package codecstest

import (
	"bytes"

	"pakdb/codecs"
)

// Bytes returns a Source over b.
func Bytes(name string, b []byte) codecs.Source {
	return codecs.Source{ReaderAt: bytes.NewReader(b), Name: name, Size: int64(len(b))}
}

package bin

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
)

// Text returns a text in UTF-8, without its byte order mark. UTF-16 needs the mark.
func Text(text []byte) []byte {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(text, []byte("\xff\xfe")):
		order = binary.LittleEndian
	case bytes.HasPrefix(text, []byte("\xfe\xff")):
		order = binary.BigEndian
	default:
		return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	}
	units := make([]uint16, 0, len(text)/2)
	for i := 2; i+1 < len(text); i += 2 {
		units = append(units, order.Uint16(text[i:]))
	}
	return []byte(string(utf16.Decode(units)))
}

package retropak

import (
	"encoding/binary"
	"errors"
	"math"

	"pakdb/codecs/compress"
	"pakdb/codecs/internal/lzo"
)

// cooks reports whether the game's own cooker compresses content of that type
// and size, in bytes. The lists were derived from the original paks by Prime
// World Editor; the prototype is taken to follow Metroid Prime 3.
func (v variant) cooks(fourCC string, size int64) bool {
	if v.method == compress.None {
		return false
	}
	late, least := v.idBytes == 8, int64(0x400)
	if late {
		least = 0x80
	}
	switch fourCC {
	case "TXTR", "CMDL", "CSKR", "ANCS", "ANIM", "FONT":
		return true
	case "CHAR", "SAND", "SCAN", "CSMP", "STRG", "CAAD", "DCLN":
		return late
	case "PART", "ELSC", "SWHC", "WPSC", "DPSC", "CRSC", "SPSC", "SRSC", "BFRC":
		return size >= least
	}
	return false
}

// pack returns the compressed form of content, header included, or nil when it
// would not take less room in the pak. The real paks give a texture's header a
// block of its own; one block is what editors write, and the games accept it.
func (v variant) pack(content []byte, lzo *lzo.Encoder) ([]byte, error) {
	if v.method == compress.None || int64(len(content)) > math.MaxUint32 {
		return nil, nil
	}
	b := make([]byte, v.headSize(), len(content)/2+64)
	var err error
	if v.method == compress.Zlib {
		b, err = compress.Encode(compress.Zlib, b, content)
	} else {
		b, err = appendSegments(b, content, lzo)
	}
	if err != nil {
		return nil, err
	}
	packed := len(b) - v.headSize()
	if v.alignUp(int64(len(b))) >= v.alignUp(int64(len(content))) || v.cmpd && packed > 0xffffff {
		return nil, nil
	}
	v.putHead(b, packed, len(content))
	return b, nil
}

// appendSegments appends content in segments of LZO1X, each behind its length, at
// the level that the games' own cooker used. A segment that would not become smaller
// is stored, which a negative length says; so is one that takes too long to encode,
// although no 16 KiB are known that do.
func appendSegments(dst, content []byte, encoder *lzo.Encoder) ([]byte, error) {
	var packed []byte
	for len(content) > 0 {
		n := min(len(content), lzo.SegmentSize)
		var err error
		packed, err = encoder.Encode(packed[:0], content[:n], lzo.DefaultLevel)
		if err != nil && !errors.Is(err, lzo.ErrWork) {
			return nil, err
		}
		data, length := packed, len(packed)
		if length == 0 || length >= n {
			data, length = content[:n], -n
		}
		dst = binary.BigEndian.AppendUint16(dst, uint16(int16(length)))
		dst = append(dst, data...)
		content = content[n:]
	}
	return dst, nil
}

// headSize is what stands before the compressed bytes: the decoded size, or a
// CMPD table of one block.
func (v variant) headSize() int {
	if v.cmpd {
		return 16
	}
	return 4
}

// oneBlock is the flag of a block that is the only one.
const oneBlock = 0xa0

func (v variant) putHead(b []byte, packed, size int) {
	if !v.cmpd {
		binary.BigEndian.PutUint32(b, uint32(size))
		return
	}
	copy(b, "CMPD")
	binary.BigEndian.PutUint32(b[4:], 1)
	binary.BigEndian.PutUint32(b[8:], oneBlock<<24|uint32(packed))
	binary.BigEndian.PutUint32(b[12:], uint32(size))
}

package lzo

import (
	"encoding/binary"
	"errors"

	"pakdb/codecs/internal/inflate"
)

// SegmentSize is how many decoded bytes each segment but the last holds.
const SegmentSize = 0x4000

// DecodeSegmented decodes the form in which Retro Studios' games store LZO1X
// (Metroid Prime 2 and 3): segments until dst is full. A segment is a signed
// 16-bit big-endian length and data:
//
//	length > 0   that many bytes of one LZO1X stream, or, as other readers
//	             report, of one zlib stream
//	length < 0   -length bytes, stored as they are
//
// A compressed segment yields exactly [SegmentSize] bytes, or what is missing
// in dst if that is less. A stored one may have any size. zlib is tried only
// where LZO1X does not yield that size: 0x78 begins streams of both.
//
// It stops when dst is full and returns how many bytes of src it consumed. The
// rest of src is not looked at: entries are padded with 0xFF, which would read
// as a stored segment of one byte.
//
// On failure the error is an [*Error] with offsets in src and dst, and read is
// where the failed segment begins. DecodeSegmented is safe for concurrent use;
// dst and src must not overlap.
func DecodeSegmented(dst, src []byte) (read int, err error) {
	s := segments{dst: dst, src: src}
	for s.op < len(dst) {
		if err := s.next(); err != nil {
			return s.ip, err
		}
	}
	return s.ip, nil
}

type segments struct {
	dst, src []byte
	ip, op   int // start of the next segment in src, of its bytes in dst
}

func (s *segments) fail(err error) error { return &Error{Off: s.ip, Out: s.op, Err: err} }

func (s *segments) next() error {
	if len(s.src)-s.ip < 2 {
		return s.fail(ErrInputOverrun)
	}
	length := int(int16(binary.BigEndian.Uint16(s.src[s.ip:])))
	if length == 0 {
		return s.fail(ErrCorrupt)
	}
	data := s.src[s.ip+2:]
	stored := max(length, -length)
	if stored > len(data) {
		return s.fail(ErrInputOverrun)
	}
	if length < 0 {
		return s.copy(data[:stored])
	}
	return s.decode(data[:stored])
}

func (s *segments) copy(data []byte) error {
	if len(data) > len(s.dst)-s.op {
		return s.fail(ErrOutputOverrun)
	}
	s.advance(len(data), copy(s.dst[s.op:], data))
	return nil
}

func (s *segments) decode(data []byte) error {
	dst := s.dst[s.op:]
	dst = dst[:min(len(dst), SegmentSize)]
	n, read, err := Decode(dst, data)
	if err != nil || n != len(dst) {
		if _, zerr := new(inflate.Decoder).Zlib(dst, data); zerr != nil { // no sample has such a segment
			return s.failDecode(n, read, err)
		}
	}
	s.advance(len(data), len(dst))
	return nil
}

// failDecode turns what Decode said of a segment into the same about all of
// src. A stream that ends too early is corrupt.
func (s *segments) failDecode(n, read int, err error) error {
	sentinel := ErrCorrupt
	if err != nil {
		sentinel = errors.Unwrap(err)
	}
	return &Error{Off: s.ip + 2 + read, Out: s.op + n, Err: sentinel}
}

func (s *segments) advance(stored, decoded int) {
	s.ip, s.op = s.ip+2+stored, s.op+decoded
}

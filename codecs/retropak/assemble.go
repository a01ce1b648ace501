package retropak

import (
	"crypto/md5"
	"encoding/binary"
	"io"
	"math"

	"pakdb/codecs"
)

// writePrime writes named resources, entries and data one after the other.
func (w *writer) writePrime() error {
	b := binary.BigEndian.AppendUint32(nil, magicPrime)
	b = binary.BigEndian.AppendUint32(b, 0)
	b = w.appendNames(b)
	size := w.variant.alignUp(int64(len(b) + w.entriesSize()))
	base := size
	if w.based {
		base = 0
	}
	if base+w.data.Size() > math.MaxUint32 {
		return codecs.Errorf(codecs.ErrLimit, "offsets have 32 bits")
	}
	b = w.appendEntries(b, base)
	b = append(b, padding(int64(len(b)), w.variant.align, 0)...)
	if _, err := w.out.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if _, err := w.out.Write(b); err != nil {
		return err
	}
	_, err := w.data.WriteTo(w.out)
	return err
}

// writeCorruption writes header, sections and data, and then, into the header,
// the MD5 of all that follows it.
func (w *writer) writeCorruption() error {
	names := w.padded(w.appendNames(nil))
	entries := w.padded(w.appendEntries(nil, 0))
	toc := binary.BigEndian.AppendUint32(nil, 3)
	for _, s := range []section{
		{name: "STRG", size: int64(len(names))},
		{name: "RSHD", size: int64(len(entries))},
		{name: "DATA", size: w.data.Size()},
	} {
		toc = append(toc, s.name...)
		toc = binary.BigEndian.AppendUint32(toc, uint32(s.size))
	}
	sum := md5.New()
	if _, err := w.out.Seek(headerSize, io.SeekStart); err != nil {
		return err
	}
	both := io.MultiWriter(w.out, sum)
	for _, part := range [][]byte{w.padded(toc), names, entries} {
		if _, err := both.Write(part); err != nil {
			return err
		}
	}
	if _, err := w.data.WriteTo(both); err != nil {
		return err
	}
	return w.writeHeader(sum.Sum(nil))
}

func (w *writer) writeHeader(sum []byte) error {
	b := binary.BigEndian.AppendUint32(make([]byte, 0, headerSize), magicCorruption)
	b = binary.BigEndian.AppendUint32(b, headerSize)
	if w.noMD5 {
		clear(sum)
	}
	b = append(b, sum...)
	if _, err := w.out.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if _, err := w.out.Write(w.padded(b)); err != nil {
		return err
	}
	_, err := w.out.Seek(0, io.SeekEnd)
	return err
}

// padded fills a table up with zeros.
func (w *writer) padded(b []byte) []byte {
	return append(b, padding(int64(len(b)), w.variant.align, 0)...)
}

func (w *writer) appendNames(b []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(w.named)))
	for _, n := range w.named {
		b = w.variant.appendNamed(b, n)
	}
	return b
}

func (w *writer) entriesSize() int { return 4 + len(w.records)*w.variant.recordSize() }

// appendEntries appends the entry table; base is added to offsets.
func (w *writer) appendEntries(b []byte, base int64) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(w.records)))
	for _, rec := range w.records {
		b = binary.BigEndian.AppendUint32(b, rec.compressed)
		b = w.variant.appendID(append(b, rec.fourCC[:]...), rec.id)
		b = binary.BigEndian.AppendUint32(b, uint32(rec.size))
		b = binary.BigEndian.AppendUint32(b, uint32(base+rec.offset))
	}
	return b
}

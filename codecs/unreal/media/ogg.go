package media

import (
	"encoding/binary"
	"sync"

	"pakdb/codecs"
	"pakdb/internal/bin"
)

// opusMagic begins the engine's own container of Opus packets.
const opusMagic = "UEOPUS\x00\x00"

// opusHeader is the header of that container.
type opusHeader struct {
	channels   uint8
	rate       uint32
	samples    uint64
	packets    uint32
	skip       int64 // samples at the start that do not count
	packetSize uint16
}

// readOpusHeader reads the header, and not the table of positions after it.
func readOpusHeader(r *bin.Reader) (h opusHeader, err error) {
	r.Skip(len(opusMagic) + 1)
	h.channels, h.rate = r.U8(), r.U32()
	r.Skip(4) // as it was encoded
	h.samples, h.packets = r.U64(), r.U32()
	skip, begin := r.I32(), r.I32()
	r.Skip(4) // silence at the end
	h.skip = int64(skip) + int64(begin)
	switch {
	case r.Err() != nil:
		return h, r.Err()
	case h.channels == 0 || h.channels > 8 || skip < 0 || begin < 0 || h.skip > 0xFFFF || h.samples > 1<<40:
		return h, codecs.Errorf(codecs.ErrCorrupt, "header of Opus: %d channels, %d samples to skip", h.channels, h.skip)
	}
	return h, nil
}

// oggOpus makes an Ogg file of the engine's container of Opus packets.
func oggOpus(src []byte) ([]byte, error) {
	r := bin.NewReader(src, 0, binary.LittleEndian)
	h, err := readOpusHeader(r)
	if err != nil {
		return nil, err
	}
	if string(r.Bytes(4)) != "SEEK" {
		return nil, codecs.Errorf(codecs.ErrCorrupt, "Opus without its table of positions")
	}
	r.Skip(1)
	h.packetSize = r.U16()
	r.Skip(4)
	r.Skip(2 * r.Count(2))
	if r.Err() != nil {
		return nil, r.Err()
	}
	if h.packetSize == 0 {
		h.packetSize = 960
	}
	w := oggWriter{out: make([]byte, 0, len(src)+len(src)/64+256)}
	w.packet(opusHead(&h), 0)
	w.flush(false)
	w.packet(append([]byte("OpusTags\x05\x00\x00\x00pakdb"), 0, 0, 0, 0), 0)
	w.flush(false)
	end := h.skip + int64(h.samples)
	granule := int64(0)
	for r.Len() > 0 {
		packet := r.Bytes(int(r.U16()))
		if r.Err() != nil {
			return nil, codecs.Errorf(codecs.ErrTruncated, "packet of Opus at 0x%x", r.Off())
		}
		if granule += int64(h.packetSize); r.Len() == 0 {
			granule = min(granule, end)
		}
		w.packet(packet, granule)
	}
	w.flush(true)
	return w.out, nil
}

// opusHead is the first packet of an Ogg file of Opus. More than two channels are laid out
// as Vorbis has them.
func opusHead(h *opusHeader) []byte {
	b := append([]byte("OpusHead\x01"), h.channels)
	b = binary.LittleEndian.AppendUint16(b, uint16(h.skip))
	b = binary.LittleEndian.AppendUint32(b, h.rate)
	b = append(b, 0, 0)
	if h.channels <= 2 {
		return append(b, 0)
	}
	layouts := [][]byte{{2, 1, 0, 2, 1}, {2, 2, 0, 1, 2, 3}, {3, 2, 0, 4, 1, 2, 3}, {4, 2, 0, 4, 1, 2, 3, 5}, {4, 3, 0, 4, 1, 2, 3, 5, 6}, {5, 3, 0, 6, 1, 2, 3, 4, 5, 7}}
	return append(append(b, 1), layouts[h.channels-3]...)
}

// oggWriter writes pages of Ogg.
type oggWriter struct {
	out      []byte
	segments []byte
	body     []byte
	granule  int64 // where the last packet ends that the page ends
	pages    uint32
	goesOn   bool // the page begins within a packet
	open     bool // the page ends within a packet
}

// packet adds a packet, which ends at a position in samples.
func (w *oggWriter) packet(b []byte, granule int64) {
	for {
		if len(w.segments) == 255 {
			w.flush(false)
		}
		n := min(len(b), 255)
		w.segments = append(w.segments, byte(n))
		w.body = append(w.body, b[:n]...)
		w.open = true
		if b = b[n:]; n < 255 {
			break
		}
	}
	w.open, w.granule = false, granule
	if len(w.segments) > 200 {
		w.flush(false)
	}
}

// flush writes the page.
func (w *oggWriter) flush(last bool) {
	if len(w.segments) == 0 && !last {
		return
	}
	at := len(w.out)
	kind := byte(0)
	if w.goesOn {
		kind |= 1
	}
	if w.pages == 0 {
		kind |= 2
	}
	if last {
		kind |= 4
	}
	w.out = append(w.out, "OggS\x00"...)
	w.out = append(w.out, kind)
	w.out = binary.LittleEndian.AppendUint64(w.out, uint64(w.granule))
	w.out = binary.LittleEndian.AppendUint32(w.out, 1) // the stream
	w.out = binary.LittleEndian.AppendUint32(w.out, w.pages)
	w.out = append(w.out, 0, 0, 0, 0, byte(len(w.segments)))
	w.out = append(w.out, w.segments...)
	w.out = append(w.out, w.body...)
	binary.LittleEndian.PutUint32(w.out[at+22:], oggSum(w.out[at:]))
	w.pages++
	w.goesOn = w.open
	w.segments, w.body = w.segments[:0], w.body[:0]
	if w.open {
		w.granule = -1
	}
}

// oggTable is of the CRC of Ogg: polynomial 04C11DB7, the highest bit first.
var oggTable = sync.OnceValue(func() *[256]uint32 {
	var table [256]uint32
	for i := range table {
		v := uint32(i) << 24
		for range 8 {
			if v>>31 != 0 {
				v = v<<1 ^ 0x04C11DB7
			} else {
				v <<= 1
			}
		}
		table[i] = v
	}
	return &table
})

func oggSum(b []byte) (sum uint32) {
	table := oggTable()
	for _, c := range b {
		sum = sum<<8 ^ table[byte(sum>>24)^c]
	}
	return sum
}

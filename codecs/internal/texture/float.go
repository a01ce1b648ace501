package texture

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strconv"

	"pakdb/codecs"
)

// Floats is a picture whose colours may be brighter than white.
type Floats struct {
	Width, Height int
	Pix           []float32 // R G B A, rows from top to bottom
}

// DecodeFloats decodes a picture of floats. The errors are those of [Format.Decode]; of
// formats whose Float is false it wraps [errors.ErrUnsupported].
func (f *Format) DecodeFloats(src []byte, width, height int) (*Floats, error) {
	size, err := f.fits(src, width, height)
	if err != nil {
		return nil, err
	}
	if !f.Float {
		return nil, codecs.Errorf(errors.ErrUnsupported, "%s has no floats", f.Name)
	}
	src = src[:size]
	channels, pixel := 4, plainRGBA16F
	if f.decode != nil {
		raw := make([]byte, width*height*f.pixel)
		f.decodeBlocks(raw, src, width, height)
		src = raw
	} else {
		pixel = f.pixels
	}
	half := pixel != plainR32F && pixel != plainRGBA32F
	switch pixel {
	case plainR16F, plainR32F:
		channels = 1
	case plainRG16F:
		channels = 2
	}
	out := &Floats{width, height, make([]float32, 4*width*height)}
	for i := range width * height {
		to := out.Pix[4*i : 4*i+4]
		for k := range channels {
			at := channels*i + k
			if half {
				to[k] = halfFloat(binary.LittleEndian.Uint16(src[2*at:]))
			} else {
				to[k] = math.Float32frombits(binary.LittleEndian.Uint32(src[4*at:]))
			}
		}
		if channels == 1 {
			to[1], to[2] = to[0], to[0]
		}
		if channels < 4 {
			to[3] = 1
		}
	}
	return out, nil
}

// halfFloat returns the value of a float of 16 bits.
func halfFloat(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10&31), uint32(h&0x3ff)
	switch exponent {
	case 0:
		v := float32(math.Ldexp(float64(fraction), -24))
		return math.Float32frombits(math.Float32bits(v) | sign)
	case 31:
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}

// FloatsBelow returns pictures of one size below each other.
func FloatsBelow(parts []*Floats) *Floats {
	out := &Floats{Width: parts[0].Width}
	for _, p := range parts {
		out.Height += p.Height
		out.Pix = append(out.Pix, p.Pix...)
	}
	return out
}

// EncodeHDR writes a picture as Radiance has it (.hdr): three bytes of colour and one of a
// shared exponent a pixel, in runs. Alpha is lost; what is below 0, or no number, is 0.
func (f *Floats) EncodeHDR(w io.Writer) error {
	out := bufio.NewWriter(w)
	_, _ = out.WriteString("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y " + strconv.Itoa(f.Height) + " +X " + strconv.Itoa(f.Width) + "\n")
	row := make([][4]byte, f.Width)
	for y := range f.Height {
		for x := range row {
			row[x] = rgbe(f.Pix[4*(y*f.Width+x):])
		}
		if f.Width < 8 || f.Width > 1<<15-1 { // such rows have no runs
			for _, p := range row {
				_, _ = out.Write(p[:])
			}
			continue
		}
		_, _ = out.Write([]byte{2, 2, byte(f.Width >> 8), byte(f.Width)})
		for k := range 4 {
			writeRuns(out, row, k)
		}
	}
	return out.Flush()
}

// rgbe returns a colour with a shared exponent.
func rgbe(pix []float32) (p [4]byte) {
	var c [3]float64
	most := 0.0
	for k := range c {
		if v := float64(pix[k]); v > 0 {
			c[k] = min(v, math.MaxFloat32)
		}
		most = max(most, c[k])
	}
	if most < 1e-32 {
		return p
	}
	_, exponent := math.Frexp(most)
	if exponent > 127 {
		return [4]byte{255, 255, 255, 255}
	}
	for k := range c {
		p[k] = byte(min(math.Ldexp(c[k], 8-exponent), 255))
	}
	p[3] = byte(exponent + 128)
	return p
}

// writeRuns writes one component of a row: runs of one byte, and bytes as they are.
func writeRuns(out *bufio.Writer, row [][4]byte, k int) {
	for x := 0; x < len(row); {
		same := 1
		for x+same < len(row) && same < 127 && row[x+same][k] == row[x][k] {
			same++
		}
		if same >= 4 {
			_, _ = out.Write([]byte{byte(128 + same), row[x][k]})
			x += same
			continue
		}
		n := same
		for x+n < len(row) && n < 128 {
			if x+n+3 < len(row) && row[x+n][k] == row[x+n+1][k] && row[x+n][k] == row[x+n+2][k] && row[x+n][k] == row[x+n+3][k] {
				break
			}
			n++
		}
		_ = out.WriteByte(byte(n))
		for _, p := range row[x : x+n] {
			_ = out.WriteByte(p[k])
		}
		x += n
	}
}

// exrRows is how many rows a block of an OpenEXR file has, compressed by ZIP.
const exrRows = 16

// EncodeEXR writes a picture as OpenEXR has it: channels A, B, G, R of 32-bit floats, which
// lose nothing, in blocks of 16 rows that are compressed without loss.
func (f *Floats) EncodeEXR(w io.Writer) error {
	var head bytes.Buffer
	le := binary.LittleEndian
	u32 := func(v uint32) { head.Write(le.AppendUint32(nil, v)) }
	attribute := func(name, kind string, value []byte) {
		head.WriteString(name + "\x00" + kind + "\x00")
		u32(uint32(len(value)))
		head.Write(value)
	}
	u32(20000630) // magic
	u32(2)        // version, of one part in rows
	var channels []byte
	for _, name := range []string{"A", "B", "G", "R"} {
		channels = append(channels, name+"\x00"...)
		channels = le.AppendUint32(channels, 2) // FLOAT
		channels = le.AppendUint32(channels, 0)
		channels = le.AppendUint32(channels, 1) // of every pixel
		channels = le.AppendUint32(channels, 1) // of every row
	}
	attribute("channels", "chlist", append(channels, 0))
	attribute("compression", "compression", []byte{3}) // ZIP
	window := le.AppendUint32(le.AppendUint32(make([]byte, 8), uint32(f.Width-1)), uint32(f.Height-1))
	attribute("dataWindow", "box2i", window)
	attribute("displayWindow", "box2i", window)
	attribute("lineOrder", "lineOrder", []byte{0})
	one := le.AppendUint32(nil, math.Float32bits(1))
	attribute("pixelAspectRatio", "float", one)
	attribute("screenWindowCenter", "v2f", make([]byte, 8))
	attribute("screenWindowWidth", "float", one)
	head.WriteByte(0)

	var blocks [][]byte
	for y := 0; y < f.Height; y += exrRows {
		b, err := f.exrBlock(y, min(f.Height-y, exrRows))
		if err != nil {
			return err
		}
		blocks = append(blocks, b)
	}
	at := uint64(head.Len() + 8*len(blocks))
	for _, b := range blocks {
		head.Write(le.AppendUint64(nil, at))
		at += uint64(len(b))
	}
	if _, err := w.Write(head.Bytes()); err != nil {
		return err
	}
	for _, b := range blocks {
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// exrBlock returns rows as a block: where it begins, its size, and its bytes, compressed if
// that makes them fewer.
func (f *Floats) exrBlock(y, rows int) ([]byte, error) {
	le := binary.LittleEndian
	var raw []byte
	for row := y; row < y+rows; row++ {
		for _, k := range []int{3, 2, 1, 0} {
			for x := range f.Width {
				raw = le.AppendUint32(raw, math.Float32bits(f.Pix[4*(row*f.Width+x)+k]))
			}
		}
	}
	// Bytes at even places are first, and each is the difference to the one before.
	split := make([]byte, 0, len(raw))
	for from := range 2 {
		for i := from; i < len(raw); i += 2 {
			split = append(split, raw[i])
		}
	}
	for i := len(split) - 1; i > 0; i-- {
		split[i] -= split[i-1] - 128
	}
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	if _, err := z.Write(split); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	data := packed.Bytes()
	if len(data) >= len(raw) {
		data = raw
	}
	out := le.AppendUint32(le.AppendUint32(nil, uint32(y)), uint32(len(data)))
	return append(out, data...), nil
}

package texture

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestHalfFloats(t *testing.T) {
	for h, want := range map[uint16]float32{0: 0, 0x3c00: 1, 0xbc00: -1, 0x3555: 0.33325195, 0x7bff: 65504, 1: 5.9604645e-08, 0x03ff: 6.097555e-05, 0x0400: 6.1035156e-05, 0x4500: 5} {
		if got := halfFloat(h); got != want {
			t.Errorf("%04x is %g, want %g", h, got, want)
		}
	}
	if !math.IsInf(float64(halfFloat(0x7c00)), 1) || !math.IsNaN(float64(halfFloat(0x7e00))) {
		t.Error("infinity and no number")
	}
}

// TestDecodeFloats: each format of floats keeps what is brighter than white.
func TestDecodeFloats(t *testing.T) {
	le := binary.LittleEndian
	half := func(values ...uint16) (b []byte) {
		for _, v := range values {
			b = le.AppendUint16(b, v)
		}
		return b
	}
	single := func(values ...float32) (b []byte) {
		for _, v := range values {
			b = le.AppendUint32(b, math.Float32bits(v))
		}
		return b
	}
	for name, c := range map[string]struct {
		src  []byte
		want []float32
	}{
		"PF_R16F":          {half(0x4500), []float32{5, 5, 5, 1}},
		"PF_R32_FLOAT":     {single(2.5), []float32{2.5, 2.5, 2.5, 1}},
		"PF_G16R16F":       {half(0x4500, 0x3c00), []float32{5, 1, 0, 1}},
		"PF_FloatRGBA":     {half(0x4500, 0x3c00, 0xbc00, 0x3800), []float32{5, 1, -1, 0.5}},
		"PF_A32B32G32R32F": {single(5, 1, -1, 0.5), []float32{5, 1, -1, 0.5}},
	} {
		f, err := Named(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.DecodeFloats(c.src, 1, 1)
		if err != nil || !slices.Equal(got.Pix, c.want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		if _, err := f.DecodeFloats(c.src[:1], 1, 1); err == nil {
			t.Errorf("%s: cut", name)
		}
	}
	f, err := Named("PF_DXT1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.DecodeFloats(make([]byte, 8), 4, 4); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("DXT1: %v", err)
	}
}

// TestFloatsOfBlocks: BC6H has the bytes of its floats, and more.
func TestFloatsOfBlocks(t *testing.T) {
	f, err := Named("PF_BC6H")
	if err != nil {
		t.Fatal(err)
	}
	src := make([]byte, 4*16)
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range src {
		src[i] = byte(rnd.Uint32())
	}
	floats, err := f.DecodeFloats(src, 7, 5)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := f.Decode(src, 7, 5)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range pixelsOf(shown) {
		if tone(floats.Pix[i]) != v {
			t.Fatalf("component %d is %g, shown as %d", i, floats.Pix[i], v)
		}
	}
}

func made(width, height int) *Floats {
	f := &Floats{width, height, make([]float32, 4*width*height)}
	rnd := rand.New(rand.NewPCG(3, 4))
	for i := range f.Pix {
		f.Pix[i] = float32(math.Exp(rnd.Float64()*20 - 10))
		if i/4%width < width/2 {
			f.Pix[i] = 3 // a run
		}
		if i%4 == 3 {
			f.Pix[i] = 0.5
		}
	}
	return f
}

// TestEXR reads what was written, by the layout of the format: nothing is lost.
func TestEXR(t *testing.T) {
	for _, side := range [][2]int{{1, 1}, {5, 3}, {40, 33}} {
		f := made(side[0], side[1])
		var b bytes.Buffer
		if err := f.EncodeEXR(&b); err != nil {
			t.Fatal(err)
		}
		got, err := readEXR(b.Bytes(), side[0], side[1])
		if err != nil || !slices.Equal(got, f.Pix) {
			t.Errorf("%v: %v", side, err)
		}
	}
}

// readEXR reads a file of four channels of 32-bit floats, compressed by ZIP.
func readEXR(b []byte, width, height int) ([]float32, error) {
	le := binary.LittleEndian
	if le.Uint32(b) != 20000630 || le.Uint32(b[4:]) != 2 {
		return nil, errors.New("magic")
	}
	at, attributes := 8, map[string][]byte{}
	word := func() string {
		end := at + bytes.IndexByte(b[at:], 0)
		s := string(b[at:end])
		at = end + 1
		return s
	}
	for {
		name := word()
		if name == "" {
			break
		}
		word()
		n := int(le.Uint32(b[at:]))
		attributes[name] = b[at+4 : at+4+n]
		at += 4 + n
	}
	window := attributes["dataWindow"]
	if int(le.Uint32(window[8:])) != width-1 || int(le.Uint32(window[12:])) != height-1 || attributes["compression"][0] != 3 || len(attributes) != 8 {
		return nil, fmt.Errorf("attributes %v", attributes)
	}
	pix := make([]float32, 4*width*height)
	for y := 0; y < height; y += 16 {
		block := b[le.Uint64(b[at+8*(y/16):]):]
		rows := min(height-y, 16)
		raw := block[8 : 8+le.Uint32(block[4:])]
		if int(le.Uint32(block)) != y {
			return nil, fmt.Errorf("block of row %d", le.Uint32(block))
		}
		if size := 16 * width * rows; len(raw) < size {
			z, err := zlib.NewReader(bytes.NewReader(raw))
			if err != nil {
				return nil, err
			}
			split, err := io.ReadAll(z)
			if err != nil || len(split) != size {
				return nil, fmt.Errorf("%d bytes, %w", len(split), err)
			}
			for i := 1; i < size; i++ {
				split[i] += split[i-1] - 128
			}
			raw = make([]byte, size)
			for i := range size {
				raw[i] = split[i/2+i%2*((size+1)/2)]
			}
		}
		for row := range rows {
			for c, k := range []int{3, 2, 1, 0} {
				for x := range width {
					pix[4*((y+row)*width+x)+k] = math.Float32frombits(le.Uint32(raw[4*((4*row+c)*width+x):]))
				}
			}
		}
	}
	return pix, nil
}

// TestRadiance reads what was written: each colour within the precision of its exponent.
func TestRadiance(t *testing.T) {
	for _, side := range [][2]int{{3, 2}, {8, 1}, {300, 3}} {
		f := made(side[0], side[1])
		var b bytes.Buffer
		if err := f.EncodeHDR(&b); err != nil {
			t.Fatal(err)
		}
		got, err := readHDR(&b, side[0], side[1])
		if err != nil {
			t.Fatalf("%v: %v", side, err)
		}
		for i, v := range f.Pix {
			most := max(f.Pix[i/4*4], f.Pix[i/4*4+1], f.Pix[i/4*4+2])
			if i%4 != 3 && math.Abs(float64(got[i]-v)) > float64(most)/128 {
				t.Fatalf("%v: component %d is %g, want %g", side, i, got[i], v)
			}
		}
	}
	bright := &Floats{1, 1, []float32{float32(math.Inf(1)), float32(math.NaN()), -1, 1}}
	if err := bright.EncodeHDR(io.Discard); err != nil {
		t.Error(err)
	}
}

func readHDR(b *bytes.Buffer, width, height int) ([]float32, error) {
	r := bufio.NewReader(b)
	for _, want := range []string{"#?RADIANCE\n", "FORMAT=32-bit_rle_rgbe\n", "\n", fmt.Sprintf("-Y %d +X %d\n", height, width)} {
		if line, err := r.ReadString('\n'); err != nil || line != want {
			return nil, fmt.Errorf("%q, %w", line, err)
		}
	}
	pix := make([]float32, 4*width*height)
	row := make([]byte, 4*width)
	for y := range height {
		if width < 8 {
			if _, err := io.ReadFull(r, row); err != nil {
				return nil, err
			}
		} else {
			var head [4]byte
			if _, err := io.ReadFull(r, head[:]); err != nil || head[0] != 2 || head[1] != 2 || int(head[2])<<8|int(head[3]) != width {
				return nil, fmt.Errorf("row begins with %v, %w", head, err)
			}
			for k := range 4 {
				for x := 0; x < width; {
					n, err := r.ReadByte()
					if err != nil {
						return nil, err
					}
					run := n > 128
					count := int(n & 127)
					if n == 128 {
						count = 128
					}
					v := byte(0)
					for i := range count {
						if i == 0 || !run {
							v, _ = r.ReadByte()
						}
						row[4*x+k] = v
						x++
					}
				}
			}
		}
		for x := range width {
			p := row[4*x : 4*x+4]
			for k := range 3 {
				pix[4*(y*width+x)+k] = float32(math.Ldexp(float64(p[k])+0.5, int(p[3])-136))
			}
		}
	}
	if _, err := r.ReadByte(); err != io.EOF {
		return nil, errors.New("bytes after the last row")
	}
	return pix, nil
}

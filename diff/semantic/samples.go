package semantic

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/unreal/media"
)

// sounds compares the samples of sounds of which both are PCM, and else their streams; nil
// when they are the same.
func sounds(old, new *media.Package, before, after int) (*MediaChange, error) {
	a, err := old.Sound(before)
	if err != nil {
		return nil, err
	}
	b, err := new.Sound(after)
	if err != nil {
		return nil, err
	}
	x, err := old.Stream(a)
	if err != nil {
		return nil, err
	}
	y, err := new.Stream(b)
	if err != nil {
		return nil, err
	}
	if bytes.Equal(x, y) {
		return nil, nil
	}
	c := &MediaChange{Field: "Sound.Samples", Old: length(a), New: length(b) + ", another stream"}
	if a.Codec == media.PCM && b.Codec == media.PCM && a.Channels == b.Channels && a.Rate == b.Rate {
		p, err := samples(x)
		if err != nil {
			return nil, err
		}
		q, err := samples(y)
		if err != nil {
			return nil, err
		}
		c.New = heard(p, q) + length(b)
		c.Pictures = drawWaves(p, q)
		c.Pictures.Text = c.New
	}
	return c, nil
}

func length(s *media.Sound) string { return fmt.Sprintf("%.3f s", s.Duration) }

// heard returns how many samples differ, and by how much of the loudest that there is.
func heard(a, b []byte) string {
	n := min(len(a), len(b)) / 2
	differ, most := 0, 0
	for i := range n {
		d := int(int16(binary.LittleEndian.Uint16(a[2*i:]))) - int(int16(binary.LittleEndian.Uint16(b[2*i:])))
		if d != 0 {
			differ++
		}
		most = max(most, d, -d)
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f %% differ, by at most %.1f %%, ", 100*float64(differ)/float64(n), 100*float64(most)/65535)
}

// CompareWaves compares two .wav of 16 bits; the error is of class codecs.ErrCorrupt for what is
// none.
func CompareWaves(old, new []byte) (*Pictures, error) {
	p, err := samples(old)
	if err != nil {
		return nil, err
	}
	q, err := samples(new)
	if err != nil {
		return nil, err
	}
	waves := drawWaves(p, q)
	waves.Text = strings.TrimSuffix(heard(p, q), ", ")
	return waves, nil
}

// samples returns those of a .wav of 16 bits.
func samples(wav []byte) ([]byte, error) {
	at := bytes.Index(wav[:min(len(wav), 4096)], []byte("data"))
	if at < 0 || len(wav) < at+8 {
		return nil, codecs.Errorf(codecs.ErrCorrupt, "a .wav without samples")
	}
	size := int(binary.LittleEndian.Uint32(wav[at+4:]))
	return wav[at+8 : at+8+min(size, len(wav)-at-8)], nil
}

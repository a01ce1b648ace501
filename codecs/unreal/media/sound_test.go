package media_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/property"
	"pakdb/codecs/unreal/media"
	"pakdb/internal/testkit"
)

// eachSound calls do with each sound of packages.
func eachSound(t testing.TB, all map[string]*media.Package, do func(p *media.Package, x *media.Sound)) {
	t.Helper()
	for name, p := range all {
		for i := range p.Exports {
			if !media.IsSound(p.ClassOf(i)) {
				continue
			}
			x, err := p.Sound(i)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			do(p, x)
		}
	}
}

// samples are what the chunk "data" of a RIFF file has.
func samples(t testing.TB, b []byte) []byte {
	t.Helper()
	at := bytes.Index(b, []byte("data"))
	if at < 0 || !bytes.HasPrefix(b, []byte("RIFF")) {
		t.Fatalf("no RIFF: %.40q", b)
	}
	return b[at+8:][:binary.LittleEndian.Uint32(b[at+4:])]
}

// TestStreams: sounds of the fixtures, in each way of cooking, against the files that they
// were made of.
func TestStreams(t *testing.T) {
	sources := map[string]string{"SW_Inline": "inline.wav", "SW_Streaming": "streaming.wav"}
	want := map[string]string{
		"SW_Inline": "pcm 1 22050 1.000", "SW_Format_BinkAudio": "binka 1 48000 2.000", "SW_Format_Opus": "opus 1 48000 2.000",
		"SW_Format_ADPCM": "pcm 1 48000 2.000", "SW_Format_PCM": "pcm 1 48000 2.000",
	}
	seen := map[string]int{}
	for variant, all := range variants(t) {
		eachSound(t, all, func(p *media.Package, x *media.Sound) {
			got := fmt.Sprintf("%s %d %d %.3f", x.Codec, x.Channels, x.Rate, x.Duration)
			b, err := p.Stream(x)
			if err != nil {
				t.Errorf("%s %s: %v", variant, x.Name, err)
				return
			}
			t.Logf("%s %s: %s %s, %d bytes, %v", variant, x.Name, x.Format, got, len(b), x.Bytes())
			if w, ok := want[x.Name]; ok && got != w {
				t.Errorf("%s %s: %s, want %s", variant, x.Name, got, w)
			}
			if file, ok := sources[x.Name]; ok {
				source, err := os.ReadFile(codecstest.Sample(t, "unreal-media", "SourceAudio", file))
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(samples(t, b), samples(t, source)) {
					t.Errorf("%s %s differs from %s", variant, x.Name, file)
				}
			}
			if x.Codec.Ext() == ".ogg" {
				checkOgg(t, x.Name, b)
			}
			if dir := os.Getenv("PAKDB_PICTURES"); dir != "" {
				_ = os.WriteFile(dir+"/"+variant+" "+x.Name+x.Codec.Ext(), b, 0o600)
			}
			seen[x.Name]++
		})
	}
	for name := range want {
		if seen[name] == 0 {
			t.Errorf("%s was not read", name)
		}
	}
}

// checkOgg checks the pages of an Ogg file: their sums, and that the positions grow to the
// samples of two seconds.
func checkOgg(t testing.TB, name string, b []byte) {
	t.Helper()
	var last int64
	for n := 0; len(b) > 0; n++ {
		if len(b) < 27 || !bytes.HasPrefix(b, []byte("OggS")) {
			t.Fatalf("%s: page %d: %.30q", name, n, b)
		}
		size := 27 + int(b[26])
		for _, k := range b[27:size] {
			size += int(k)
		}
		page := slices.Clone(b[:size])
		sum := binary.LittleEndian.Uint32(page[22:])
		clear(page[22:26])
		var crc uint32
		for _, c := range page {
			crc ^= uint32(c) << 24
			for range 8 {
				if crc>>31 != 0 {
					crc = crc<<1 ^ 0x04C11DB7
				} else {
					crc <<= 1
				}
			}
		}
		if granule := int64(binary.LittleEndian.Uint64(b[6:])); crc != sum || granule < last {
			t.Fatalf("%s: page %d: sum %08x, want %08x; position %d after %d", name, n, sum, crc, granule, last)
		} else {
			last = granule
		}
		if end := b[5]&4 != 0; end != (size == len(b)) {
			t.Errorf("%s: page %d of %d bytes before the last %d", name, n, size, len(b))
		}
		b = b[size:]
	}
	if last < 96_000 || last > 96_000+0xFFFF {
		t.Errorf("%s: ends at %d", name, last)
	}
}

// sound writes a sound as engines do.
func (m *maker) sound(streamed bool) {
	m.noProperties()
	m.put(uint32(1))
	if m.engine >= 504 {
		m.put(uint32(0))
	}
	wave := wave()
	if !streamed {
		m.put(int32(1), int32(slices.Index(names(), "PCM")), int32(0))
		m.bulk(wave, false)
		m.put(make([]byte, 16))
		return
	}
	m.put(make([]byte, 16), int32(2), int32(slices.Index(names(), "PCM")), int32(0))
	m.put(uint32(5))
	m.bulk(wave[:46], false)
	m.put(int32(46), int32(46))
	m.put(uint32(3))
	m.bulk(append(slices.Clone(wave[46:]), 0, 0), false)
	m.put(int32(len(wave)-44), int32(len(wave)-46), uint32(0))
}

// wave is a RIFF file of 100 samples.
func wave() []byte {
	m := &maker{}
	m.put([]byte("RIFF"), uint32(238), []byte("WAVEfmt "), uint32(18), uint16(1), uint16(1), uint32(8000), uint32(16000), uint16(2), uint16(16), uint16(0),
		[]byte("data"), uint32(200), bytes.Repeat([]byte{1, 2}, 100))
	return m.Bytes()
}

func TestSoundsOfEngines(t *testing.T) {
	for _, e := range []property.Engine{419, 427, 500, 503, 504, 600} {
		for _, streamed := range []bool{false, true} {
			m := maker{engine: e, start: 100}
			m.sound(streamed)
			p := made("SoundWave", e, m.Bytes())
			x, err := p.Sound(0)
			if err != nil {
				t.Errorf("%s, streamed %v: %v", e, streamed, err)
				continue
			}
			b, err := p.Stream(x)
			if err != nil || !bytes.Equal(b, wave()) || x.Codec != media.PCM || x.Rate != 8000 || x.Duration != 0.0125 {
				t.Errorf("%s, streamed %v: %+v, %d bytes, %v", e, streamed, x, len(b), err)
			}
		}
	}
}

// TestSoundMutations is [TestMutations] of sounds.
func TestSoundMutations(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	var packages []*media.Package
	for name, p := range zenPackages(t, fixtures, "Zlib", "CUE4ParseFixtures-Minimal-Zlib-Windows.utoc") {
		if strings.HasPrefix(name, "SW_") {
			packages = append(packages, p)
		}
	}
	n := testkit.Of(1000, 10_000)
	for k := range n {
		p := *packages[k%len(packages)]
		damage := func(b []byte) []byte {
			b = slices.Clone(b)
			for range 1 + rnd.IntN(4) {
				b[rnd.IntN(min(len(b), 700))] = []byte{0, 1, 0x7f, 0x80, 0xff, byte(rnd.Uint32())}[rnd.IntN(6)]
			}
			return b[:len(b)-rnd.IntN(2)*rnd.IntN(len(b))]
		}
		bytesOf, open := p.Bytes, p.Open
		p.Bytes = func(i int) ([]byte, error) {
			b, err := bytesOf(i)
			return damage(b), err
		}
		p.Open = func(f media.File) (io.ReaderAt, int64, error) {
			r, size, err := open(f)
			if err != nil {
				return nil, 0, err
			}
			b := make([]byte, size)
			if _, err := r.ReadAt(b, 0); err != nil {
				return nil, 0, err
			}
			b = damage(b)
			return bytes.NewReader(b), int64(len(b)), nil
		}
		for i := range p.Exports {
			if x, err := p.Sound(i); err == nil && k%8 == 0 {
				_, _ = p.Stream(x)
			}
		}
	}
}

// FuzzSound: class data of any kind is an error or a sound, whose stream is an error or a
// file.
func FuzzSound(f *testing.F) {
	engines := []property.Engine{419, 427, 503, 600}
	for i, e := range engines {
		for _, streamed := range []bool{false, true} {
			m := maker{engine: e, start: 100}
			m.sound(streamed)
			f.Add(uint8(i), m.Bytes())
		}
	}
	f.Fuzz(func(t *testing.T, engine uint8, data []byte) {
		p := made("SoundWave", engines[int(engine)%len(engines)], data)
		p.Open = func(media.File) (io.ReaderAt, int64, error) { return bytes.NewReader(data), int64(len(data)), nil }
		x, err := p.Sound(0)
		if err != nil {
			return
		}
		if b, err := p.Stream(x); err != nil && b != nil {
			t.Errorf("%d bytes and %v", len(b), err)
		} else if err == nil && len(b) == 0 && !errors.Is(err, codecs.ErrNotFound) {
			t.Error("a stream of nothing")
		}
	})
}

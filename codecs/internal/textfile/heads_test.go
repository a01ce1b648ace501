package textfile_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/textfile"
	"pakdb/internal/family"
)

func headsInspect(name, body string) (*codecs.Facts, error) {
	return textfile.HeadsInspector().Inspect(context.Background(), strings.NewReader(body), int64(len(body)), &codecs.Entry{Name: name})
}

func section(name string, body []byte) []byte {
	return append(binary.LittleEndian.AppendUint32([]byte(name), uint32(len(body))), body...)
}

// headSamples are made as FORMAT.md says, by name.
func headSamples() map[string]string {
	le, be := binary.LittleEndian, binary.BigEndian
	wave := append([]byte("RIFF\x00\x00\x00\x00WAVE"), section("fmt ", []byte("\xff\xff\x02\x00\x80\xbb\x00\x00"))...)
	wave = append(wave, section("data", make([]byte, 10))...)
	bank := section("BKHD", []byte("\x86\x00\x00\x00\x01\x00\x00\x00"))
	bank = append(bank, section("DIDX", make([]byte, 24))...)
	bank = append(bank, section("HIRC", []byte("\x05\x00\x00\x00rest"))...)
	font := be.AppendUint16([]byte("OTTO"), 1)
	font = append(font, make([]byte, 6)...)
	font = append(font, "maxp\x00\x00\x00\x00\x00\x00\x00\x1c\x00\x00\x00\x06\x00\x00\x50\x00\x01\x02"...)
	var library []byte
	library = le.AppendUint32(library, 2)
	for i, size := range []int{20, 20, 16, 17} {
		n := []int{2, 3, 2, 3}[i]
		library = append(le.AppendUint32(library, uint32(n)), make([]byte, n*size)...)
	}
	cache := le.AppendUint64(nil, 0x5049504543414348)
	cache = le.AppendUint32(le.AppendUint32(cache, 21), 7)
	return map[string]string{"a.wem": string(wave), "a.bnk": string(bank), "a.ufont": string(font), "a.ushaderbytecode": string(library),
		"a.stable.upipelinecache": string(cache), "b.bnk": strings.Repeat("x", 20), "b.ttf": "ttcf\x00\x01\x00\x00\x00\x00\x00\x03        ",
		"a.dds": "DDS \x7c\x00\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00\x08\x00\x00\x00" + strings.Repeat("\x00", 8) + "\x02\x00\x00\x00",
		"a.tga": "\x00\x00\x02" + strings.Repeat("\x00", 9) + "\x02\x00\x01\x00\x18\x20"}
}

var wantHeads = map[string]string{
	"a.wem":                   "riff-wave format 65535 channels 2 sample_rate 48000 sound_bytes 10",
	"a.bnk":                   "wwise-bank version 134 sounds 2 objects 5 sections 3",
	"a.ufont":                 "font tables 1 glyphs 258",
	"a.ushaderbytecode":       "unreal-shader-library version 2 shader_maps 2 shaders 3",
	"a.stable.upipelinecache": "unreal-pipeline-cache version 21 game_version 7",
	"b.bnk":                   "?.bnk",
	"b.ttf":                   "font fonts 3",
	"a.dds":                   "dds width 8 height 4 mips 2",
	"a.tga":                   "tga width 2 height 1",
}

func figuresOf(f *codecs.Facts) string {
	text := f.Kind
	for _, x := range f.Detail.(*family.PlainFacts).Figures {
		text += fmt.Sprintf(" %s %d", x.Name, x.Value)
	}
	return text
}

func TestHeads(t *testing.T) {
	for name, body := range headSamples() {
		if !textfile.HeadsInspector().Match(&codecs.Entry{Name: name}, []byte(body)) {
			t.Errorf("%s is not taken", name)
		}
		facts, err := headsInspect(name, body)
		if err != nil || len(facts.Problems) > 0 || figuresOf(facts) != wantHeads[name] {
			t.Errorf("%s: %v, %+v, wantHeads %s", name, err, facts, wantHeads[name])
		}
	}
}

// TestSound reads a sound that a program of others wrote.
func TestSound(t *testing.T) {
	body, err := os.ReadFile(codecstest.Sample(t, "unreal-media/SourceAudio/inline.wav"))
	if err != nil {
		t.Fatal(err)
	}
	facts, err := headsInspect("a.wav", string(body))
	if err != nil || len(facts.Problems) > 0 || !strings.HasPrefix(figuresOf(facts), "riff-wave format 1 channels ") {
		t.Errorf("%v, %s", err, figuresOf(facts))
	}
}

// TestCutHeads: what goes beyond the end is a problem with its place.
func TestCutHeads(t *testing.T) {
	for name, body := range headSamples() {
		for n := 16; n < len(body); n++ {
			facts, err := headsInspect(name, body[:n])
			if err != nil {
				t.Fatalf("%s of %d bytes: %v", name, n, err)
			}
			for _, p := range facts.Problems {
				if !errors.Is(p, codecs.ErrTruncated) || p.Off < 0 || p.Off > int64(n) || p.Field == "" {
					t.Errorf("%s of %d bytes: %v", name, n, p)
				}
			}
		}
	}
}

func TestHeadsCorpus(t *testing.T) {
	for name, body := range headSamples() {
		codecstest.Corpus(t, *update, "FuzzHeadsInspect", name, fmt.Sprintf("string(%q)", name), fmt.Sprintf("string(%q)", body))
	}
}

func FuzzHeadsInspect(f *testing.F) {
	f.Fuzz(func(t *testing.T, name, body string) {
		if !textfile.HeadsInspector().Match(&codecs.Entry{Name: name}, []byte(body)) {
			return
		}
		facts, err := textfile.HeadsInspector().Inspect(context.Background(), bytes.NewReader([]byte(body)), int64(len(body)), &codecs.Entry{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		facts.Detail.Batch()
	})
}

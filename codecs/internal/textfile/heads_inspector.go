package textfile

import (
	"context"
	_ "embed"
	"encoding/binary"
	"io"
	"path"
	"strings"

	"pakdb/codecs"
	"pakdb/internal/family"
)

//go:embed HEADS.md
var headsSpec string

const headsFormatName = "heads"

// head reads the facts of a kind of content.
type head struct {
	kind   string
	begins func(start string) bool
	read   func(*reader)
}

var waves = head{"riff-wave", func(s string) bool { return (s[:4] == "RIFF" || s[:4] == "RIFX") && s[8:12] == "WAVE" }, (*reader).wave}
var fonts = head{"font", func(s string) bool { return strings.Contains("\x00\x01\x00\x00|OTTO|true|ttcf", s[:4]) }, (*reader).font}

// byExtension are the kinds of files.
var byExtension = map[string]head{
	".wem":             waves,
	".wav":             waves,
	".bnk":             {"wwise-bank", func(s string) bool { return s[:4] == "BKHD" }, (*reader).bank},
	".ufont":           fonts,
	".ttf":             fonts,
	".otf":             fonts,
	".ushaderbytecode": {"unreal-shader-library", func(s string) bool { return binary.LittleEndian.Uint32([]byte(s)) <= 64 }, (*reader).shaders},
	".dds":             {"dds", func(s string) bool { return s[:4] == "DDS " }, (*reader).dds},
	".tga":             {"tga", func(s string) bool { return s[1] <= 1 && s[2]&^8 >= 1 && s[2]&^8 <= 3 }, (*reader).tga},
	".upipelinecache":  {"unreal-pipeline-cache", func(s string) bool { return s[:8] == "HCACEPIP" }, (*reader).pipelines},
}

// HeadsInspector returns the inspector of heads. Its facts have a [*family.PlainFacts].
func HeadsInspector() *codecs.Inspector {
	return &codecs.Inspector{
		Name:     headsFormatName,
		Doc:      "heads of shader libraries, sounds and banks of Wwise, fonts, pipeline caches, pictures",
		Spec:     headsSpec,
		Revision: 2,
		Match:    headsMatch,
		Inspect:  headsInspect,
	}
}

// extension returns the last extension of a name, in lower case.
func extension(e *codecs.Entry) string { return strings.ToLower(path.Ext(e.Name)) }

func headsMatch(e *codecs.Entry, start []byte) bool {
	_, ok := byExtension[extension(e)]
	return ok && len(start) >= 16
}

func headsInspect(ctx context.Context, content io.ReaderAt, size int64, e *codecs.Entry) (*codecs.Facts, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ext := extension(e)
	h := byExtension[ext]
	r := &reader{content: content, size: size, order: binary.LittleEndian, facts: &family.PlainFacts{}}
	start := string(r.at(0, 16))
	if r.err != nil {
		err, off := codecs.Classify(r.err, 0)
		return nil, headsProblem("head", off, err)
	}
	if h.read == nil || !h.begins(start) {
		return &codecs.Facts{Kind: "?" + ext, Detail: r.facts}, nil
	}
	h.read(r)
	if r.err != nil {
		err, off := codecs.Classify(r.err, min(r.off, size))
		r.add("content", off, err)
	}
	return &codecs.Facts{Kind: h.kind, Detail: r.facts, Problems: r.problems}, nil
}

func headsProblem(field string, off int64, err error) *codecs.FormatError {
	return &codecs.FormatError{Format: headsFormatName, Field: field, Off: off, Err: err}
}

// reader reads parts of a content. Its first error ends it.
type reader struct {
	content  io.ReaderAt
	size     int64
	order    binary.ByteOrder
	facts    *family.PlainFacts
	problems []*codecs.FormatError
	err      error
	off      int64 // of what was read last
}

func (r *reader) add(field string, off int64, err error) {
	r.problems = append(r.problems, headsProblem(field, off, err))
}

func (r *reader) tell(name string, value int64) {
	r.facts.Figures = append(r.facts.Figures, family.Figure{Name: name, Value: value})
}

// at returns n bytes at an offset, zeros after an error.
func (r *reader) at(off int64, n int) []byte {
	b := make([]byte, n)
	if r.err != nil {
		return b
	}
	r.off = off
	if off < 0 || off+int64(n) > r.size {
		r.err = codecs.Errorf(codecs.ErrTruncated, "%d bytes at %d of %d", n, off, r.size)
		return b
	}
	if _, err := r.content.ReadAt(b, off); err != nil && err != io.EOF {
		r.err = err
	}
	return b
}

func (r *reader) u32(off int64) int64 { return int64(r.order.Uint32(r.at(off, 4))) }
func (r *reader) u16(off int64) int64 { return int64(r.order.Uint16(r.at(off, 2))) }

// maxSections bounds the sections of a file: each takes 8 bytes at least.
const maxSections = 1 << 16

// sections yields the sections of a file from an offset on, and where their bytes are. One
// that goes beyond the end is a problem, and the last.
func (r *reader) sections(off, even int64, yield func(name string, at, size int64)) {
	for n := 0; off+8 <= r.size && n < maxSections && r.err == nil; n++ {
		name, size := string(r.at(off, 4)), r.u32(off+4)
		if size > r.size-off-8 {
			r.add("section", off, codecs.Errorf(codecs.ErrTruncated, "%q has %d bytes, %d are left", name, size, r.size-off-8))
			return
		}
		yield(name, off+8, size)
		off += 8 + size + size%even
	}
}

func (r *reader) wave() {
	if string(r.at(0, 4)) == "RIFX" {
		r.order = binary.BigEndian
	}
	r.sections(12, 2, func(name string, at, size int64) {
		switch {
		case name == "fmt " && size >= 8:
			r.tell("format", r.u16(at))
			r.tell("channels", r.u16(at+2))
			r.tell("sample_rate", r.u32(at+4))
		case name == "data":
			r.tell("sound_bytes", size)
		}
	})
}

func (r *reader) bank() {
	count := int64(0)
	r.sections(0, 1, func(name string, at, size int64) {
		count++
		switch {
		case name == "BKHD" && size >= 8:
			r.tell("version", r.u32(at))
		case name == "DIDX":
			r.tell("sounds", size/12)
		case name == "HIRC" && size >= 4:
			r.tell("objects", r.u32(at))
		}
	})
	r.tell("sections", count)
}

func (r *reader) font() {
	r.order = binary.BigEndian
	if string(r.at(0, 4)) == "ttcf" {
		r.tell("fonts", r.u32(8))
		return
	}
	tables := r.u16(4)
	r.tell("tables", tables)
	for i := range tables {
		at := 12 + 16*i
		if string(r.at(at, 4)) == "maxp" {
			r.tell("glyphs", r.u16(r.u32(at+8)+4))
			return
		}
	}
}

func (r *reader) shaders() {
	r.tell("version", r.u32(0))
	off := int64(4)
	var counts [4]int64
	for i, size := range []int64{20, 20, 16, 17} {
		counts[i] = r.u32(off)
		if off += 4; counts[i]*size > r.size-off || r.err != nil {
			r.err = nil // of another version
			return
		}
		off += counts[i] * size
	}
	if counts[0] == counts[2] && counts[1] == counts[3] {
		r.tell("shader_maps", counts[0])
		r.tell("shaders", counts[1])
	}
}

func (r *reader) dds() {
	r.tell("width", r.u32(16))
	r.tell("height", r.u32(12))
	r.tell("mips", max(1, r.u32(28)))
}

func (r *reader) tga() {
	r.tell("width", r.u16(12))
	r.tell("height", r.u16(14))
}

func (r *reader) pipelines() {
	r.tell("version", r.u32(8))
	r.tell("game_version", r.u32(12))
}

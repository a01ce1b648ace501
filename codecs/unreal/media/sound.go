package media

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/internal/property"
	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

// Sound is the facts of a sound.
type Sound struct {
	Export      int
	Class, Name string
	Format      string // as the engine names it: "OGG", "BINKA"; "" in UE1 to UE3
	Codec       Codec
	// Channels, Rate and Duration are what the header of the stream says, and else the
	// properties; 0 where neither does.
	Channels, Rate int
	Duration       float64 // seconds

	parts  []soundPart
	inside []byte // bytes of the export
}

// soundPart is where a part of the stream lies. Audio is how much of it counts.
type soundPart struct {
	Bulk
	audio int64
}

// Codec is how samples are stored.
type Codec string

// The codecs.
const (
	PCM     Codec = "pcm"
	ADPCM   Codec = "adpcm"
	Vorbis  Codec = "vorbis"
	Opus    Codec = "opus"
	Bink    Codec = "binka"
	Rad     Codec = "rada"
	XMA     Codec = "xma"
	Wwise   Codec = "wem"
	Unknown Codec = "unknown"
)

// Ext returns the extension of a file that has the stream as [Package.Stream] gives it.
func (c Codec) Ext() string {
	switch c {
	case PCM, ADPCM:
		return ".wav"
	case Vorbis, Opus:
		return ".ogg"
	}
	return "." + string(c)
}

// IsSound reports whether exports of a class are sounds that have samples.
func IsSound(class string) bool { return hasName(sounds(), class) }

func sounds() []string { return []string{"SoundWave", "SoundNodeWave", "Sound"} }

// Sound returns the facts of export i.
func (p *Package) Sound(i int) (*Sound, error) {
	if i < 0 || i >= len(p.Exports) || !IsSound(p.ClassOf(i)) {
		return nil, codecs.Errorf(codecs.ErrNotFound, "no sound is export %d", i+1)
	}
	s := &Sound{Export: i, Class: p.ClassOf(i), Name: p.NameOf(p.Exports[i].Name), Codec: Unknown}
	var x *property.Export
	var err error
	if p.Modern() {
		_, x, err = object(p, i, startsSound, func(r *reader) bool {
			s.inside = r.data
			return readSound(r, s)
		})
	} else {
		x, err = oldSound(p, i, s)
	}
	if err != nil {
		return nil, err
	}
	if x.Status != property.Lost {
		s.describe(&x.List)
	}
	s.probe(p)
	return s, nil
}

// describe takes what the properties say.
func (s *Sound) describe(l *property.List) {
	for _, n := range l.Children(-1) {
		switch strings.ToLower(n.Name) {
		case "duration":
			s.Duration = n.Float()
		case "numchannels":
			s.Channels = int(n.Int())
		case "samplerate":
			s.Rate = int(n.Int())
			if n.Kind == property.Float {
				s.Rate = int(n.Float())
			}
		}
	}
}

// startsSound reports whether class data of a cooked sound may begin with b.
func startsSound(b []byte) bool {
	return len(b) >= 24 && binary.LittleEndian.Uint32(b)&^7 == 0 && b[0]&1 == 1
}

// readSound reads the data of a sound's class. Nothing says which of two forms it has: the
// right one ends where the export ends.
func readSound(r *reader, s *Sound) bool {
	start := r.Reader
	for _, form := range []func(*reader, *Sound){readInline, readStreamed} {
		r.Reader = start
		s.parts, s.Format = nil, ""
		if form(r, s); r.ok() && r.Len() == 0 {
			return true
		}
	}
	r.want(false)
	return false
}

// isCooked reads the flags in front of both forms.
func isCooked(r *reader) bool {
	flags := r.U32()
	r.want(flags&^7 == 0)
	if r.engine >= 504 && flags&1 != 0 {
		r.want(r.U32() == 0) // lists of cue points
	}
	return flags&1 != 0
}

// maxParts bounds the parts of a stream, and the formats of one sound.
const maxParts = 1 << 16

func readInline(r *reader, s *Sound) {
	if isCooked(r) {
		n := r.side()
		r.want(n > 0 && n <= 16)
		for k := range n {
			if !r.ok() {
				return
			}
			format, b := r.name(), r.bulk()
			if k == 0 {
				s.Format = format
				s.parts = []soundPart{{b, b.Size}}
			}
		}
	} else {
		b := r.bulk()
		s.parts = []soundPart{{b, b.Size}}
	}
	r.Skip(16)
}

func readStreamed(r *reader, s *Sound) {
	cooked := isCooked(r)
	r.Skip(16)
	if !cooked {
		return
	}
	n := r.side()
	s.Format = r.name()
	r.want(n > 0 && n <= maxParts)
	for range n {
		if !r.ok() {
			return
		}
		flags := r.U32()
		r.want(flags&^7 == 0)
		part := soundPart{Bulk: r.bulk()}
		size := int64(r.I32())
		part.audio = int64(r.I32())
		r.want(part.audio >= 0 && part.audio <= size)
		if flags&2 != 0 {
			r.Skip(4)
		}
		s.parts = append(s.parts, part)
	}
}

// oldSound reads a sound of UE1 to UE3.
func oldSound(p *Package, i int, s *Sound) (*property.Export, error) {
	r, err := oldObject(p, i)
	if err != nil {
		return nil, err
	}
	s.inside = r.Data
	if r.Version >= unreal.VerUE3 {
		return r.x, r.sound3(s)
	}
	start := *r.In
	for _, skip := range []int{0, 4} { // some games have a float in front
		*r.In = start
		r.Name()
		r.In.Skip(skip)
		if r.Version >= 63 {
			r.In.Skip(4)
		}
		n := r.Count(1)
		b := Bulk{Offset: r.In.Off(), Stored: int64(n), Size: int64(n)}
		if data := r.In.Bytes(n); r.In.Err() == nil && bytes.HasPrefix(data, []byte("RIFF")) {
			s.parts = []soundPart{{b, b.Size}}
			return r.x, nil
		}
	}
	return nil, errLayout
}

// sound3 reads a sound of UE3: as it was imported, then for each platform.
func (r *oldReader) sound3(s *Sound) error {
	var all []Bulk
	for r.In.Len() >= 16 && len(all) < 16 {
		b := r.bulk3(Whole)
		if err := r.In.Err(); err != nil {
			return err
		}
		all = append(all, b)
	}
	for _, k := range []int{1, 0, 2, 3} { // the PC's, the imported one, consoles'
		if k < len(all) && all[k].Size > 0 {
			s.parts = []soundPart{{all[k], all[k].Size}}
			return nil
		}
	}
	return ErrElsewhere
}

// probe takes what the beginning of the stream says, if it can be read.
func (s *Sound) probe(p *Package) {
	s.Codec = codecNamed(s.Format)
	if len(s.parts) == 0 {
		return
	}
	head, err := bytesAt(p, &s.parts[0].Bulk, s.inside)
	if err != nil {
		return
	}
	size := int64(0)
	for _, part := range s.parts {
		size += part.audio
	}
	s.header(head, size)
}

// codecNames are the codecs by the names of the engine's formats.
var codecNames = map[string]Codec{"PCM": PCM, "ADPCM": ADPCM, "OGG": Vorbis, "OPUS": Opus, "BINKA": Bink, "RADA": Rad, "XMA": XMA}

// codecNamed returns the codec of a format as the engine names it: cut at the first digit,
// which begins settings.
func codecNamed(format string) Codec {
	name, _, _ := strings.Cut(format, "_")
	if i := strings.IndexAny(name, "0123456789"); i > 0 {
		name = name[:i]
	}
	return cmp.Or(codecNames[strings.ToUpper(name)], Unknown)
}

// header reads the first bytes of a stream of size bytes.
func (s *Sound) header(head []byte, size int64) {
	r := bin.NewReader(head, 0, binary.LittleEndian)
	switch {
	case bytes.HasPrefix(head, []byte("RIFF")):
		s.riff(r, size)
	case bytes.HasPrefix(head, []byte("OggS")):
		s.ogg(head)
	case bytes.HasPrefix(head, []byte(opusMagic)):
		s.Codec = Opus
		if h, err := readOpusHeader(r); err == nil {
			s.Channels, s.Rate = int(h.channels), int(h.rate)
			s.seconds(h.samples)
		}
	case bytes.HasPrefix(head, []byte("ABEU")):
		s.Codec = Bink
		r.Skip(5)
		channels := int(r.U8())
		r.Skip(2)
		if rate, samples := int(r.U32()), r.U32(); r.Err() == nil {
			s.Channels, s.Rate = channels, rate
			s.seconds(uint64(samples))
		}
	case bytes.HasPrefix(head, []byte("ADAR")):
		s.Codec = Rad
	}
}

func (s *Sound) seconds(samples uint64) {
	if s.Rate > 0 {
		s.Duration = float64(samples) / float64(s.Rate)
	}
}

// riff reads the chunks of a RIFF file.
func (s *Sound) riff(r *bin.Reader, size int64) {
	r.Skip(12)
	perSecond, tag := int64(0), uint16(0)
	for r.Len() >= 8 {
		name, n := string(r.Bytes(4)), int64(r.U32())
		at := r.Off()
		switch name {
		case "fmt ":
			tag, s.Channels, s.Rate, perSecond = r.U16(), int(r.U16()), int(r.U32()), int64(r.U32())
		case "data":
			n = min(n, size-at)
			if perSecond > 0 && n > 0 && r.Err() == nil {
				s.Duration = float64(n) / float64(perSecond)
			}
		}
		rest := at + n + n&1 - r.Off()
		if r.Err() != nil || rest < 0 || rest > int64(r.Len()) {
			break
		}
		r.Skip(int(rest))
	}
	switch tag {
	case 1, 3, 0xFFFE:
		s.Codec = PCM
		if tag == 0xFFFE && s.Format == "" && perSecond == 0 {
			s.Codec = Unknown
		}
	case 2, 0x11:
		s.Codec = ADPCM
	case 0x165, 0x166:
		s.Codec = XMA
	case 0xFFFF, 0x3039, 0x3040, 0x3041:
		s.Codec = Wwise
	}
}

// ogg reads the first page of an Ogg file.
func (s *Sound) ogg(head []byte) {
	if len(head) < 28 {
		return
	}
	at := 27 + int(head[26])
	if len(head) < at+19 {
		return
	}
	switch b := head[at:]; {
	case bytes.HasPrefix(b, []byte("\x01vorbis")):
		s.Codec, s.Channels, s.Rate = Vorbis, int(b[11]), int(binary.LittleEndian.Uint32(b[12:]))
	case bytes.HasPrefix(b, []byte("OpusHead")):
		s.Codec, s.Channels, s.Rate = Opus, int(b[9]), int(binary.LittleEndian.Uint32(b[12:]))
	}
}

// Bytes returns how many bytes the stream takes by the files in which it lies.
func (s *Sound) Bytes() map[File]int64 {
	all := map[File]int64{}
	for i := range s.parts {
		if n := s.parts[i].Size; n > 0 {
			all[s.parts[i].File] += n
		}
	}
	return all
}

// Stream returns a file of the sound: WAVE of samples that are PCM or ADPCM, Ogg of Vorbis
// and Opus; of other codecs the stream as it is. The error wraps [ErrNoBytes] where a part
// lies in a file that is not there.
func (p *Package) Stream(s *Sound) ([]byte, error) {
	var out []byte
	for i := range s.parts {
		part := &s.parts[i]
		if part.Size == 0 {
			continue
		}
		b, err := bytesAt(p, &part.Bulk, s.inside)
		if err != nil {
			return nil, err
		}
		if int64(len(b)) < part.audio {
			return nil, codecs.Errorf(codecs.ErrTruncated, "part %d of %d bytes, %d are declared", i, len(b), part.audio)
		}
		if len(out)+len(b) > maxBulk {
			return nil, codecs.Errorf(codecs.ErrLimit, "sound of more than %d bytes", maxBulk)
		}
		out = append(out, b[:part.audio]...)
	}
	if len(out) == 0 {
		return nil, ErrElsewhere
	}
	if bytes.HasPrefix(out, []byte(opusMagic)) {
		return oggOpus(out)
	}
	return out, nil
}

package rows

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"pakdb/codecs/unreal/media"
	"pakdb/internal/family"
)

// textureRow is what a texture is.
type textureRow struct {
	export                             int32
	format, group, kind                int32 // words; -1: none
	width, height, slices, first, mips int64
	virtual                            bool
	srgb                               any
	why                                int32 // text; -1: none
}

// mipRow is where bytes of a texture lie.
type mipRow struct {
	export             int32
	mip, width, height any
	file               int32 // word
	size               int64
}

// soundRow is what a sound is.
type soundRow struct {
	export         int32
	codec          int32 // word
	channels, rate any
	duration       any
	bytes, beside  int64
	why            int32 // text; -1: none
}

// The tables of textures and sounds; see 0025_media.sql.
var (
	textures = family.NewTable("texture", "",
		family.ValueColumn("export", func(t *textureRow) any { return int64(t.export) }),
		family.WordColumn("format_id", func(t *textureRow) int32 { return t.format }),
		family.ValueColumn("width", func(t *textureRow) any { return t.width }),
		family.ValueColumn("height", func(t *textureRow) any { return t.height }),
		family.ValueColumn("slices", func(t *textureRow) any { return t.slices }),
		family.ValueColumn("first_mip", func(t *textureRow) any { return t.first }),
		family.ValueColumn("mips", func(t *textureRow) any { return t.mips }),
		family.ValueColumn("virtual", func(t *textureRow) any { return number(t.virtual) }),
		family.ValueColumn("srgb", func(t *textureRow) any { return t.srgb }),
		family.WordColumn("group_id", func(t *textureRow) int32 { return t.group }),
		family.WordColumn("compress_id", func(t *textureRow) int32 { return t.kind }),
		family.TextColumn("why_id", func(t *textureRow) int32 { return t.why })).OfSet()
	mips = family.NewTable("texture_mip", "seq",
		family.ValueColumn("export", func(m *mipRow) any { return int64(m.export) }),
		family.ValueColumn("mip", func(m *mipRow) any { return m.mip }),
		family.ValueColumn("width", func(m *mipRow) any { return m.width }),
		family.ValueColumn("height", func(m *mipRow) any { return m.height }),
		family.WordColumn("file_id", func(m *mipRow) int32 { return m.file }),
		family.ValueColumn("size", func(m *mipRow) any { return m.size })).OfSet()
	sounds = family.NewTable("sound", "",
		family.ValueColumn("export", func(s *soundRow) any { return int64(s.export) }),
		family.WordColumn("codec_id", func(s *soundRow) int32 { return s.codec }),
		family.ValueColumn("channels", func(s *soundRow) any { return s.channels }),
		family.ValueColumn("rate", func(s *soundRow) any { return s.rate }),
		family.ValueColumn("duration", func(s *soundRow) any { return s.duration }),
		family.ValueColumn("bytes", func(s *soundRow) any { return s.bytes }),
		family.ValueColumn("beside", func(s *soundRow) any { return s.beside }),
		family.TextColumn("why_id", func(s *soundRow) int32 { return s.why })).OfSet()
)

func number(v bool) int64 {
	if v {
		return 1
	}
	return 0
}

// mediaMaker makes rows of the textures and sounds of a package.
type mediaMaker struct {
	*maker
	words    map[string]int32
	textures []textureRow
	mips     []mipRow
	sounds   []soundRow
}

// addMedia returns rows of the textures and sounds of a package, whose words and texts it
// adds to m.
func addMedia(m *maker) ([]family.Rows, error) {
	var machine error
	p := &media.Package{PackageFacts: m.p.PackageFacts, Options: m.p.Options, Bytes: func(export int) ([]byte, error) {
		data, err := m.p.bytes(export)
		machine = cmp.Or(machine, err)
		return data, cmp.Or(err, m.p.troubles.unread[export])
	}}
	k := &mediaMaker{maker: m, words: map[string]int32{}}
	for i := range p.Exports {
		switch class := p.ClassOf(i); {
		case media.IsTexture(class):
			k.texture(p, i)
		case media.IsSound(class):
			k.sound(p, i)
		}
	}
	if machine != nil || k.textures == nil && k.sounds == nil {
		return nil, machine
	}
	return []family.Rows{textures.Rows(k.textures...), mips.Rows(k.mips...), sounds.Rows(k.sounds...)}, nil
}

// wordText returns the position of a word, -1 for none.
func (k *mediaMaker) wordText(s string) int32 {
	if s == "" {
		return -1
	}
	return k.keepWord(s)
}

// keepWord returns the position of a word, which may be "".
func (k *mediaMaker) keepWord(s string) int32 {
	i, ok := k.words[s]
	if !ok {
		i = int32(len(k.maker.words))
		k.maker.words = append(k.maker.words, strings.Clone(s))
		k.words[s] = i
	}
	return i
}

// fileWord returns the word of a file, which is "" for bytes inside the package.
func (k *mediaMaker) fileWord(f media.File) int32 {
	if f == media.Inside || f == media.Whole {
		f = ""
	}
	return k.keepWord(string(f))
}

func (k *mediaMaker) texture(p *media.Package, i int) {
	row := textureRow{export: int32(i), format: -1, group: -1, kind: -1, why: -1}
	t, err := p.Texture(i)
	if err != nil {
		row.why = k.text(err.Error())
		k.p.lose(i, picturePart, err)
		k.textures = append(k.textures, row)
		return
	}
	row.format, row.group, row.kind = k.wordText(t.Format), k.wordText(t.Group), k.wordText(t.Kind)
	row.width, row.height, row.slices = int64(t.Width), int64(t.Height), int64(t.Slices)
	row.first, row.mips, row.virtual = int64(t.First), int64(len(t.Mips)), t.Virtual()
	if t.Why == nil {
		row.srgb = number(t.SRGB)
	}
	k.textures = append(k.textures, row)
	if t.Virtual() {
		all := t.Bytes()
		for _, f := range slices.Sorted(maps.Keys(all)) {
			k.mips = append(k.mips, mipRow{export: int32(i), file: k.fileWord(f), size: all[f]})
		}
		return
	}
	for at := range t.Mips {
		m := &t.Mips[at]
		k.mips = append(k.mips, mipRow{export: int32(i), mip: int64(t.First + at), width: int64(m.Width), height: int64(m.Height),
			file: k.fileWord(m.File), size: m.Size})
	}
}

func (k *mediaMaker) sound(p *media.Package, i int) {
	row := soundRow{export: int32(i), why: -1, codec: k.wordText(string(media.Unknown))}
	s, err := p.Sound(i)
	if err != nil {
		row.why = k.text(err.Error())
		k.p.lose(i, soundPart, err)
		k.sounds = append(k.sounds, row)
		return
	}
	row.codec = k.wordText(string(cmp.Or(s.Codec, media.Unknown)))
	if s.Channels > 0 {
		row.channels = int64(s.Channels)
	}
	if s.Rate > 0 {
		row.rate = int64(s.Rate)
	}
	if s.Duration > 0 {
		row.duration = s.Duration
	}
	for f, n := range s.Bytes() {
		row.bytes += n
		if f != media.Inside && f != media.Whole {
			row.beside += n
		}
	}
	k.sounds = append(k.sounds, row)
}

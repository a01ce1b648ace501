package retropak

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"pakdb/codecs"
	"pakdb/internal/bin"
)

const magic = 0x87654321

// The versions that files were seen of.
const (
	strgPrime      = 0 // Metroid Prime: UTF-16, big-endian
	strgCorruption = 3 // Metroid Prime 3: UTF-8, and some texts have names
)

// Bounds of what one asset has.
const (
	maxLanguages = 64
	maxTexts     = 1 << 16
	maxLost      = 64 // texts that cannot be read: each may take time like the whole asset
)

// ReadTexts returns the texts of an asset. The error wraps [errors.ErrUnsupported] of
// versions that no file was seen of. Texts that cannot be read are left out: the error
// describes the first.
func ReadTexts(body []byte) (*Texts, error) {
	r := &reader{Reader: bin.NewReader(body, 0, binary.BigEndian), facts: &Texts{}, known: map[string]int32{}, left: 4 * len(body)}
	if m := r.U32(); m != magic && r.Err() == nil {
		return nil, codecs.Errorf(codecs.ErrCorrupt, "magic %08x", m)
	}
	version := r.U32()
	languages, texts := int(r.U32()), int(r.U32())
	if err := r.Err(); err != nil {
		return nil, err
	}
	if languages < 0 || languages > maxLanguages || texts < 0 || texts > maxTexts || 4*languages*texts > len(body) {
		return nil, codecs.Errorf(codecs.ErrLimit, "%d texts in %d languages", texts, languages)
	}
	switch version {
	case strgPrime:
		r.prime(languages, texts)
	case strgCorruption:
		r.corruption(languages, texts)
	default:
		return nil, codecs.Errorf(errors.ErrUnsupported, "version %d of texts", version)
	}
	if err := r.Err(); err != nil || r.lost == 0 {
		return r.facts, err
	}
	return r.facts, fmt.Errorf("%w (%d of all texts and names lost)", r.first, r.lost)
}

type reader struct {
	*bin.Reader
	first error // of a text, lost of which were not read
	lost  int
	facts *Texts
	known map[string]int32
	left  int // bytes that further texts may have: those of a file may lie in each other
}

// text returns the position of a text.
func (r *reader) text(s string) int32 {
	at, ok := r.known[s]
	if !ok {
		at = int32(len(r.facts.Texts))
		r.known[s] = at
		r.facts.Texts = append(r.facts.Texts, s)
	}
	return at
}

func (r *reader) add(language string, number int, name int32, text string) {
	if r.left -= len(text); r.left < 0 {
		r.Fail(codecs.Errorf(codecs.ErrLimit, "texts inside of each other"))
		return
	}
	r.facts.Strings = append(r.facts.Strings, String{Language: r.language(language), Number: int32(number), Name: name, Text: r.text(text)})
}

// language returns the position of a language.
func (r *reader) language(code string) int32 {
	for i, l := range r.facts.Languages {
		if l == code {
			return int32(i)
		}
	}
	r.facts.Languages = append(r.facts.Languages, code)
	return int32(len(r.facts.Languages) - 1)
}

// one reads the text with a number. What is wrong with it is noted: each has an offset of
// its own.
func (r *reader) one(language string, number int, read func() string) (text string, ok bool) {
	before := *r.Reader
	if text = read(); r.Err() == nil {
		return text, true
	}
	if r.lost++; r.lost == 1 {
		r.first = fmt.Errorf("text %d of %s: %w", number, language, r.Err())
	}
	if *r.Reader = before; r.lost > maxLost {
		r.Fail(fmt.Errorf("%w (and %d more texts)", r.first, maxLost))
	}
	return "", false
}

// fourCC reads the name of a language, "ENGL".
func (r *reader) fourCC() string {
	b := r.Bytes(4)
	if !utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0 {
		r.Fail(codecs.Errorf(codecs.ErrCorrupt, "language %x", b))
	}
	return string(b)
}

// prime reads texts in UTF-16: of each language a table of offsets, which count from its
// start.
func (r *reader) prime(languages, texts int) {
	type language struct {
		name string
		at   int
	}
	var list []language
	for range languages {
		list = append(list, language{r.fourCC(), int(r.U32())})
	}
	base := r.Pos()
	for _, l := range list {
		if r.Err() != nil {
			return
		}
		table := base + l.at + 4 // after the size of table and texts
		for i := range texts {
			text, ok := r.one(l.name, i, func() string {
				r.Seek(table + 4*i)
				at := int(r.U32())
				r.Seek(table + at)
				return r.wide()
			})
			if ok {
				r.add(l.name, i, -1, text)
			}
		}
	}
}

// wide reads UTF-16 up to its NUL.
func (r *reader) wide() string {
	var units []uint16
	for r.Err() == nil {
		u := r.U16()
		if u == 0 {
			break
		}
		units = append(units, u)
	}
	return string(utf16.Decode(units))
}

// corruption reads texts in UTF-8: a table of names, then of each language the offsets of
// its texts, which count from after all of these.
func (r *reader) corruption(languages, texts int) {
	names := map[int]string{}
	count, size := int(r.U32()), int(r.U32())
	table := r.Pos()
	if count < 0 || count > maxTexts || size < 0 || size > r.Len() {
		r.Fail(codecs.Errorf(codecs.ErrCorrupt, "%d names in %d bytes", count, size))
		return
	}
	for i := range count {
		index := 0
		name, ok := r.one("the names", i, func() string {
			r.Seek(table + 8*i)
			at := int(r.U32())
			index = int(r.U32())
			r.Seek(table + at)
			return string(r.CString())
		})
		if ok {
			names[index] = name
		}
	}
	r.Seek(table + size)
	var list []string
	for range languages {
		list = append(list, r.fourCC())
	}
	offsets := r.Pos()
	base := offsets + languages*(4+4*texts)
	for k, name := range list {
		for i := range texts {
			text, ok := r.one(name, i, func() string {
				r.Seek(offsets + k*(4+4*texts) + 4 + 4*i)
				at := int(r.U32())
				r.Seek(base + at)
				return string(bytes.TrimSuffix(r.Bytes(int(r.U32())), []byte{0}))
			})
			if !ok {
				continue
			}
			of := int32(-1)
			if n, ok := names[i]; ok {
				of = r.text(n)
			}
			r.add(name, i, of, strings.ToValidUTF8(text, "\uFFFD"))
		}
	}
}

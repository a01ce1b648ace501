package retropak

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"

	"pakdb/codecs"
)

// strgAlign is what the paks of Metroid Prime fill their entries up to, with 0xFF.
const strgAlign = 32

// SetText returns an asset with another text. Other texts keep their bytes, offsets move.
// It fails with [errors.ErrUnsupported] for assets other than those of Metroid Prime, and for
// those whose texts do not follow each other.
func SetText(body []byte, language string, number int, text string) ([]byte, error) {
	before, err := ReadTexts(body)
	if err != nil {
		return nil, err
	}
	if version := binary.BigEndian.Uint32(body[4:]); version != strgPrime {
		return nil, codecs.Errorf(errors.ErrUnsupported, "texts of version %d are read, and not written", version)
	}
	if strings.ContainsRune(text, 0) {
		return nil, codecs.Errorf(codecs.ErrName, "a text with NUL, which ends it")
	}
	blocks, err := primeTexts(body)
	if err != nil {
		return nil, err
	}
	k := -1
	for i := range blocks {
		if blocks[i].name == language {
			k = i
		}
	}
	if k < 0 || number < 0 || number >= len(blocks[k].texts) {
		return nil, codecs.Errorf(codecs.ErrNotFound, "text %d of %s", number, language)
	}
	var units []byte
	for _, u := range utf16.Encode([]rune(text + "\x00")) {
		units = binary.BigEndian.AppendUint16(units, u)
	}
	blocks[k].texts[number] = units
	out := appendPrime(bytes.Clone(body[:16]), blocks)
	for len(body)%strgAlign == 0 && len(out)%strgAlign != 0 {
		out = append(out, 0xff)
	}
	return out, sameTexts(before, out, language, number, text)
}

// primeLanguage has the texts of a language as they are stored, each with its NUL.
type primeLanguage struct {
	name  string
	texts [][]byte
}

// primeTexts reads the texts. Only fill may follow them.
func primeTexts(body []byte) (blocks []primeLanguage, err error) {
	u32 := func(at int) int { return int(binary.BigEndian.Uint32(body[at:])) }
	odd := codecs.Errorf(errors.ErrUnsupported, "texts that do not follow each other")
	languages, texts := u32(8), u32(12)
	base := 16 + 8*languages
	at := base
	for i := range languages {
		if u32(16+8*i+4) != at-base || at+4+4*texts > len(body) {
			return nil, odd
		}
		size, table := u32(at), at+4
		if table+size > len(body) || size < 4*texts {
			return nil, odd
		}
		l := primeLanguage{name: string(body[16+8*i:][:4])}
		next := 4 * texts
		for n := range texts {
			end := next
			for end+2 <= size && (body[table+end] != 0 || body[table+end+1] != 0) {
				end += 2
			}
			if end += 2; u32(table+4*n) != next || end > size {
				return nil, odd
			}
			l.texts = append(l.texts, body[table+next:table+end])
			next = end
		}
		if next != size {
			return nil, odd
		}
		blocks, at = append(blocks, l), table+size
	}
	tail := body[at:]
	if bytes.Count(tail, []byte{0xff}) < len(tail) || len(tail) >= strgAlign || len(tail) > 0 && len(body)%strgAlign != 0 {
		return nil, codecs.Errorf(errors.ErrUnsupported, "%d more bytes after the texts", len(tail))
	}
	return blocks, nil
}

func appendPrime(out []byte, blocks []primeLanguage) []byte {
	var data []byte
	for _, l := range blocks {
		out = binary.BigEndian.AppendUint32(append(out, l.name...), uint32(len(data)))
		size := 4 * len(l.texts)
		table := []byte(nil)
		for _, t := range l.texts {
			table = binary.BigEndian.AppendUint32(table, uint32(size))
			size += len(t)
		}
		data = append(binary.BigEndian.AppendUint32(data, uint32(size)), table...)
		for _, t := range l.texts {
			data = append(data, t...)
		}
	}
	return append(out, data...)
}

// sameTexts fails unless the texts are those from before, but for one.
func sameTexts(before *Texts, out []byte, language string, number int, text string) error {
	after, err := ReadTexts(out)
	if err == nil && len(after.Strings) != len(before.Strings) {
		err = fmt.Errorf("%d texts, not %d", len(after.Strings), len(before.Strings))
	}
	if err != nil {
		return fmt.Errorf("read back: %w", err)
	}
	for i, s := range before.Strings {
		want := before.Texts[s.Text]
		if before.Languages[s.Language] == language && int(s.Number) == number {
			want = text
		}
		if got := after.Strings[i]; after.Texts[got.Text] != want || after.Languages[got.Language] != before.Languages[s.Language] {
			return fmt.Errorf("read back: text %d is %q", got.Number, after.Texts[got.Text])
		}
	}
	return nil
}

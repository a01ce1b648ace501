package unrealpak

import (
	"bytes"
	"path"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/internal/aes256"
	"pakdb/internal/bin"
)

// A pak has one key, so a key is judged by all that it decrypts. An index that
// has its hash proves it. Without one there are only signs: the magic of a
// content, where its extension or its compression has one, and the padding,
// which UnrealPak fills by repeating the content from version 8B on and other
// packers fill with zeros. Either speaks for the key. Padding that is neither
// speaks against it; before 8B, where it may be anything, a magic that is absent
// does. From 8B on the padding is the better witness, as some games change their
// magics.
type sign int8

const (
	against sign = iota - 1
	silent
	inFavour
)

// signsRead is how many encrypted entries are looked at for signs when the one
// that is read shows none.
const signsRead = 64

// checkKey looks for signs that a stored encrypted entry would be decrypted
// with the wrong key. No hash tells: the SHA-1 covers the cipher text. Blocks
// that are compressed need no signs, as they would not decode.
func (c *content) checkKey() error {
	if c.rec.method != 0 || !c.rec.encrypted() || c.a.keyProven {
		return nil
	}
	s, err := c.sign()
	switch {
	case err != nil:
		return err
	case s == inFavour, s == silent && c.a.keySign() != against:
		return nil
	case s == silent:
		return at("key", c.payload, codecs.Errorf(codecs.ErrWrongKey,
			"other entries of the pak decrypt to nothing that makes sense; key %s seems wrong", keyName(c.a.footer.keyID)))
	}
	return at("key", c.payload, codecs.Errorf(codecs.ErrWrongKey,
		"the decrypted content has neither the padding nor the start that it should; key %s seems wrong", keyName(c.a.footer.keyID)))
}

// entriesSign gathers the signs of the first encrypted entries. One in favour
// outweighs those against: an entry may be damaged, or of a game that changed
// its magic.
func (a *archive) entriesSign() sign {
	sum := silent
	var rec record
	for i, left := 0, signsRead; i < a.table.len() && left > 0; i++ {
		if a.load(i, &rec) != nil || rec.deleted() || !rec.encrypted() {
			continue
		}
		left--
		switch a.entrySign(i, &rec) {
		case inFavour:
			return inFavour
		case against:
			sum = against
		}
	}
	return sum
}

func (a *archive) entrySign(i int, rec *record) sign {
	method, err := a.footer.methodOf(rec.method)
	if err != nil {
		return silent
	}
	c := &content{a: a, rec: rec, method: method, ordinal: i, payload: rec.offset + rec.headerSize(a.footer.version)}
	s, err := c.sign()
	if err != nil {
		return silent
	}
	return s
}

// sign is what the first and the last block of a content say about the key.
func (c *content) sign() (sign, error) {
	if c.rec.stored() < aes256.Block || c.span(0).start != 0 {
		return silent, nil
	}
	first, last, err := c.ends()
	if err != nil {
		return silent, err
	}
	if c.rec.method != 0 {
		return signOfMethod(c.method, first[:]), nil
	}
	want := magicOf(c.a.table.name(c.ordinal))
	padding := last[aes256.Block-(c.rec.stored()-c.rec.size):]
	judged := len(padding) > 0 && c.a.footer.version >= fnameCompressionB
	fits := judged && (isRepeat(padding, first[:], c.rec.size) || bytes.Count(padding, []byte{0}) == len(padding))
	switch {
	case want != nil && bytes.HasPrefix(first[:], want), fits && len(padding) >= 4:
		return inFavour, nil
	case fits, !judged && (want == nil || c.a.footer.version >= fnameCompressionB):
		return silent, nil // a byte or three of padding fit by chance
	}
	return against, nil
}

// signOfMethod tells by the first bytes of a compressed block. Those of other
// methods have no magic.
func signOfMethod(m compress.Method, first []byte) sign {
	fits := false
	switch m {
	case compress.Zlib:
		fits = first[0]&0x0F == 8 && (int(first[0])<<8|int(first[1]))%31 == 0
	case compress.Gzip:
		fits = bytes.HasPrefix(first, []byte{0x1F, 0x8B, 8})
	case compress.Zstd:
		fits = bytes.HasPrefix(first, []byte{0x28, 0xB5, 0x2F, 0xFD})
	default:
		return silent
	}
	switch {
	case !fits:
		return against
	case m == compress.Zlib:
		return silent // two bytes fit by chance, one time in five hundred
	}
	return inFavour
}

// ends returns the first and the last decrypted AES block.
func (c *content) ends() (first, last [aes256.Block]byte, err error) {
	if err = c.readEnd(first[:], 0); err == nil {
		err = c.readEnd(last[:], c.rec.stored()-aes256.Block)
	}
	return first, last, err
}

func (c *content) readEnd(p []byte, pos int64) error {
	if pos+int64(len(p)) <= int64(len(c.head)) {
		copy(p, c.head[pos:])
	} else if err := bin.Fill(c.a.src, p, c.payload+pos); err != nil {
		return at("payload", c.payload+pos, err)
	}
	c.a.crypt.decrypt(p, c.rec.iv, pos)
	return nil
}

// magicOf is what files of some extensions start with, whatever the engine.
func magicOf(name string) []byte {
	switch strings.ToLower(path.Ext(name)) {
	case ".uasset", ".umap":
		return []byte{0xC1, 0x83, 0x2A, 0x9E}
	case ".png":
		return []byte("\x89PNG")
	}
	return nil
}

func isRepeat(padding, first []byte, size int64) bool {
	return bytes.Equal(padding, aes256.AppendPadding(nil, first[:min(size, aes256.Block)], size))
}

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
// has its hash proves it. Without one there are signs in the entries. One of
// these proves the key, whatever other entries look like:
//
//   - a compressed block decodes, or has its method's magic;
//   - a content has the magic of its extension;
//   - four or more bytes of padding repeat the content or are zeros, as packers
//     fill it;
//   - a content is far from noise, which is all that a wrong key gives.
//
// These speak against the key, as long as nothing proves it:
//
//   - a compressed block does not decode: it may also be damaged;
//   - from version 8B on, padding is neither, and the content looks like noise;
//     before, padding may be anything;
//   - before 8B, a package or picture has no magic, and looks like noise. Some
//     games change their magics.
type sign int8

const (
	against sign = iota - 1
	silent
	inFavour
)

const (
	signsRead = 64      // encrypted entries that are looked at for signs
	maxTrial  = 1 << 20 // bytes of a block that is decoded for a sign
	leastWord = 4       // bytes of padding that do not fit by chance
	leastRaw  = 128     // bytes of a block that does not decode by chance, of methods without a checksum
)

// checkKey looks for signs that a stored encrypted entry would be decrypted
// with the wrong key. No hash tells: the SHA-1 covers the cipher text. Blocks
// that are compressed need no signs, as they would not decode.
func (c *content) checkKey() error {
	if c.rec.method != 0 || !c.rec.encrypted() || c.a.keyTrusted || c.a.keyProven {
		return nil
	}
	s, err := c.sign()
	switch {
	case err != nil:
		return err
	case s == inFavour:
		return nil
	}
	switch all := c.a.keySign(); {
	case all == inFavour, all == silent && s == silent:
		return nil
	case s == silent:
		return at("key", c.payload, codecs.Errorf(codecs.ErrWrongKey,
			"other entries of the pak decrypt to nothing that makes sense; key %s seems wrong", keyName(c.a.footer.keyID)))
	}
	return at("key", c.payload, codecs.Errorf(codecs.ErrWrongKey,
		"the decrypted content has neither the padding nor the start that it should; key %s seems wrong", keyName(c.a.footer.keyID)))
}

// entriesSign gathers the signs of the first encrypted entries.
func entriesSign(a *archive) sign {
	sum := silent
	var rec record
	for i, left := 0, signsRead; i < a.table.len() && left > 0; i++ {
		if a.load(i, &rec) != nil || rec.deleted() || !rec.encrypted() {
			continue
		}
		left--
		switch entrySign(a, i, &rec) {
		case inFavour:
			return inFavour
		case against:
			sum = against
		}
	}
	return sum
}

func entrySign(a *archive, i int, rec *record) sign {
	method, err := a.footer.methodOf(rec.method)
	if err != nil {
		return silent
	}
	c := &content{a: a, rec: *rec, method: method, ordinal: i, payload: rec.offset + rec.headerSize(a.footer.version)}
	s, err := c.sign()
	if err != nil {
		return silent
	}
	return s
}

// sign is what a content says about the key.
func (c *content) sign() (sign, error) {
	noBlocks := c.rec.method != 0 && len(c.rec.blocks) == 0
	if c.rec.stored() < aes256.Block || noBlocks || c.blockRange(0).start != 0 {
		return silent, nil
	}
	if c.rec.method != 0 {
		return c.signOfBlock()
	}
	first, last, err := c.ends()
	if err != nil {
		return silent, err
	}
	padding := last[aes256.Block-(c.rec.stored()-c.rec.size):]
	fits := isRepeat(padding, first, c.rec.size) || bytes.Count(padding, []byte{0}) == len(padding)
	want := magicOf(c.a.table.name(c.ordinal))
	bits := senseOf(first[:min(int64(len(first)), c.rec.size)])
	switch {
	case want != nil && bytes.HasPrefix(first, want), fits && len(padding) >= leastWord, bits >= senseCertain:
		return inFavour, nil
	case bits > 0:
		return silent, nil
	case c.a.footer.version >= fnameCompressionB && !fits, c.a.footer.version < fnameCompressionB && want != nil:
		return against, nil
	}
	return silent, nil
}

// signOfBlock tries to decode the first block.
func (c *content) signOfBlock() (sign, error) {
	s, size := c.blockRange(0), int64(c.Size(0))
	stored := make([]byte, min(aes256.Align(s.end), c.rec.stored(), maxTrial)&^(aes256.Block-1))
	if len(stored) == 0 {
		return silent, nil
	}
	if err := c.readEnd(stored, 0); err != nil {
		return silent, err
	}
	if s.end > int64(len(stored)) || size > maxTrial || !compress.CanDecode(resolveCustom(c.method, stored)) {
		return signOfMethod(c.method, stored), nil
	}
	err := compress.Decode(resolveCustom(c.method, stored), make([]byte, size), stored[:s.end])
	switch {
	case err == nil && (s.end >= leastRaw || hasChecksum(c.method)):
		return inFavour, nil
	case isCorrupt(err):
		return against, nil
	}
	return silent, nil
}

func hasChecksum(m compress.Method) bool { return m == compress.Zlib || m == compress.Gzip }

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

// ends returns the decrypted start, whole AES blocks that hold no more than one
// block of padding, and the last AES block.
func (c *content) ends() (first, last []byte, err error) {
	first, last = make([]byte, min(c.rec.stored(), senseBytes)), make([]byte, aes256.Block)
	if err = c.readEnd(first, 0); err == nil {
		err = c.readEnd(last, c.rec.stored()-aes256.Block)
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

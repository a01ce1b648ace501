package unrealpak

import (
	"bytes"
	"cmp"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"path"
	"slices"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/unreal"
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
// with the wrong key. No hash shows it: the SHA-1 covers the cipher text. Blocks
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

// signOfMethod recognises a method by the first bytes of a compressed block. Those of other
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

// crypt decrypts what one pak encrypts. A nil block means that there is no key.
type crypt struct {
	block cipher.Block
	ctr   bool
}

// newCrypt asks for the pak's key. A key of the wrong size is ErrWrongKey.
func newCrypt(f *footer, keys codecs.KeyFunc) (crypt, error) {
	c := crypt{ctr: f.method == methodCTR}
	key := keys(f.keyID)
	if key == nil {
		return c, nil
	}
	if len(key) != aes256.KeySize {
		return c, at("key", f.start, codecs.Errorf(codecs.ErrWrongKey, "key %v has %d bytes, AES-256 needs %d", f.keyID, len(key), aes256.KeySize))
	}
	var err error
	c.block, err = aes.NewCipher(key)
	return c, err
}

// decrypt decrypts buf in place, whole AES blocks that start at pos within
// their unit.
func (c crypt) decrypt(buf []byte, iv [12]byte, pos int64) {
	if c.ctr {
		aes256.XORKeyStreamCTR(c.block, iv, pos, buf)
		return
	}
	aes256.DecryptECB(c.block, buf)
}

// noKey is the error for encrypted data without a key.
func noKey(f *footer, what string) error {
	return codecs.Errorf(codecs.ErrEncrypted, "%s; pass the AES key %s", what, keyName(f.keyID))
}

func keyName(id unreal.GUID) string {
	if id.IsZero() {
		return "(the game's main key)"
	}
	return "with GUID " + id.String()
}

// plausibleIndex distinguishes a decrypted index from noise: it starts with a mount
// point that ends in a NUL.
func plausibleIndex(buf []byte) bool {
	r := bin.NewReader(buf, 0, binary.LittleEndian)
	mount := unreal.FString(r)
	return r.Err() == nil && !mount.Bare && len(mount.Bytes) <= maxMount
}

// indexRegions returns the regions of the index by offset, without those that
// overlap.
func indexRegions(a *archive) (list []codecs.Region) {
	all := []region{a.footer.index}
	if a.hashed != nil {
		for _, g := range []*region{a.hashed.primary.pathHash, a.hashed.primary.fullDir} {
			if g != nil {
				all = append(all, *g)
			}
		}
	}
	slices.SortFunc(all, func(x, y region) int { return cmp.Compare(x.off, y.off) })
	end := int64(0)
	for _, g := range all {
		if g.off >= end && g.size%aes256.Block == 0 && g.check(a.footer.start, 0) == nil {
			list = append(list, codecs.Region{Offset: g.off, Size: g.size})
			end = g.off + g.size
		}
	}
	return list
}

const (
	// senseBytes is how many of a content are worth weighing.
	senseBytes = 4 << 10
	// senseCertain is the result in bits that noise has once in 16 million times.
	senseCertain = 24
)

// senseOf weighs whether b is content, and not the noise that a wrong key decrypts
// to. The result is the logarithm to base 2 of how much likelier b is under a
// coarse model of content than as noise. The expected value of that quotient is
// 1 for noise, so a result of n bits is chance at most once in 2^n times. A
// content that is compressed has a negative result as well.
//
// Equal blocks of cipher text are equal noise, so each block counts once.
func senseOf(b []byte) (bits float64) {
	seen := map[string]bool{}
	for len(b) > 0 {
		block := b[:min(len(b), aes256.Block)]
		b = b[len(block):]
		if seen[string(block)] {
			continue
		}
		seen[string(block)] = true
		for _, c := range block {
			bits += weight(c)
		}
	}
	return bits
}

// weight is log2(256 p) of a byte whose probability in content is p: a quarter
// of all bytes are zeros, a sixteenth 0xFF, half are one of the 98 of plain text,
// and the rest is shared by the other 156.
func weight(c byte) float64 {
	switch {
	case c == 0:
		return 6
	case c == 0xFF:
		return 4
	case c >= ' ' && c <= '~', c == '\t', c == '\n', c == '\r':
		return 0.38
	}
	return -1.7
}

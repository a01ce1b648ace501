package unrealpak

import (
	"bytes"
	"path"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/internal/ue"
	"pakdb/internal/bin"
)

// checkKey looks for signs that a stored encrypted entry would be decrypted
// with the wrong key. No hash tells: the SHA-1 covers the cipher text. Blocks
// that are compressed need no signs, as they would not decode.
//
// The signs are the content's magic, where the extension has one, and the
// padding, which UnrealPak fills by repeating the content from version 8B on
// and other packers fill with zeros. Either speaks for the key. Padding that is
// neither speaks against it; before 8B, a magic that is absent does. From 8B on
// the padding is the better witness, as some games change their magics.
func (c *content) checkKey() error {
	if c.rec.method != 0 || !c.rec.encrypted() || c.rec.size == 0 {
		return nil
	}
	first, last, err := c.ends()
	if err != nil {
		return err
	}
	want := magicOf(c.a.table.name(c.ordinal))
	padding := last[ue.AESBlock-(c.rec.stored()-c.rec.size):]
	judged := len(padding) >= 4 && c.a.footer.version >= fnameCompressionB
	switch {
	case want != nil && bytes.HasPrefix(first[:], want):
		return nil
	case judged && (isRepeat(padding, first[:], c.rec.size) || bytes.Count(padding, []byte{0}) == len(padding)):
		return nil
	case !judged && (want == nil || c.a.footer.version >= fnameCompressionB):
		return nil
	}
	return at("key", c.payload, codecs.Errorf(codecs.ErrWrongKey,
		"the decrypted content has neither the padding nor the start that it should; key %s seems wrong", keyName(c.a.footer.keyID)))
}

// ends returns the first and the last decrypted AES block.
func (c *content) ends() (first, last [ue.AESBlock]byte, err error) {
	if err = c.readEnd(first[:], 0); err == nil {
		err = c.readEnd(last[:], c.rec.stored()-ue.AESBlock)
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
	return bytes.Equal(padding, ue.AppendPadding(nil, first[:min(size, ue.AESBlock)], size))
}

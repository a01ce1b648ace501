package iostore

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
	"pakdb/internal/aes256"
	"pakdb/internal/bin"
)

// crypt decrypts what an encrypted container holds. A nil block means that
// there is no key.
type crypt struct {
	block   cipher.Block
	ctr     bool
	firstIV int // the IV of the first block
}

// newCrypt asks for the container's key. A key of the wrong size is ErrWrongKey.
func newCrypt(t *toc, keys codecs.KeyFunc) (crypt, error) {
	c := crypt{ctr: t.method == methodCTR}
	if !t.encrypted() || keys == nil {
		return c, nil
	}
	key := keys(t.keyID)
	if key == nil {
		return c, nil
	}
	if len(key) != aes256.KeySize {
		return c, at("key", 64, codecs.Errorf(codecs.ErrWrongKey, "key %s has %d bytes, AES-256 needs %d", keyName(t.keyID), len(key), aes256.KeySize))
	}
	var err error
	c.block, err = aes.NewCipher(key)
	return c, err
}

func keyName(id unreal.GUID) string {
	if id.IsZero() {
		return "(the game's main key)"
	}
	return "with GUID " + id.String()
}

func noKey(id unreal.GUID, what string) error {
	return codecs.Errorf(codecs.ErrEncrypted, "%s; pass the AES key %s", what, keyName(id))
}

// decrypt decrypts buf, whole AES blocks, in place. iv is used by CTR only.
func (c crypt) decrypt(buf []byte, iv [ivSize]byte) {
	if c.ctr {
		aes256.XORKeyStreamCTR(c.block, iv, 0, buf)
		return
	}
	aes256.DecryptECB(c.block, buf)
}

// iv returns IV i, zero when there is none.
func (t *toc) iv(i int) (iv [ivSize]byte) {
	if i >= 0 && i < t.ivs.n {
		copy(iv[:], t.ivs.at(i))
	}
	return iv
}

// directory returns the directory index in the clear. Containers have one more
// IV than blocks, for it: the last one, or, where only that gives a mount
// point, the first.
func (c *crypt) directory(t *toc) ([]byte, error) {
	if c.block == nil {
		return nil, noKey(t.keyID, "the paths are encrypted")
	}
	buf := bytes.Clone(t.dir)
	c.decrypt(buf, t.iv(t.ivs.n-1))
	if !c.ctr || plausible(buf) {
		return buf, nil
	}
	other := bytes.Clone(t.dir)
	c.decrypt(other, t.iv(0))
	if plausible(other) {
		c.firstIV = 1
		return other, nil
	}
	return buf, nil
}

// plausible distinguishes a decrypted directory index from noise: it starts with a
// string that ends in a NUL.
func plausible(buf []byte) bool {
	r := bin.NewReader(buf, 0, leOrder)
	mount := unreal.FString(r)
	return r.Err() == nil && !mount.Bare && len(mount.Bytes) <= maxMount
}

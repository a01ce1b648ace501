package unrealpak

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha1"
	"encoding/binary"

	"pakdb/codecs"
	"pakdb/codecs/internal/ue"
	"pakdb/internal/aes256"
	"pakdb/internal/bin"
)

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

func keyName(id ue.GUID) string {
	if id.IsZero() {
		return "(the game's main key)"
	}
	return "with GUID " + id.String()
}

// readIndex reads a region of the index, decrypts it, and compares its hash. A
// mismatch that does not keep the region from being read is a warning.
func (a *archive) readIndex(name string, g region, field int64, iv [12]byte) (buf []byte, warning, err error) {
	if err := g.check(a.footer.start, field); err != nil {
		return nil, nil, err
	}
	buf, err = bin.Section(a.src, g.off, g.size, a.src.Size, a.limits.Table)
	if err != nil {
		return nil, nil, at(name, g.off, err)
	}
	if a.footer.encrypted {
		if a.crypt.block == nil {
			return nil, nil, at(name, g.off, noKey(a.footer, "the index is encrypted"))
		}
		a.crypt.decrypt(buf, iv, 0)
	}
	if sha1.Sum(buf) != g.sum {
		warning = at(name, g.off, codecs.Errorf(codecs.ErrChecksum, "SHA-1 is not the %x that stands at 0x%x", g.sum, field+16))
	}
	return buf, warning, nil
}

// plausibleIndex tells a decrypted index from noise: it starts with a mount
// point that ends in a NUL.
func plausibleIndex(buf []byte) bool {
	r := bin.NewReader(buf, 0, binary.LittleEndian)
	mount := ue.FString(r)
	return r.Err() == nil && !mount.Bare && len(mount.Bytes) <= maxMount
}

package unrealpak

import (
	"cmp"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"slices"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
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

func keyName(id unreal.GUID) string {
	if id.IsZero() {
		return "(the game's main key)"
	}
	return "with GUID " + id.String()
}

// plausibleIndex tells a decrypted index from noise: it starts with a mount
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

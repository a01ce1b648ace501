package iostore

import (
	"pakdb/codecs"
	"pakdb/internal/aes256"
)

// SealedBy implements codecs.Sealer. Of the tables the directory index is
// encrypted, in the .utoc.
func (a *archive) SealedBy() (key []byte, id [16]byte, tables []codecs.Region) {
	t := a.toc
	if a.crypt.block == nil || a.crypt.ctr {
		return nil, t.keyID, nil
	}
	if n := int64(len(t.dir)); n > 0 && n%aes256.Block == 0 {
		tables = []codecs.Region{{Offset: t.dirAt, Size: n}}
	}
	return a.keys(t.keyID), t.keyID, tables
}

// SealedUnit implements codecs.Sealer: each block is encrypted by itself.
func (a *archive) SealedUnit() bool { return false }

package store

import (
	"fmt"
	"strings"

	"pakdb/diff/ship/delta"
)

// Signed is behind the name of a manifest in that of its signature.
const Signed = ".minisig"

// MostSignatures is how many a file of them may have: some publishers in a row
// may have been stopped between a signature and its manifest.
const MostSignatures = 8

// Signatures cuts a file of them.
func Signatures(text string) (list []string) {
	const head = "untrusted comment:"
	for _, one := range strings.Split("\n"+text, "\n"+head)[1:] {
		list = append(list, head+strings.TrimSuffix(one, "\n")+"\n")
	}
	return list[:min(len(list), MostSignatures)]
}

// Verify checks the manifest of that name by a file of signatures, one of which must
// be by the owner of key and say the name: while a manifest is replaced there are
// several. Else the error is a [delta.ErrSignature].
func Verify(key *delta.PublicKey, manifest []byte, signatures, name string) error {
	err := fmt.Errorf("%w: there is none", delta.ErrSignature)
	for _, sig := range Signatures(signatures) {
		var comment string
		if comment, err = key.Verify(manifest, sig); err == nil && comment != name {
			err = fmt.Errorf("%w: it is of %s", delta.ErrSignature, comment)
		}
		if err == nil {
			return nil
		}
	}
	return err
}

package contents

import (
	"encoding/hex"
	"strings"

	"github.com/zeebo/blake3"
)

const (
	folder     = "contents"
	lists      = folder + "/lists"
	ledgerName = folder + "/.prune.json"
	suffix     = ".zst"
	digits     = "0123456789abcdef" // the folders of contents
)

// objectName returns the name of a content.
func objectName(d [32]byte) string {
	h := hex.EncodeToString(d[:])
	return folder + "/" + h[:1] + "/" + h[1:] + suffix
}

// digestOf returns what the name of a content says; other files are none.
func digestOf(name string) (d [32]byte, ok bool) {
	h, ok := strings.CutSuffix(strings.Replace(strings.TrimPrefix(name, folder+"/"), "/", "", 1), suffix)
	if !ok || len(h) != hex.EncodedLen(len(d)) {
		return d, false
	}
	if _, err := hex.Decode(d[:], []byte(h)); err != nil {
		return d, false
	}
	return d, objectName(d) == name
}

// short returns digits that identify bytes.
func short(b []byte) string {
	sum := blake3.Sum256(b)
	return hex.EncodeToString(sum[:16])
}

// ofLabel is what the names of the lists of a build begin with.
func ofLabel(label string) string { return lists + "/" + short([]byte(label)) + "-" }

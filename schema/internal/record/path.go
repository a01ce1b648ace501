package record

import (
	"encoding/binary"
	"strings"

	"pakdb/codecs/family"
	"pakdb/codecs/mount"
)

// SplitPath cuts a path behind its last slash.
func SplitPath(path string) (prefix, name string) {
	i := strings.LastIndexByte(path, '/') + 1
	return path[:i], path[i:]
}

// Ext returns the extension of a file name in lower case, without the dot:
// "uasset". A name that only starts with a dot has none.
func Ext(name string) string {
	i := strings.LastIndexByte(name, '.')
	if i <= 0 {
		return ""
	}
	return strings.ToLower(name[i+1:])
}

// GameRoot returns where the entries of an archive with that mount point stand in the
// game's file system: "" for its root, otherwise a path with a slash at its end.
func GameRoot(mountPoint string) string {
	root := mount.Path(mountPoint, "")
	if root == "" {
		return ""
	}
	return root + "/"
}

// PathKey returns the key of a path in table path_key: the first 8 bytes of its
// BLAKE3, little-endian, signed.
func PathKey(path string) int64 {
	return HashOf(path).Key()
}

// SumKey returns the key of a checksum in table sum_key: its first 8 bytes,
// little-endian, signed, filled up with zeros.
func SumKey(sum []byte) int64 {
	var start [8]byte
	copy(start[:], sum)
	return int64(binary.LittleEndian.Uint64(start[:]))
}

// ContentKey returns the key of a content in table content_key: the first 8
// bytes of its hash, little-endian, signed. The hash may be cut short to
// [StatedSize] bytes; 0 for what is none.
func ContentKey(hash []byte) int64 {
	if len(hash) < StatedSize {
		return 0
	}
	return Half(hash[:16]).Key()
}

// NameKey returns the key of a text in table name_key, and in the symbols and
// references that go by names: the first 8 bytes of the BLAKE3 of the
// lower-cased text, little-endian, signed.
func NameKey(name string) int64 { return family.NameKey(name) }

package gpak

import "pakdb/codecs/internal/calligraphy"

// Hash returns the path hash that names an entry in every kind of pak:
// CRC-32 and Adler-32 of the lower-cased path, joined, minus one. Hash("") is
// 0, the game's invalid reference.
//
// Only A to Z are lowered. The real names are ASCII without exception, and
// beyond ASCII the game's peers (.NET, Python, Go) disagree on letters such as
// U+0130, so that any promise there would be invented.
func Hash(path string) uint64 { return calligraphy.PathHash(path) }

// FileID returns the id of a file of the game's database: of a curve, type, blueprint or
// prototype. path is the entry's path, with or without "Calligraphy/".
func FileID(path string) uint64 { return calligraphy.ID(path) }

// ResourceID returns the prototype id of a resource file, whose path begins with "Resource/".
func ResourceID(path string) uint64 { return calligraphy.ResourceID(path) }

package calligraphy

import (
	"hash/crc32"
	"strings"

	"pakdb/codecs"
)

// The spaces in which the files of the game database are looked up.
const (
	SpaceCurve     codecs.Space = "curve"
	SpaceAssetType codecs.Space = "asset_type"
	SpaceBlueprint codecs.Space = "blueprint"
	SpacePrototype codecs.Space = "prototype"        // also .defaults, and resource files
	SpaceAsset     codecs.Space = "asset"            // values inside .type files
	SpaceGUID      codecs.Space = "calligraphy_guid" // GUIDs of all records of directories
	SpaceLocale    codecs.Space = "locale_string"    // outside the archives: never resolvable
)

const (
	dataPrefix     = "Calligraphy/"
	resourcePrefix = "Resource/"
)

// ID returns the id of a file of the database: of a curve, type, blueprint or
// prototype. path is the entry's path, with or without "Calligraphy/". A
// .defaults file has no id of its own: ask for its blueprint's.
func ID(path string) uint64 {
	if hasPrefixFold(path, dataPrefix) {
		path = path[len(dataPrefix):]
	}
	return PathHash(dotted.Replace(path))
}

// dotted makes "Powers.Blueprints.Power?blueprint" of
// "Powers/Blueprints/Power.blueprint".
var dotted = strings.NewReplacer(".", "?", "/", ".")

// ResourceID returns the prototype id of a resource file, whose path begins
// with "Resource/".
func ResourceID(path string) uint64 { return PathHash("&" + path) }

// EntrySymbols returns what the path of an entry, rather than its content, makes
// it define; nil for most paths. The Path of the symbols is empty: they stand
// for the entry itself.
//
// For a resource this is the only source of its id. For the files below
// "Calligraphy/" it repeats what the directories say and is worth using only
// where these are missing: an id may come from a directory and from here.
func EntrySymbols(name string) []codecs.Symbol {
	ext := extension(name)
	if hasPrefixFold(name, resourcePrefix) {
		if isResource(ext) {
			return symbol(SpacePrototype, ResourceID(name))
		}
		return nil
	}
	if !hasPrefixFold(name, dataPrefix) {
		return nil
	}
	switch ext {
	case ".curve":
		return symbol(SpaceCurve, ID(name))
	case ".type":
		return symbol(SpaceAssetType, ID(name))
	case ".blueprint":
		return symbol(SpaceBlueprint, ID(name))
	case ".prototype":
		return symbol(SpacePrototype, ID(name))
	case ".defaults":
		return symbol(SpacePrototype, ID(name[:len(name)-len(ext)]+".blueprint"))
	}
	return nil
}

// resourceSymbols leaves the files of the database to their directories.
func resourceSymbols(e *codecs.Entry) []codecs.Symbol {
	if !hasPrefixFold(e.Name, resourcePrefix) {
		return nil
	}
	return EntrySymbols(e.Name)
}

func symbol(space codecs.Space, id uint64) []codecs.Symbol {
	return []codecs.Symbol{{Space: space, ID: codecs.ID64(id)}}
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// PathHash returns the 64-bit hash of a path: CRC-32 of the lower-cased bytes in
// the high half, Adler-32 in the low half, minus one, so that the empty path
// hashes to 0, which means "no reference".
//
// What is hashed differs by use: a pak's table hashes the entry's name as it is.
//
// Only A to Z are lower-cased. All names of the game are ASCII; beyond it the
// tools of the field disagree with each other.
//
// Source: the public readers, and every path of four client versions.
func PathHash(path string) uint64 {
	// Byte by byte instead of with the library's functions, which would need
	// the lowered path in memory: twice as fast at the length of real paths,
	// without allocating.
	const adlerModulus = 65521
	crc, a, b := ^uint32(0), uint32(1), uint32(0)
	for i := range len(path) {
		c := path[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		crc = crc32.IEEETable[byte(crc)^c] ^ crc>>8
		if a += uint32(c); a >= adlerModulus {
			a -= adlerModulus
		}
		if b += a; b >= adlerModulus {
			b -= adlerModulus
		}
	}
	return (uint64(^crc)<<32 | uint64(b<<16|a)) - 1
}

// DJB2 returns the 32-bit hash that a resource file stores for its class name:
// h = h*33 + c from 5381, over the name's bytes as they are.
func DJB2(name string) uint32 {
	h := uint32(5381)
	for i := range len(name) {
		h = h*33 + uint32(name[i])
	}
	return h
}

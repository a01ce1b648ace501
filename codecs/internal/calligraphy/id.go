package calligraphy

import (
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

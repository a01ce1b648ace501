// Package textfile reads files that are texts, or lists of names and settings.
//
// [Inspector] reads generic texts: JSON, XML, CSV, Lua and any other. It counts what they have,
// and lists their lines, some at a time, by which they are found. [HeadsInspector] reads the
// heads of kinds of contents alone: shader libraries, banks and sounds of Wwise, fonts, pipeline
// caches; HEADS.md.
//
// The others read files of Unreal Engine:
//
//	locres.go        .locres (texts of one language) and .locmeta (the languages); LOCRES.md
//	registry_*.go    AssetRegistry.bin: assets with their tags, dependencies, sizes; REGISTRY.md
//	config_*.go      .ini: settings with the operators of their keys; CONFIG.md
//	descriptor_*.go  .uplugin, .uproject, .upluginmanifest; DESCRIPTOR.md
//
// edit.go changes values of .locres, .ini, .json and .csv in place: see [Open].
// settings.go has the statements of .ini, for merging.
//
// Each of these has an inspector, which returns the facts of package unreal:
//
//	locres      magic, version -> unreal.LocresFacts, LocmetaFacts
//	registry    magic, version -> decoder (names, order of the parts)
//	            -> store (values of tags) -> parts (assets, dependencies, packages)
//	config      text (UTF-8, UTF-16) -> lines -> unreal.ConfigFacts
package textfile

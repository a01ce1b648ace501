// Package text reads the files of Unreal Engine that are texts, names and settings:
//
//	locres.go        .locres (texts of one language) and .locmeta (the languages); LOCRES.md
//	registry_*.go    AssetRegistry.bin: assets with their tags, dependencies, sizes; REGISTRY.md
//	config_*.go      .ini: settings with the operators of their keys; CONFIG.md
//	descriptor_*.go  .uplugin, .uproject, .upluginmanifest; DESCRIPTOR.md
//
// edit.go changes values of .locres, .ini, .json and .csv in place: see [Open].
//
// Each has an inspector, which returns the facts of package unreal:
//
//	locres      magic, version -> unreal.LocresFacts, LocmetaFacts
//	registry    magic, version -> decoder (names, order of the parts)
//	            -> store (values of tags) -> parts (assets, dependencies, packages)
//	config      text (UTF-8, UTF-16) -> lines -> unreal.ConfigFacts
package text

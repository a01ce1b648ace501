// Package assetregistry reads AssetRegistry.bin of Unreal Engine: which assets a game
// has, with their tags, what they depend on, and how large their packages are. See
// FORMAT.md.
//
// Files in reading order: inspector.go (magic, version), decoder.go (names and the
// order of the parts), store.go (values of tags), parts.go (assets, dependencies,
// packages).
package assetregistry

// Package locres reads the texts of Unreal Engine in one language: .locres files of
// versions 0 to 3, and .locmeta files, which list the languages. See FORMAT.md.
//
//	bytes ─► inspector.go (magic, version) ─► read.go ─► unreal.LocresFacts, LocmetaFacts
package locres

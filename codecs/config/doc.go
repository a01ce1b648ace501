// Package config reads the settings of Unreal Engine: .ini files, with the operators
// of their keys. See FORMAT.md.
//
//	bytes ─► text (UTF-8, UTF-16) ─► lines ─► unreal.ConfigFacts
package config

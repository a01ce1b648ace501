// Package semantic compares the insides of contents. Facts of the catalog come first:
// values of packages, fields of prototypes, points of curves, exports, references.
// What has none is compared as JSON, CSV, XML, as text or as bytes, for which the
// contents must be at hand. Pixels of textures and samples of sounds are compared by
// [CompareMedia].
//
//	Change ─► facts of both contents ─► fields, by name ─► Difference.Fields
//	       └► bytes of both contents ─► with structure: Fields, and Text; other text: Text; else Ranges
//
// Files in reading order: semantic.go (Compare), values.go (with the room values),
// code.go (functions),
// package.go, localized.go, sql.go (prototypes, and facts that one query yields),
// bytes.go, structured.go, json.go, field.go (Comparer, Difference, how fields are compared);
// media.go (CompareMedia), pixels.go, samples.go, waves.go, look.go (textures that look alike).
package semantic

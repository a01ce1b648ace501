// Package table predicts the tables of archives: what the index of a pak says
// follows from where its entries lie, and so need not be sent with a patch that
// puts them there.
//
// [Parse] reads the tables of an old archive. Predict writes them anew for other
// entries in another order, as the format's packer would. The maker of a patch
// and the program that applies it come to the same bytes, and the true tables are coded
// against them: where a prediction is wrong, it costs bytes and nothing else.
//
// What is predicted is part of the definition of patch files (docs/pkdelta.md):
// it must not change while they keep their version. That is why this package
// shares nothing with the formats' readers and writers, which may.
//
// Tables are hostile. Whatever the bytes, memory stays within a small multiple
// of their size, and what cannot be read is [ErrTable].
//
//	tables of an old archive ── Parse ── Tables ──┐
//	entries of a new one, and where they lie ── Item ─┴─ Predict ── what its tables will be
//
// Files in reading order: table.go (Kind, Row, Item, Tables, Parse), pakrecord.go (entries of
// Unreal paks), pak.go (also several as one, and tables that nobody has), pakhashed.go (its
// index from version 10 on), iostore.go, gpak.go, retro.go.
package table

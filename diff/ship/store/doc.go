// Package store is the format of stores: builds as static files that any web
// server or bucket serves. docs/store.md specifies it. This package says what the
// files of a store mean; publish writes them, update reads them and brings folders
// up to date. There is no SQL.
//
//	builds ── publish ── chunks ── packs ───────────────┐
//	             ├────── recipes of files ── packs      ├── a web server ── update ── a folder
//	             ├────── deltas, patches                │
//	             └────── manifests ─────────────────────┘
//
// A build's manifest ([Build]) names its lists of files and its tables of packs. A
// file is made again bit for bit by a recipe ([FileRecipe]): which contents it is
// made of, how each is compressed, and the bytes between them. A content is chunks
// ([ChunkRef]), cut where the bytes say so, so that builds share what is equal.
//
// Whatever comes from a store is untrusted: sizes and counts are checked while they
// are read, and what is held is counted in a [Budget].
//
// Files in reading order: files.go and location.go (wherever a store lies; bounds of memory),
// version.go (of the encoders), channel.go, follow.go and part.go (which build and which of
// its files an installation gets), pack.go (chunks, frames and where they are), place.go
// (where a chunk lies; lists of deltas), stream.go (JSON), manifest.go (builds and their
// index), layout.go, salvage.go (of a damaged pak), head.go and recipe.go (files from
// contents), filetree.go (files of a build), reader.go (a store as publishers read it).
package store

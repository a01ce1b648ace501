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
// Files in reading order: files.go (wherever a store lies), version.go (of the encoders),
// channel.go, platform.go, suits.go, follow.go, part.go and choice.go (which build and which of
// its files an installation gets), budget.go, chunk.go (how a content is
// cut), stream.go (JSON), deflate.go (of publishers), pack.go, place.go (where a chunk lies), manifest.go (builds
// and their index), signed.go, layout.go, salvage.go (of a damaged pak), tables.go, head.go and recipe.go (files from contents),
// filetree.go (files of a build), contentdelta.go, names.go, object.go,
// manifestread.go, filelist.go, reader.go and builds.go (a store as publishers read it), steps.go.
package store

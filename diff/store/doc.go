// Package store publishes builds as static files, and brings any folder to any
// of them. docs/store.md has the layout.
//
// A store is a folder that any web server or bucket serves: chunks of decoded
// contents in packs, shared by all builds, and for each build a manifest in two
// levels. A client compares what it has with what a build is made of, content by
// content: the version it comes from does not matter, nor whether it is one. What
// it has it decodes and takes; what it lacks it fetches by ranges of packs; and
// every file is made again bit for bit by the recipes of package patch.
//
// [Publish] adds a build; [Check] and [Prune] look after a store; [OpenRemote]
// and [NewUpdate] are the client's side. The package imports no SQL.
package store

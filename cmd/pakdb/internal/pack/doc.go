// Package pack has the command pack, which writes archives.
//
// Files in reading order: pack.go, response.go (lists of UnrealPak), source.go (a folder,
// or an archive), target.go (format and options of what is written), order.go,
// method.go, options.go, parts.go (archives of several files), add.go, replace.go.
package pack

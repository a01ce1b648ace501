// Package textfile reads generic texts: JSON, XML, CSV, Lua and any other. It counts
// what they have, and lists their lines, some at a time, by which they are found.
//
//	inspector.go  which contents are texts; the facts
//	lines.go      blocks of lines
//	count.go      what JSON, XML and CSV have
//
// # Heads
//
// [HeadsInspector] tells kinds of contents of which nothing is read but their head: shader
// libraries, banks and sounds of Wwise, fonts, pipeline caches. See HEADS.md.
package textfile

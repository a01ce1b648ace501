// Package textfile reads generic texts: JSON, XML, CSV, Lua and any other. It counts
// what they have, and lists their lines, some at a time, by which they are found.
//
//	inspector.go  which contents are texts; the facts
//	lines.go      blocks of lines
//	count.go      what JSON, XML and CSV have
package textfile

// Package testdata has the archives of this folder, which --demo indexes.
package testdata

import "embed"

// Files are the archives, by their names.
//
//go:embed *.pak *.sip
var Files embed.FS

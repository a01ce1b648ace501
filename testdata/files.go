// Package testdata has the archives of this folder, for "pakdb serve --demo".
package testdata

import "embed"

// Files are the archives, by their names.
//
//go:embed *.pak *.sip
var Files embed.FS

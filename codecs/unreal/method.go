package unreal

import (
	"cmp"
	"strings"

	"pakdb/codecs/compress"
)

// methodNames are the engine's names of methods.
var methodNames = map[compress.Method]string{compress.Zlib: "Zlib", compress.Gzip: "Gzip", compress.LZ4: "LZ4", compress.Zstd: "Zstd", compress.Oodle: "Oodle"}

// MethodNamed returns the method of a name in a pak or container, which games spell in
// upper and lower case. A name that pakdb does not know is carried as it is.
func MethodNamed(name string) compress.Method {
	if m := compress.Method(strings.ToLower(name)); methodNames[m] != "" {
		return m
	}
	return compress.Method(name)
}

// MethodName is the name that the engine gives a method.
func MethodName(m compress.Method) string { return cmp.Or(methodNames[m], string(m)) }

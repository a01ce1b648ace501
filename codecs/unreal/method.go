package unreal

import (
	"strings"

	"pakdb/codecs/compress"
)

// MethodNamed returns the method of a name in a pak or container, which games spell in
// upper and lower case. A name that pakdb does not know is carried as it is.
func MethodNamed(name string) compress.Method {
	m := compress.Method(strings.ToLower(name))
	switch m {
	case compress.Zlib, compress.Gzip, compress.LZ4, compress.Zstd, compress.Oodle:
		return m
	}
	return compress.Method(name)
}

// MethodName is the name that the engine gives a method.
func MethodName(m compress.Method) string {
	switch m {
	case compress.Zlib:
		return "Zlib"
	case compress.Gzip:
		return "Gzip"
	case compress.LZ4:
		return "LZ4"
	case compress.Zstd:
		return "Zstd"
	case compress.Oodle:
		return "Oodle"
	}
	return string(m)
}

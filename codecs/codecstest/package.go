package codecstest

import (
	"encoding/binary"
	"strings"
)

// Package is a small Unreal package to be: version 69 of Unreal Tournament.
type Package struct {
	Imports []string // paths: "Engine.Actor" imports a class from a package, "Engine" the package
	Exports []Export
	Save    uint32 // in the GUID, as if it were saved once more
}

// Export is an object of a [Package]. Its class is an import's path, or "" for
// a class, whose super is Super.
type Export struct{ Name, Class, Super, Data string }

// Bytes returns the package's file. An import comes with its package, once.
func (p Package) Bytes() []byte {
	w := packageWriter{nameAt: map[string]int32{}, importAt: map[string]int32{}}
	w.name("None")
	for _, path := range p.Imports {
		w.object(path)
	}
	for _, x := range p.Exports {
		w.object(x.Class)
		w.object(x.Super)
		w.name(x.Name)
	}
	return w.file(p.Exports, p.Save)
}

const packageHead = 64 // up to and with one generation

type packageWriter struct {
	names    []string
	nameAt   map[string]int32
	imports  []byte
	importAt map[string]int32 // as references: -1 is the first
}

func (w *packageWriter) name(s string) int32 {
	i, ok := w.nameAt[s]
	if !ok {
		i = int32(len(w.names))
		w.names, w.nameAt[s] = append(w.names, s), i
	}
	return i
}

// object returns the reference to an import, adding it if need be.
func (w *packageWriter) object(path string) int32 {
	if path == "" {
		return 0
	}
	if r, ok := w.importAt[path]; ok {
		return r
	}
	class, outer := "Package", int32(0)
	name := path
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		class, outer, name = "Class", w.object(path[:i]), path[i+1:]
	}
	w.imports = compact(compact(w.imports, w.name("Core")), w.name(class))
	w.imports = binary.LittleEndian.AppendUint32(w.imports, uint32(outer))
	w.imports = compact(w.imports, w.name(name))
	r := int32(-len(w.importAt) - 1)
	w.importAt[path] = r
	return r
}

func (w *packageWriter) file(exports []Export, save uint32) []byte {
	le := binary.LittleEndian
	body := make([]byte, packageHead)
	for _, n := range w.names {
		body = append(append(compact(body, int32(len(n)+1)), n...), 0)
		body = le.AppendUint32(body, 0x00070010)
	}
	offsets := make([]int, len(exports))
	for i, x := range exports {
		offsets[i] = len(body)
		body = append(body, x.Data...)
	}
	importsAt := len(body)
	body = append(body, w.imports...)
	exportsAt := len(body)
	for i, x := range exports {
		body = compact(compact(body, w.object(x.Class)), w.object(x.Super))
		body = le.AppendUint32(body, 0) // in the package itself
		body = le.AppendUint32(compact(body, w.name(x.Name)), 0x000F0004)
		if body = compact(body, int32(len(x.Data))); x.Data != "" {
			body = compact(body, int32(offsets[i]))
		}
	}
	head := le.AppendUint32(nil, 0x9E2A83C1)
	for _, v := range []int{69, 1, len(w.names), packageHead, len(exports), exportsAt, len(w.importAt), importsAt,
		1, 2, 3, 4 + int(save) /* GUID */, 1, len(exports), len(w.names)} {
		head = le.AppendUint32(head, uint32(v))
	}
	copy(body, head)
	return body
}

// compact appends a compact index.
func compact(dst []byte, v int32) []byte {
	u, first := uint32(v), byte(0)
	if v < 0 {
		u, first = uint32(-v), 0x80
	}
	first |= byte(u & 0x3F)
	if u >>= 6; u == 0 {
		return append(dst, first)
	}
	dst = append(dst, first|0x40)
	for ; u > 0x7F; u >>= 7 {
		dst = append(dst, byte(u)|0x80)
	}
	return append(dst, byte(u))
}

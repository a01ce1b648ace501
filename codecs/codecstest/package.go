// Package codecstest holds what the tests of every format share: where the
// sample files are, sources over bytes and files, byte coverage, and the
// contract that every format keeps.
package codecstest

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pakdb/codecs"
)

// Package is a small Unreal package to be: version 69 of Unreal Tournament.
type Package struct {
	Imports []string // paths: "Engine.Actor" imports a class from a package, "Engine" the package
	Exports []Export
	Save    uint32 // in the GUID, as if it were saved once more
}

// Export is an object of a [Package]. Its class is an import's path or the name of an
// export before it, or "" for a class, whose super is Super. Its bytes are Data, or a list
// of Ints, as "Health=100 Speed=400", of a class its defaults, and then Tail.
type Export struct{ Name, Class, Super, Data, Ints, Tail string }

// Bytes returns the package's file. An import comes with its package, once.
func (p Package) Bytes() []byte {
	w := packageWriter{nameAt: map[string]int32{}, objects: map[string]int32{}}
	w.name("None")
	for _, path := range p.Imports {
		w.object(path)
	}
	exports := slices.Clone(p.Exports)
	for i := range exports {
		x := &exports[i]
		w.object(x.Class)
		w.object(x.Super)
		w.name(x.Name)
		if x.Ints != "" || x.Tail != "" {
			x.Data = w.list(x) + x.Tail
		}
		w.objects[x.Name] = int32(i + 1)
	}
	return w.file(exports, p.Save)
}

const packageHead = 64 // up to and with one generation

type packageWriter struct {
	names   []string
	nameAt  map[string]int32
	imports []byte
	n       int32            // of imports
	objects map[string]int32 // as references: -1 is the first import
}

// list returns the bytes of an object: a class without fields and script in front of its
// defaults.
func (w *packageWriter) list(x *Export) string {
	var b []byte
	if x.Class == "" {
		b = append(compact(compact(b, w.object(x.Super)), 0), 0, 0) // super, next, text, children
		b = compact(b, w.name(x.Name))
		b = append(b, make([]byte, 4+4+4+16)...) // line, text, script, masks
		b = append(b, 0xFF, 0xFF)
		b = append(b, make([]byte, 4+4+16+1+1+1)...) // flags, flags, GUID, no classes and packages, within
		b = compact(b, 0)                            // no name of a file of configuration
	}
	for pair := range strings.FieldsSeq(x.Ints) {
		name, text, _ := strings.Cut(pair, "=")
		value, _ := strconv.ParseInt(text, 10, 32)
		b = append(compact(b, w.name(name)), 0x22) // four bytes of an int
		b = binary.LittleEndian.AppendUint32(b, uint32(value))
	}
	return string(compact(b, 0))
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
	if r, ok := w.objects[path]; ok {
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
	w.n++
	w.objects[path] = -w.n
	return -w.n
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
	for _, v := range []int{69, 1, len(w.names), packageHead, len(exports), exportsAt, int(w.n), importsAt,
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

// Sample returns the path of a sample file made by another tool, for example
// Sample(t, "gpak", "truth.json"). The samples are not part of the project:
// where they are absent the test is skipped, and says so. PAKDB_SAMPLES names
// their folder; the default is ../shared/samples beside the module.
func Sample(t testing.TB, elem ...string) string {
	t.Helper()
	dir := os.Getenv("PAKDB_SAMPLES")
	if dir == "" {
		dir = filepath.Join(ModuleRoot(t), "..", "shared", "samples")
	}
	path := filepath.Join(append([]string{dir}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("sample %s is absent: set PAKDB_SAMPLES to the folder of samples", filepath.Join(elem...))
	}
	return path
}

// ModuleRoot returns the folder that holds go.mod.
func ModuleRoot(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = up
	}
}

// OpenFile returns a Source over a file, closed when the test ends.
func OpenFile(t testing.TB, path string) codecs.Source {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	src, err := codecs.FileSource(f)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// Bytes returns a Source over b.
func Bytes(name string, b []byte) codecs.Source {
	return codecs.Source{ReaderAt: bytes.NewReader(b), Name: name, Size: int64(len(b))}
}

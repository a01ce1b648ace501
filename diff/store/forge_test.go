package store

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/zeebo/blake3"
)

// forge writes stores that no publisher would.
type forge struct {
	dir  string
	pack []byte
	info packInfo
	zstd *zstd.Encoder
}

func newForge(dir string) *forge {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	return &forge{dir: dir, info: packInfo{number: 1}, zstd: must(z, err)}
}

// must is for tests: what fails here is the test.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func (f *forge) write(name string, b []byte) {
	to := filepath.Join(f.dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o777), os.WriteFile(to, b, 0o666)); err != nil {
		panic(err)
	}
}

// put stores bytes in a frame of their own and returns their place.
func (f *forge) put(b []byte) place {
	f.pack = append(f.pack, f.zstd.EncodeAll(b, nil)...)
	f.info.ends = append(f.info.ends, uint32(len(f.pack)))
	return place{1, len(f.info.ends) - 1, 0, min(len(b), maxChunk)}
}

// object stores an object, of which parts follow each other.
func (f *forge) object(parts ...[]byte) string {
	h := blake3.New()
	var out bytes.Buffer
	w := must(zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20)))
	for _, b := range parts {
		_, _ = h.Write(b)
		must(w.Write(b))
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	id := hex.EncodeToString(h.Sum(nil))
	f.write(objectName(id), out.Bytes())
	return id
}

// manifest is that of a build with some list of files.
func (f *forge) manifest(lists string) *Build {
	return &Build{State: newState(""), Label: "1", Lists: lists}
}

// build writes what there is, with a manifest that has more behind its fields.
func (f *forge) build(b *Build, more ...string) {
	if b.Tables == nil && len(f.pack) > 0 {
		f.info.sum = keyOf(f.pack)
		f.write(packName(1), f.pack)
		b.Tables = []TableRef{{1, 1, f.object(tables{1: f.info}.marshal([]int{1}))}}
	}
	text := must(json.Marshal(b))
	text = append(bytes.TrimSuffix(text, []byte("}")), strings.Join(more, "")+"}"...)
	f.write(buildName("1"), text)
	f.write(indexName, must(json.Marshal(&Index{State: newState(""), Builds: []string{"1"}})))
}

// few is the root of a list of files.
func few(files ...File) []byte { return marshalFileRoot(files, nil, 0) }

func fileOf(path string, size int64, recipe place) File {
	return File{Path: path, Size: size, Sum: strings.Repeat("ab", 32), Recipe: recipeAt{recipe.pack, recipe.frame, recipe.at, recipe.size}}
}

// withRecipe writes a build of a file of a recipe.
func (f *forge) withRecipe(size int64, r *fileRecipe) {
	f.build(f.manifest(f.object(few(fileOf("a", size, f.put(r.marshal()))))))
}

// sharedTree is a recipe whose nodes are 64 times the same node, some levels deep.
func (f *forge) sharedTree(p piece, height int) *fileRecipe {
	leaf := make([]piece, mostInPart)
	for i := range leaf {
		leaf[i] = p
	}
	at := part{leafID(leaf).short(), len(leaf), f.put(marshalLeaf(leaf))}
	for range height {
		node := make([]part, mostInPart)
		for i := range node {
			node[i] = at
		}
		at = part{nodeID(node).short(), count(node), f.put(marshalNode(node))}
	}
	root := make([]part, mostInPart)
	for i := range root {
		root[i] = at
	}
	return &fileRecipe{recipes: []form{{}}, height: height, parts: root}
}

// HostileStores are stores that ask for much of a client by little: each writes one
// to a folder. The error of an update has the text in it.
func HostileStores() map[string]struct {
	Make func(dir string)
	Want string
} {
	type hostile = struct {
		Make func(dir string)
		Want string
	}
	all := map[string]hostile{
		"a recipe of one piece 64^4 times": {func(dir string) {
			f := newForge(dir)
			f.withRecipe(1<<40, f.sharedTree(piece{contentRef: contentRef{id: 7, size: 1, place: f.put([]byte{1})}}, 2))
		}, "memory"},
		"a recipe of no content 64^4 times": {func(dir string) {
			f := newForge(dir)
			f.withRecipe(1<<40, f.sharedTree(piece{}, 2))
		}, "memory"},
		"more pieces than bytes": {func(dir string) {
			f := newForge(dir)
			f.withRecipe(1<<10, f.sharedTree(piece{contentRef: contentRef{id: 7, size: 1, place: f.put([]byte{1})}}, 2))
		}, "pieces"},
		"a list of lists of one list": {func(dir string) {
			f := newForge(dir)
			var chunks []chunkRef
			for range 4000 {
				chunks = append(chunks, chunkRef{9, place{1, 1, 0, 1}})
			}
			list := f.put(marshalList(chunks))
			var lists []listRef
			for range 6000 {
				lists = append(lists, listRef{list, 4000})
			}
			r := &fileRecipe{recipes: []form{{}}, skeleton: contentRef{8, 4000 * 6000, 2, f.put(marshalLists(lists))}}
			f.withRecipe(4000*6000, r)
		}, "memory"},
		"many recipes in large frames": {func(dir string) {
			f := newForge(dir)
			var parts []part
			var files []File
			for i := range 64 {
				parts = parts[:0]
				for k := range 64 {
					leaf := []piece{{contentRef: contentRef{id: uint64(i*64 + k), size: 5, place: place{1, 0, 0, 5}}}}
					b := append(marshalLeaf(leaf), make([]byte, maxFrame)...)[:maxFrame]
					p := f.put(b)
					p.size = len(marshalLeaf(leaf))
					parts = append(parts, part{leafID(leaf).short(), 1, p})
				}
				r := &fileRecipe{recipes: []form{{}}, parts: parts}
				files = append(files, fileOf(fmt.Sprintf("f%02d", i), 1<<30, f.put(r.marshal())))
			}
			f.build(f.manifest(f.object(few(files...))))
		}, ""},
		"a record of a billion blocks": {func(dir string) {
			f := newForge(dir)
			x := form{head: headUnreal | headBlocks | headBlockSize}
			x.Method = "zlib"
			p := piece{gap: x.head.size(0, 0), contentRef: contentRef{id: 7, size: 1 << 34, depth: 1, place: f.put([]byte{1})}, recipe: 1, block: 1}
			leaf := f.put(marshalLeaf([]piece{p}))
			f.withRecipe(1<<40, &fileRecipe{recipes: []form{{}, x}, skeleton: contentRef{3, 100, 0, f.put(make([]byte, 100))}, parts: []part{{leafID([]piece{p}).short(), 1, leaf}}})
		}, "blocks"},
		"a table of nothing but frames": {func(dir string) {
			f := newForge(dir)
			b := f.manifest(f.object(few(fileOf("a", 1, place{1, 0, 0, 1}))))
			head := binary.AppendUvarint([]byte(tablesMagic), 12)
			list := [][]byte{head}
			for i := range 12 {
				one := append(binary.AppendUvarint(nil, uint64(i+1)), make([]byte, 16)...)
				list = append(list, binary.AppendUvarint(one, 1<<20), bytes.Repeat([]byte{1}, 1<<20))
			}
			b.Tables = []TableRef{{1, 12, f.object(list...)}}
			f.build(b)
		}, ""},
		"files whose sizes overflow": {func(dir string) {
			f := newForge(dir)
			var files []File
			for i := range 16 {
				files = append(files, fileOf(fmt.Sprintf("f%02d", i), 1<<60, place{}))
			}
			f.build(f.manifest(f.object(few(files...))))
		}, "f00"},
		"files of nearly a pebibyte": {func(dir string) {
			f := newForge(dir)
			var files []File
			for i := range 64 {
				files = append(files, fileOf(fmt.Sprintf("f%02d", i), maxFileSize-1, f.put((&fileRecipe{recipes: []form{{}}}).marshal())))
			}
			f.build(f.manifest(f.object(few(files...))))
		}, "the disk has room"},
		"a file of 16 TiB": {func(dir string) {
			f := newForge(dir)
			f.withRecipe(maxFileSize, &fileRecipe{recipes: []form{{}}})
		}, "the disk has room"},
	}
	for name, x := range hostileLists() {
		all[name] = x
	}
	for name, x := range hostileManifests() {
		all[name] = x
	}
	return all
}

// hostileLists are lists of files.
func hostileLists() map[string]struct {
	Make func(dir string)
	Want string
} {
	return map[string]struct {
		Make func(dir string)
		Want string
	}{
		"a tree of one leaf": {func(dir string) {
			f := newForge(dir)
			files := []File{fileOf("a", 1, place{1, 0, 0, 1}), fileOf("b", 1, place{1, 0, 0, 1})}
			var rows []byte
			for i := range files {
				rows = appendFile(rows, &files[i])
			}
			f.fileTree(filePart{keyOf(rows), len(files), f.put(marshalFiles(files))}, 3)
		}, "twice"},
		"a tree of names that nothing has": {func(dir string) {
			f := newForge(dir)
			var parts []filePart
			for i := range 64 { // of 64 nodes each, of 64 that are not there
				var nodes []filePart
				for k := range 64 {
					var leaves []filePart
					for m := range 64 {
						leaves = append(leaves, filePart{key{byte(i), byte(k), byte(m)}, 64, place{1, 0, 0, 9}})
					}
					nodes = append(nodes, filePart{fileNodeID(leaves), countFiles(leaves), f.put(marshalFileNode(leaves))})
				}
				parts = append(parts, filePart{fileNodeID(nodes), countFiles(nodes), f.put(marshalFileNode(nodes))})
			}
			f.build(f.manifest(f.object(marshalFileRoot(make([]File, 65), parts, 2))))
		}, "corrupt"},
		"a root of 256 MiB": {func(dir string) {
			f := newForge(dir)
			f.build(f.manifest(f.object([]byte(filesMagic), make([]byte, 250<<20))))
		}, "corrupt"},
		"earlier files of 250 MiB": {func(dir string) {
			f := newForge(dir)
			b := f.manifest(f.object(few()))
			row := must(json.Marshal(fileOf("a", 1, place{})))
			row = append(row, ',')
			list := [][]byte{[]byte("[")}
			for range 250 {
				list = append(list, bytes.Repeat(row, (1<<20)/len(row)))
			}
			b.Past = f.object(append(list, append(row[:len(row)-1], ']'))...)
			f.build(b)
		}, ""},
		"earlier files that are {}": {func(dir string) {
			f := newForge(dir)
			b := f.manifest(f.object(few()))
			list := [][]byte{[]byte("[")}
			for range 250 {
				list = append(list, bytes.Repeat([]byte("{},"), (1<<20)/3))
			}
			b.Past = f.object(append(list, []byte("{}]"))...)
			f.build(b)
		}, "corrupt"},
		"one earlier file of 250 MiB": {func(dir string) {
			f := newForge(dir)
			b := f.manifest(f.object(few()))
			b.Past = f.object([]byte(`[{"path": "`), bytes.Repeat([]byte("a"), 250<<20), []byte(`"}]`))
			f.build(b)
		}, "too long"},
	}
}

// fileTree writes a build whose list of files is 64 times the same part, some
// levels deep, under one name each.
func (f *forge) fileTree(p filePart, height int) {
	for range height {
		node := make([]filePart, mostInPart)
		for i := range node {
			node[i] = p
		}
		p = filePart{fileNodeID(node), countFiles(node), f.put(marshalFileNode(node))}
	}
	f.build(f.manifest(f.object(marshalFileRoot(make([]File, 65), []filePart{p}, height))))
}

// hostileManifests are manifests.
func hostileManifests() map[string]struct {
	Make func(dir string)
	Want string
} {
	list := func(key, value string, size int) func(dir string) {
		return func(dir string) {
			f := newForge(dir)
			f.build(f.manifest(f.object(few())), `,"`+key+`":[`, strings.Repeat(value+",", size/(len(value)+1)), value, "]")
		}
	}
	return map[string]struct {
		Make func(dir string)
		Want string
	}{
		"250 MB of {}":     {list("deltas", "{}", 250<<20), "larger than"},
		"15 MB of {}":      {list("deltas", "{}", 15<<20), "corrupt"},
		"15 MB of patches": {list("deltas", `{"name":"a","size":1,"new":["a"]}`, 15<<20), "65536"},
		"15 MB of names":   {list("deltas", `{"name":"a","size":1,"new":["a`+strings.Repeat(`","a`, 50_000)+`"]}`, 15<<20), "262144"},
		"15 MB of one patch": {func(dir string) {
			list("deltas", `{"name":"a","size":1,"new":["`+strings.Repeat(`","`, 5<<20)+`"]}`, 0)(dir)
		}, "too long"},
		"15 MB of tables":    {list("tables", `{}`, 15<<20), "corrupt"},
		"15 MB of nothing":   {list("x", "{}", 15<<20), ""},
		"15 MB of [":         {func(dir string) { list("x", strings.Repeat("[", 15<<20), 0)(dir) }, "corrupt"},
		"an index of 15 MB":  {func(dir string) { list("x", "1", 0)(dir); indexOf(dir, 15<<20) }, "65536"},
		"an index of 250 MB": {func(dir string) { list("x", "1", 0)(dir); indexOf(dir, 250<<20) }, "larger than"},
		"many deltas of little": {func(dir string) {
			f := newForge(dir)
			b := f.manifest(f.object(few(fileOf("a", 5, f.put((&fileRecipe{recipes: []form{{}}}).marshal())))))
			for range 1000 {
				b.Contents = append(b.Contents, DeltaRef{From: "0", Object: f.object([]byte(deltasMagic), make([]byte, 8))})
			}
			f.build(b)
		}, ""},
	}
}

// indexOf writes a list of builds of some size.
func indexOf(dir string, size int) {
	f := newForge(dir)
	text := must(json.Marshal(&Index{State: newState(""), Builds: []string{"1"}}))
	text = bytes.Replace(text, []byte(`["1"`), append([]byte(`["1"`), bytes.Repeat([]byte(`,"2"`), size/4)...), 1)
	f.write(indexName, text)
}

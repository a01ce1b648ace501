package update

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

	"pakdb/diff/ship/store"
)

// forge writes stores that no publisher would.
type forge struct {
	dir  string
	pack []byte
	info store.PackInfo
	zstd *zstd.Encoder
}

func newForge(dir string) *forge {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	return &forge{dir: dir, info: store.PackInfo{Number: 1}, zstd: must(z, err)}
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
func (f *forge) put(b []byte) store.Place {
	f.pack = append(f.pack, f.zstd.EncodeAll(b, nil)...)
	f.info.Ends = append(f.info.Ends, uint32(len(f.pack)))
	return store.Place{Pack: 1, Frame: len(f.info.Ends) - 1, At: 0, Size: min(len(b), store.MaxChunk)}
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
	f.write(store.ObjectName(id), out.Bytes())
	return id
}

// manifest is that of a build with some list of files.
func (f *forge) manifest(lists string) *store.Build {
	return &store.Build{State: store.NewState(""), Label: "1", Lists: lists}
}

// build writes what there is, with a manifest that has more behind its fields.
func (f *forge) build(b *store.Build, more ...string) {
	if b.Tables == nil && len(f.pack) > 0 {
		f.info.Sum = store.KeyOf(f.pack)
		f.write(store.PackName(1), f.pack)
		b.Tables = []store.TableRef{{First: 1, Last: 1, Object: f.object(store.Tables{1: f.info}.Marshal([]int{1}))}}
	}
	text := must(json.Marshal(b))
	text = append(bytes.TrimSuffix(text, []byte("}")), strings.Join(more, "")+"}"...)
	f.write(store.BuildName("1"), text)
	f.write(store.IndexName, must(json.Marshal(&store.Index{State: store.NewState(""), Builds: []string{"1"}})))
}

// few is the root of a list of files.
func few(files ...store.File) []byte { return store.MarshalFileRoot(files, nil, 0) }

func fileOf(path string, size int64, recipe store.Place) store.File {
	return store.File{Path: path, Size: size, Sum: strings.Repeat("ab", 32), Recipe: store.RecipeAt{recipe.Pack, recipe.Frame, recipe.At, recipe.Size}}
}

// withRecipe writes a build of a file of a recipe.
func (f *forge) withRecipe(size int64, r *store.FileRecipe) {
	f.build(f.manifest(f.object(few(fileOf("a", size, f.put(r.Marshal()))))))
}

// sharedTree is a recipe whose nodes are 64 times the same node, some levels deep.
func (f *forge) sharedTree(p store.Piece, height int) *store.FileRecipe {
	leaf := make([]store.Piece, store.MostInPart)
	for i := range leaf {
		leaf[i] = p
	}
	at := store.Part{ID: store.LeafID(leaf).Short(), Count: len(leaf), Place: f.put(store.MarshalLeaf(leaf))}
	for range height {
		node := make([]store.Part, store.MostInPart)
		for i := range node {
			node[i] = at
		}
		at = store.Part{ID: store.NodeID(node).Short(), Count: store.Count(node), Place: f.put(store.MarshalNode(node))}
	}
	root := make([]store.Part, store.MostInPart)
	for i := range root {
		root[i] = at
	}
	return &store.FileRecipe{Recipes: []store.Form{{}}, Height: height, Parts: root}
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
			f.withRecipe(1<<40, f.sharedTree(store.Piece{ContentRef: store.ContentRef{ID: 7, Size: 1, Place: f.put([]byte{1})}}, 2))
		}, "memory"},
		"a recipe of no content 64^4 times": {func(dir string) {
			f := newForge(dir)
			f.withRecipe(1<<40, f.sharedTree(store.Piece{}, 2))
		}, "memory"},
		"more pieces than bytes": {func(dir string) {
			f := newForge(dir)
			f.withRecipe(1<<10, f.sharedTree(store.Piece{ContentRef: store.ContentRef{ID: 7, Size: 1, Place: f.put([]byte{1})}}, 2))
		}, "pieces"},
		"a list of lists of one list": {func(dir string) {
			f := newForge(dir)
			var chunks []store.ChunkRef
			for range 4000 {
				chunks = append(chunks, store.ChunkRef{ID: 9, Place: store.Place{Pack: 1, Frame: 1, At: 0, Size: 1}})
			}
			list := f.put(store.MarshalList(chunks))
			var lists []store.ListRef
			for range 6000 {
				lists = append(lists, store.ListRef{Place: list, Content: 4000})
			}
			r := &store.FileRecipe{Recipes: []store.Form{{}}, Skeleton: store.ContentRef{ID: 8, Size: 4000 * 6000, Depth: 2, Place: f.put(store.MarshalLists(lists))}}
			f.withRecipe(4000*6000, r)
		}, "memory"},
		"many recipes in large frames": {func(dir string) {
			f := newForge(dir)
			var parts []store.Part
			var files []store.File
			for i := range 64 {
				parts = parts[:0]
				for k := range 64 {
					leaf := []store.Piece{{ContentRef: store.ContentRef{ID: uint64(i*64 + k), Size: 5, Place: store.Place{Pack: 1, Frame: 0, At: 0, Size: 5}}}}
					b := append(store.MarshalLeaf(leaf), make([]byte, store.MaxFrame)...)[:store.MaxFrame]
					p := f.put(b)
					p.Size = len(store.MarshalLeaf(leaf))
					parts = append(parts, store.Part{ID: store.LeafID(leaf).Short(), Count: 1, Place: p})
				}
				r := &store.FileRecipe{Recipes: []store.Form{{}}, Parts: parts}
				files = append(files, fileOf(fmt.Sprintf("f%02d", i), 1<<30, f.put(r.Marshal())))
			}
			f.build(f.manifest(f.object(few(files...))))
		}, ""},
		"a record of a billion blocks": {func(dir string) {
			f := newForge(dir)
			x := store.Form{Head: store.HeadUnreal | store.HeadBlocks | store.HeadBlockSize}
			x.Method = "zlib"
			p := store.Piece{Gap: x.Head.Size(0, 0), ContentRef: store.ContentRef{ID: 7, Size: 1 << 34, Depth: 1, Place: f.put([]byte{1})}, Recipe: 1, Block: 1}
			leaf := f.put(store.MarshalLeaf([]store.Piece{p}))
			f.withRecipe(1<<40, &store.FileRecipe{Recipes: []store.Form{{}, x}, Skeleton: store.ContentRef{ID: 3, Size: 100, Depth: 0, Place: f.put(make([]byte, 100))}, Parts: []store.Part{{ID: store.LeafID([]store.Piece{p}).Short(), Count: 1, Place: leaf}}})
		}, "blocks"},
		"a table of nothing but frames": {func(dir string) {
			f := newForge(dir)
			b := f.manifest(f.object(few(fileOf("a", 1, store.Place{Pack: 1, Frame: 0, At: 0, Size: 1}))))
			head := binary.AppendUvarint([]byte(store.TablesMagic), 12)
			list := [][]byte{head}
			for i := range 12 {
				one := append(binary.AppendUvarint(nil, uint64(i+1)), make([]byte, 16)...)
				list = append(list, binary.AppendUvarint(one, 1<<20), bytes.Repeat([]byte{1}, 1<<20))
			}
			b.Tables = []store.TableRef{{First: 1, Last: 12, Object: f.object(list...)}}
			f.build(b)
		}, ""},
		"files whose sizes overflow": {func(dir string) {
			f := newForge(dir)
			var files []store.File
			for i := range 16 {
				files = append(files, fileOf(fmt.Sprintf("f%02d", i), 1<<60, store.Place{}))
			}
			f.build(f.manifest(f.object(few(files...))))
		}, "f00"},
		"files of nearly a pebibyte": {func(dir string) {
			f := newForge(dir)
			var files []store.File
			for i := range 64 {
				files = append(files, fileOf(fmt.Sprintf("f%02d", i), store.MaxFileSize-1, f.put((&store.FileRecipe{Recipes: []store.Form{{}}}).Marshal())))
			}
			f.build(f.manifest(f.object(few(files...))))
		}, "the disk has room"},
		"a file of 16 TiB": {func(dir string) {
			f := newForge(dir)
			f.withRecipe(store.MaxFileSize, &store.FileRecipe{Recipes: []store.Form{{}}})
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
			files := []store.File{fileOf("a", 1, store.Place{Pack: 1, Frame: 0, At: 0, Size: 1}), fileOf("b", 1, store.Place{Pack: 1, Frame: 0, At: 0, Size: 1})}
			var rows []byte
			for i := range files {
				rows = store.AppendFile(rows, &files[i])
			}
			f.fileTree(store.FilePart{ID: store.KeyOf(rows), Count: len(files), Place: f.put(store.MarshalFiles(files))}, 3)
		}, "twice"},
		"a tree of names that nothing has": {func(dir string) {
			f := newForge(dir)
			var parts []store.FilePart
			for i := range 64 { // of 64 nodes each, of 64 that are not there
				var nodes []store.FilePart
				for k := range 64 {
					var leaves []store.FilePart
					for m := range 64 {
						leaves = append(leaves, store.FilePart{ID: store.Key{byte(i), byte(k), byte(m)}, Count: 64, Place: store.Place{Pack: 1, Frame: 0, At: 0, Size: 9}})
					}
					nodes = append(nodes, store.FilePart{ID: store.FileNodeID(leaves), Count: store.CountFiles(leaves), Place: f.put(store.MarshalFileNode(leaves))})
				}
				parts = append(parts, store.FilePart{ID: store.FileNodeID(nodes), Count: store.CountFiles(nodes), Place: f.put(store.MarshalFileNode(nodes))})
			}
			f.build(f.manifest(f.object(store.MarshalFileRoot(make([]store.File, 65), parts, 2))))
		}, "corrupt"},
		"a root of 256 MiB": {func(dir string) {
			f := newForge(dir)
			f.build(f.manifest(f.object([]byte(store.FilesMagic), make([]byte, 250<<20))))
		}, "corrupt"},
		"earlier files of 250 MiB": {func(dir string) {
			f := newForge(dir)
			b := f.manifest(f.object(few()))
			row := must(json.Marshal(fileOf("a", 1, store.Place{})))
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
func (f *forge) fileTree(p store.FilePart, height int) {
	for range height {
		node := make([]store.FilePart, store.MostInPart)
		for i := range node {
			node[i] = p
		}
		p = store.FilePart{ID: store.FileNodeID(node), Count: store.CountFiles(node), Place: f.put(store.MarshalFileNode(node))}
	}
	f.build(f.manifest(f.object(store.MarshalFileRoot(make([]store.File, 65), []store.FilePart{p}, height))))
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
			b := f.manifest(f.object(few(fileOf("a", 5, f.put((&store.FileRecipe{Recipes: []store.Form{{}}}).Marshal())))))
			for range 1000 {
				b.Contents = append(b.Contents, store.DeltaRef{From: "0", Object: f.object([]byte(store.DeltasMagic), make([]byte, 8))})
			}
			f.build(b)
		}, ""},
	}
}

// indexOf writes a list of builds of some size.
func indexOf(dir string, size int) {
	f := newForge(dir)
	text := must(json.Marshal(&store.Index{State: store.NewState(""), Builds: []string{"1"}}))
	text = bytes.Replace(text, []byte(`["1"`), append([]byte(`["1"`), bytes.Repeat([]byte(`,"2"`), size/4)...), 1)
	f.write(store.IndexName, text)
}

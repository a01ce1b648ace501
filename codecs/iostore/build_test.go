package iostore_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/iostore"
)

// pair are the files of a container by suffix, "" being the .utoc.
type pair map[string]*codecstest.Buffer

// build writes a container in memory.
func build(t testing.TB, o codecs.CreateOptions, items []codecstest.Item) pair {
	t.Helper()
	p, err := tryBuild(o, items)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func tryBuild(o codecs.CreateOptions, items []codecstest.Item) (pair, error) {
	p := pair{"": {}}
	o.Sibling = func(suffix string) (io.WriteSeeker, error) {
		p[suffix] = &codecstest.Buffer{}
		return p[suffix], nil
	}
	w, err := iostore.Format().Create(p[""], &o)
	if err != nil {
		return nil, err
	}
	for _, it := range items {
		if err := w.Add(context.Background(), it.Entry, bytes.NewReader(it.Data)); err != nil {
			return nil, err
		}
	}
	return p, w.Close()
}

// source shows the pair as the files of name.
func (p pair) source(name string) codecs.Source {
	src := codecstest.Bytes(name+".utoc", p[""].Bytes())
	dir := fstest.MapFS{}
	for suffix, b := range p {
		if suffix != "" {
			dir[name+suffix] = &fstest.MapFile{Data: b.Bytes()}
		}
	}
	src.Dir = dir
	return src
}

func (p pair) open(t testing.TB, o *codecs.Options) codecs.Archive {
	t.Helper()
	return codecstest.Open(t, iostore.Format(), p.source("Game"), o)
}

// text is content that compresses; noise does not.
func text(n int) []byte {
	return []byte(strings.Repeat("the quick brown fox jumps over the lazy dog. ", n/45+1))[:n]
}

func noise(n int) []byte {
	b := make([]byte, n)
	x := uint32(n) + 7
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return b
}

// assorted are contents of all sizes that matter.
func assorted() []codecstest.Item {
	var items []codecstest.Item
	add := func(name, typeName string, data []byte) {
		items = append(items, codecstest.Item{Entry: &codecs.Entry{Name: name, Type: typeName}, Data: data})
	}
	add("Game/Content/A.uasset", "", text(700))
	add("Game/Content/A.ubulk", "", text(200_000))
	add("Game/Content/Empty.uasset", "", nil)
	add("Game/Content/One.umap", "", []byte{1})
	add("Game/Content/Deep/Er/Noise.uasset", "", noise(65536))
	add("Game/Content/Deep/Mixed.uptnl", "", append(text(65536), noise(65536*5+3)...))
	add("Engine/Content/Ünï.m.ubulk", "", text(65536*2))
	for i := range 40 {
		add(fmt.Sprintf("Game/Content/Many/N%02d.uasset", i), "", text(100*i+50))
	}
	return items
}

var key = bytes.Repeat([]byte("key!"), 8)

func keys(id [16]byte) []byte {
	if id == [16]byte{} {
		return key
	}
	return nil
}

// oneFile is a folder with files whose bytes are sources: so that what is in a
// .ucas can be damaged by those who damage a Source.
type oneFile struct {
	name string
	src  codecs.Source
}

func (d oneFile) Open(name string) (fs.File, error) {
	if name != d.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &sourceFile{SectionReader: io.NewSectionReader(d.src, 0, d.src.Size), src: d.src}, nil
}

type sourceFile struct {
	*io.SectionReader
	src codecs.Source
}

func (f *sourceFile) ReadAt(p []byte, off int64) (int, error) { return f.src.ReadAt(p, off) }
func (f *sourceFile) Close() error                            { return nil }
func (f *sourceFile) Stat() (fs.FileInfo, error)              { return f, nil }
func (f *sourceFile) Name() string                            { return f.src.Name }
func (f *sourceFile) Size() int64                             { return f.src.Size }
func (f *sourceFile) Mode() fs.FileMode                       { return 0o444 }
func (f *sourceFile) ModTime() time.Time                      { return time.Time{} }
func (f *sourceFile) IsDir() bool                             { return false }
func (f *sourceFile) Sys() any                                { return nil }

// dataFormat reads a .ucas as if it were the archive, with utoc beside it.
func dataFormat(utoc []byte) *codecs.Format {
	f := *iostore.Format()
	f.Create = nil
	f.Probe = func(src codecs.Source) (codecs.Match, error) {
		_, err := src.ReadAt(make([]byte, 1), 0)
		if err != nil && err != io.EOF {
			return codecs.NoMatch, err
		}
		return codecs.MagicMatch, nil
	}
	f.Open = func(ctx context.Context, src codecs.Source, o *codecs.Options) (codecs.Archive, error) {
		toc := codecstest.Bytes("Game.utoc", utoc)
		toc.Dir = oneFile{"Game.ucas", src}
		return iostore.Format().Open(ctx, toc, o)
	}
	return &f
}

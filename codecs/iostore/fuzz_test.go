package iostore_test

import (
	"context"
	"encoding/binary"
	"testing"
	"testing/fstest"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
	"pakdb/codecs/iostore"
)

// joined is the format over both files in one: u32 length of the .utoc, the
// .utoc, the .ucas.
func joined() *codecs.Format {
	f := *iostore.Format()
	open := f.Open
	f.Create = nil // one stream is not enough for it
	f.Open = func(ctx context.Context, src codecs.Source, o *codecs.Options) (codecs.Archive, error) {
		all := make([]byte, src.Size)
		if _, err := src.ReadAt(all, 0); err != nil && src.Size > 0 {
			return nil, err
		}
		toc, data := split(all)
		in := codecstest.Bytes("fuzz.utoc", toc)
		in.Dir = fstest.MapFS{"fuzz.ucas": {Data: data}}
		return open(ctx, in, o)
	}
	return &f
}

func split(all []byte) (toc, data []byte) {
	if len(all) < 4 {
		return all, nil
	}
	n := min(int64(binary.LittleEndian.Uint32(all)), int64(len(all)-4))
	return all[4 : 4+n], all[4+n:]
}

func join(p pair) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(p[""].Bytes())))
	return append(append(b, p[""].Bytes()...), p[".ucas"].Bytes()...)
}

func seeds(f *testing.F) (all [][]byte) {
	small := vectorItems()
	small[1].Data = small[1].Data[:3000]
	for _, o := range []codecs.CreateOptions{
		{}, {Method: compress.Zlib, Version: "5"}, {Method: compress.LZ4, Version: "3", BlockSize: 1024},
		{Encrypt: true, Keys: keys, BlockSize: 1024}, {Version: "1"},
	} {
		all = append(all, join(build(f, o, small)))
	}
	return all
}

func FuzzOpen(f *testing.F) {
	codecstest.FuzzOpen(f, joined(), &codecs.Options{Keys: keys}, seeds(f)...)
}

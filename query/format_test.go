package query_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"iter"

	"pakdb/codecs"
)

// The archive format of these tests: magic, then records of a u32 size and as
// many bytes.
const magic = "TST1"

func record(content string) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(content))), content...)
}

func registry() *codecs.Registry {
	return &codecs.Registry{Formats: []*codecs.Format{{
		Name: "test", Spec: "-", Revision: 1,
		Probe: func(src codecs.Source) (codecs.Match, error) {
			head := make([]byte, len(magic))
			if _, err := src.ReadAt(head, 0); err != nil || string(head) != magic {
				return codecs.NoMatch, nil
			}
			return codecs.MagicMatch, nil
		},
		Open: func(_ context.Context, src codecs.Source, _ *codecs.Options) (codecs.Archive, error) {
			return records{src}, nil
		},
	}}}
}

type records struct{ src codecs.Source }

func (r records) Info() codecs.Info { return codecs.Info{Format: "test", EntryCount: -1} }
func (r records) Close() error      { return nil }

func (r records) Entries() iter.Seq2[*codecs.Entry, error] {
	return func(yield func(*codecs.Entry, error) bool) {
		for n, off := 0, int64(len(magic)); off < r.src.Size; n++ {
			var size [4]byte
			if _, err := r.src.ReadAt(size[:], off); err != nil {
				yield(nil, err)
				return
			}
			e := &codecs.Entry{Ordinal: n, Offset: off + 4, Size: int64(binary.LittleEndian.Uint32(size[:]))}
			if e.Stored = e.Size; !yield(e, nil) {
				return
			}
			off += 4 + e.Size
		}
	}
}

func (r records) Open(_ context.Context, e *codecs.Entry) (io.ReadCloser, error) {
	b := make([]byte, e.Size)
	_, err := r.src.ReadAt(b, e.Offset)
	return io.NopCloser(bytes.NewReader(b)), err
}

func (r records) OpenRaw(e *codecs.Entry) (*io.SectionReader, error) {
	return io.NewSectionReader(r.src, e.Offset, e.Stored), nil
}

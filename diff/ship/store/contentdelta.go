package store

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"

	"pakdb/diff/ship/delta/coder"
	"pakdb/internal/bin"
)

// ContentDelta makes a content of a build from one of an earlier build
// (package delta), wherever that is: in the file as it was published, in a mix,
// in a modded one.
type ContentDelta struct {
	Old, New         uint64 // ids
	OldSize, NewSize int64
	File             int // of the list's files
	Off, N           int64
}

// DeltaList is a build's deltas from one earlier build.
type DeltaList struct {
	Files  []DeltaFile
	Deltas []ContentDelta
}

// DeltaFile holds deltas, one behind the other. It is named by the first 16
// bytes of its BLAKE3.
type DeltaFile struct {
	Sum  Key
	Size int64
}

// Name returns the path of the file in the store.
func (f *DeltaFile) Name() string { return DeltaName(hex.EncodeToString(f.Sum[:])) }

const (
	// DeltasMagic is what a list of deltas begins with.
	DeltasMagic = "pkdeltas\x01"
	MaxCoded    = 64 << 20 // bytes of a content that deltas are made for, and of its origin
	MaxStream   = 8 << 20  // bytes of a delta that a client takes: some are fetched at a time, and held; larger ones save little
)

// Marshal returns the list as it is stored: the files, then the deltas by new ids,
// numbers as LEB128.
func (l *DeltaList) Marshal() []byte {
	b := binary.AppendUvarint([]byte(DeltasMagic), uint64(len(l.Files)))
	for _, f := range l.Files {
		b = append(b, f.Sum[:]...)
		b = binary.AppendUvarint(b, uint64(f.Size))
	}
	b = binary.AppendUvarint(b, uint64(len(l.Deltas)))
	for _, d := range l.Deltas {
		b = binary.LittleEndian.AppendUint64(b, d.Old)
		b = binary.LittleEndian.AppendUint64(b, d.New)
	}
	for _, d := range l.Deltas {
		b = binary.AppendUvarint(b, uint64(d.OldSize))
		b = binary.AppendVarint(b, d.NewSize-d.OldSize)
	}
	file, at := 0, int64(0)
	for _, d := range l.Deltas {
		b = binary.AppendUvarint(b, uint64(d.N))
		b = binary.AppendVarint(b, int64(d.File-file))
		b = binary.AppendVarint(b, d.Off-at)
		file, at = d.File, d.Off+d.N
	}
	return b
}

// ParseDeltaList reads what Marshal wrote. What it was not written so is
// [ErrCorrupt].
func ParseDeltaList(b []byte) (*DeltaList, error) {
	f := bin.NewFields(b, ErrCorrupt)
	if string(f.Bytes(len(DeltasMagic))) != DeltasMagic {
		f.Fail("not a list of deltas")
	}
	l := &DeltaList{Files: make([]DeltaFile, f.Count("files", maxNumber, 16+1))}
	for i := range l.Files {
		l.Files[i] = DeltaFile{Key(f.Bytes(16)), f.Number("size of a file", maxDelta)}
	}
	l.Deltas = make([]ContentDelta, f.Count("deltas", maxNumber, 8+8+1+1+1+1+1))
	for i := range l.Deltas {
		l.Deltas[i].Old, l.Deltas[i].New = f.Uint64(), f.Uint64()
	}
	for i := range l.Deltas {
		d := &l.Deltas[i]
		d.OldSize = f.Number("size of a content", MaxCoded)
		d.NewSize = d.OldSize + f.Signed("size of a content", MaxCoded)
		if d.NewSize <= 0 || d.NewSize > MaxCoded {
			f.Fail("a content of %d bytes", d.NewSize)
		}
	}
	file, at := int64(0), int64(0)
	for i := range l.Deltas {
		d := &l.Deltas[i]
		d.N = f.Number("size of a delta", MaxCoded)
		file += f.Signed("file", maxNumber)
		d.Off = at + f.Signed("place of a delta", maxDelta)
		if d.File = int(file); file < 0 || d.File >= len(l.Files) || d.Off < 0 || d.N > l.Files[d.File].Size || d.Off > l.Files[d.File].Size-d.N {
			f.Fail("a delta that is not in its file")
			break
		}
		at = d.Off + d.N
	}
	return l, end(f)
}

// Encode makes the delta from old to new.
func Encode(enc *coder.Encoder, old, new []byte) []byte {
	enc.Reset()
	x := coder.NewIndex(old)
	guess := int64(0)
	for at := 0; at < len(new); at += coder.MaxContent {
		enc.Content(new[at:min(at+coder.MaxContent, len(new))], x, guess, int64(len(old)))
		guess = enc.Next()
	}
	return bytes.Clone(enc.Bytes())
}

// DeltaReader decodes a delta.
type DeltaReader struct {
	dec   *coder.Decoder
	old   coder.Old
	left  int64
	guess int64
	rest  []byte
}

// NewDeltaReader returns a reader of size bytes, which stream makes of old.
func NewDeltaReader(dec *coder.Decoder, stream []byte, old coder.Old, size int64) *DeltaReader {
	dec.Reset(stream)
	return &DeltaReader{dec: dec, old: old, left: size}
}

func (r *DeltaReader) Read(p []byte) (n int, err error) {
	if len(r.rest) == 0 {
		if r.left == 0 {
			return 0, io.EOF
		}
		if r.rest, err = r.dec.Content(int(min(r.left, coder.MaxContent)), r.old, r.guess, r.old.Size()); err != nil {
			return 0, fmt.Errorf("%w: %w", ErrCorrupt, err)
		}
		r.guess = r.dec.Next()
		r.left -= int64(len(r.rest))
	}
	n = copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// Check compares a file of deltas with its name.
func (f *DeltaFile) Check(from *Reader) error {
	b, _, err := from.File(f.Name())
	if err != nil {
		return err
	}
	if int64(len(b)) != f.Size || KeyOf(b) != f.Sum {
		return fmt.Errorf("%w: it is not what its name says", ErrCorrupt)
	}
	return nil
}

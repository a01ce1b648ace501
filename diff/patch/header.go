package patch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/zeebo/blake3"

	"pakdb/codecs/compress"
	"pakdb/diff/delta"
	"pakdb/internal/fields"
)

// The classes of errors. [errors.ErrUnsupported] is one more.
var (
	ErrNotPatch = errors.New("not a pkdelta file")
	ErrCorrupt  = errors.New("corrupt patch")                       // damaged, truncated, or never well-formed
	ErrWrongOld = errors.New("not the file that the patch is for")  // an old file is absent or another version
	ErrResult   = errors.New("result differs from what was wanted") // nothing of it is kept
)

// Magic starts every patch file. The last byte is the version of the format.
const Magic = "pkdelta\x01"

// Bounds of what a patch may declare.
const (
	maxHeader    = 64 << 20 // bytes, decoded
	maxFiles     = 1 << 20
	maxSegments  = 1 << 20
	maxSegment   = 4 << 20 // stored bytes
	maxRecipes   = 255
	maxName      = 4 << 10
	maxSignature = 4 << 10
)

// Sum is the first half of a BLAKE3 hash, of a file or a segment. Nobody finds
// other bytes for one, and a small patch consists of little else.
type Sum [16]byte

// Root is the BLAKE3 hash of a patch's header.
type Root [32]byte

// rootStored is how many bytes of the root are in the file: enough to tell
// damage. Who is afraid of more signs the whole root.
const rootStored = 8

func sumOfBytes(b []byte) Sum {
	sum := blake3.Sum256(b)
	return Sum(sum[:])
}

// File is an old or a new file, as a patch declares it.
type File struct {
	Name string // relative, with forward slashes; of an old file what it was called when the patch was made
	Size int64
	Sum  Sum
}

// segment is a part of a patch.
type segment struct {
	stored int64
	sum    Sum
	file   int // of the new files: the one it begins in
}

// Header is what a patch says about itself.
type Header struct {
	Old, New []File
	Recipes  []Recipe // that are used
	Keys     []Key    // that applying needs
	Memory   int64    // bytes that applying needs for the largest block and what is around it
	segments []segment
	root     Root
	length   int64 // of all that is before the segments

	// Signature is the text of a minisign signature of the root, or empty.
	Signature []byte
}

// Root is the hash of the header, which has the hashes of all segments: it
// stands for the whole patch. Signatures are over it.
func (h *Header) Root() Root { return h.root }

// Length returns the size of the patch file.
func (h *Header) Length() int64 {
	n := h.length
	for _, s := range h.segments {
		n += s.stored
	}
	return n
}

// Segments returns how many parts the patch has.
func (h *Header) Segments() int { return len(h.segments) }

// marshal returns the magic, the header, its hash and the signature.
func (h *Header) marshal() []byte {
	plain := h.plain()
	var e delta.Encoder
	e.Reset()
	none := delta.NewIndex(nil)
	for at := 0; at < len(plain); at += delta.MaxContent {
		e.Content(plain[at:min(at+delta.MaxContent, len(plain))], none, 0, 0)
	}
	coded := e.Bytes()
	b := []byte(Magic)
	b = binary.AppendUvarint(b, uint64(len(plain)))
	b = binary.AppendUvarint(b, uint64(len(coded)))
	b = append(b, coded...)
	h.root = blake3.Sum256(b)
	b = append(b, h.root[:rootStored]...)
	b = binary.AppendUvarint(b, uint64(len(h.Signature)))
	b = append(b, h.Signature...)
	h.length = int64(len(b))
	return b
}

// plain is the header before it is compressed: LEB128 numbers, texts with their
// length before them, hashes.
func (h *Header) plain() (b []byte) {
	for _, list := range [][]File{h.Old, h.New} {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, f := range list {
			b = binary.AppendUvarint(b, uint64(len(f.Name)))
			b = append(b, f.Name...)
			b = binary.AppendUvarint(b, uint64(f.Size))
			b = append(b, f.Sum[:]...)
		}
	}
	b = binary.AppendUvarint(b, uint64(len(h.Recipes)))
	for _, r := range h.Recipes {
		b = binary.AppendUvarint(b, uint64(len(r.Method)))
		b = append(b, r.Method...)
		b = append(b, r.Params[:]...)
	}
	b = h.appendKeys(b)
	b = binary.AppendUvarint(b, uint64((h.Memory+1<<20-1)>>20))
	b = binary.AppendUvarint(b, uint64(len(h.segments)))
	last := 0
	for _, s := range h.segments {
		b = binary.AppendUvarint(b, uint64(s.stored))
		b = binary.AppendUvarint(b, uint64(s.file-last))
		b = append(b, s.sum[:]...)
		last = s.file
	}
	return b
}

// readHeader reads what is before the segments of a patch.
func readHeader(r io.Reader) (*Header, error) {
	fixed := make([]byte, len(Magic), len(Magic)+20)
	if _, err := io.ReadFull(r, fixed); err != nil {
		return nil, truncated(err, ErrNotPatch)
	}
	if string(fixed[:len(Magic)-1]) != Magic[:len(Magic)-1] {
		return nil, ErrNotPatch
	}
	if v := fixed[len(Magic)-1]; v != Magic[len(Magic)-1] {
		return nil, fmt.Errorf("%w: version %d of the patch format", errors.ErrUnsupported, v)
	}
	var size, stored int
	for _, n := range []*int{&size, &stored} {
		var err error
		if fixed, *n, err = appendLength(fixed, r, maxHeader); err != nil {
			return nil, err
		}
	}
	rest, err := readExact(r, stored+rootStored)
	if err != nil {
		return nil, err
	}
	coded, sum := rest[:stored], rest[stored:]
	h := &Header{root: blake3.Sum256(append(fixed, coded...)), length: int64(len(fixed) + len(rest))}
	if !bytes.Equal(h.root[:rootStored], sum) {
		return nil, fmt.Errorf("%w: the header is not what its hash says", ErrCorrupt)
	}
	if err := h.readSignature(r); err != nil {
		return nil, err
	}
	plain, err := inflate(coded, size)
	if err != nil {
		return nil, err
	}
	return h, h.parse(plain)
}

func (h *Header) readSignature(r io.Reader) error {
	b, size, err := appendLength(nil, r, maxSignature)
	if err != nil {
		return err
	}
	h.Signature, err = readExact(r, size)
	h.length += int64(len(b) + size)
	return err
}

// appendLength reads a LEB128 number up to most and appends its bytes.
func appendLength(b []byte, r io.Reader, most int) ([]byte, int, error) {
	for n, shift := 0, 0; ; shift += 7 {
		c, err := readExact(r, 1)
		if err != nil {
			return nil, 0, err
		}
		b = append(b, c[0])
		if n |= int(c[0]&0x7f) << shift; n > most || shift > 28 {
			return nil, 0, fmt.Errorf("%w: a header or signature of more than %d bytes", ErrCorrupt, most)
		}
		if c[0] < 0x80 {
			return b, n, nil
		}
	}
}

// readExact allocates as the bytes come, not as they are announced.
func readExact(r io.Reader, n int) ([]byte, error) {
	b := make([]byte, 0, min(n, 1<<20))
	for len(b) < n {
		k := min(n-len(b), 1<<20)
		b = append(b, make([]byte, k)...)
		if _, err := io.ReadFull(r, b[len(b)-k:]); err != nil {
			return nil, truncated(err, ErrCorrupt)
		}
	}
	return b, nil
}

func truncated(err, class error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("%w: it ends early", class)
	}
	return err
}

func inflate(coded []byte, size int) ([]byte, error) {
	var d delta.Decoder
	d.Reset(coded)
	var plain []byte
	for len(plain) < size {
		part, err := d.Content(min(size-len(plain), delta.MaxContent), nothing{}, 0, 0)
		if err != nil {
			return nil, fmt.Errorf("%w: header: %w", ErrCorrupt, err)
		}
		plain = append(plain, part...)
	}
	return plain, nil
}

// nothing is an old content without bytes.
type nothing struct{}

func (nothing) ReadAt([]byte, int64) (int, error) { return 0, io.EOF }
func (nothing) Size() int64                       { return 0 }

func (h *Header) parse(plain []byte) error {
	f := fields.New(plain, fmt.Errorf("%w: header", ErrCorrupt))
	h.Old, h.New = readFiles(f, "old files"), readFiles(f, "new files")
	h.Recipes = make([]Recipe, f.Count("recipes", maxRecipes, 5))
	for i := range h.Recipes {
		h.Recipes[i].Method = compress.Method(f.Text("method", 64))
		copy(h.Recipes[i].Params[:], f.Bytes(4))
	}
	h.readKeys(f)
	h.Memory = f.Number("memory", 1<<20) << 20
	h.segments = make([]segment, f.Count("segments", maxSegments, 2+len(Sum{})))
	last := 0
	for i := range h.segments {
		s := &h.segments[i]
		s.stored = f.Number("size of a segment", maxSegment)
		last += int(f.Number("file of a segment", maxFiles))
		s.file = last
		s.sum = Sum(f.Bytes(len(Sum{})))
	}
	if f.Err() == nil && f.Len() > 0 {
		f.Fail("%d bytes behind its end", f.Len())
	}
	if err := f.Err(); err != nil {
		return err
	}
	return h.check()
}

func readFiles(f *fields.Reader, what string) []File {
	list := make([]File, f.Count(what, maxFiles, 2+len(Sum{})))
	for i := range list {
		list[i] = File{Name: f.Text("name", maxName), Size: f.Number("size", 1<<62), Sum: Sum(f.Bytes(len(Sum{})))}
	}
	return list
}

// check refuses what no Make writes: names that leave the folder or occur
// twice, segments of files that are not there.
func (h *Header) check() error {
	seen := map[string]bool{}
	for _, f := range h.New {
		if err := checkName(f.Name); err != nil {
			return err
		}
		if isOwn(f.Name) {
			return fmt.Errorf("%w: header: new file %q has a name that pakdb keeps for its own files", ErrCorrupt, f.Name)
		}
		if key := strings.ToLower(f.Name); seen[key] {
			return fmt.Errorf("%w: header: two new files %q", ErrCorrupt, f.Name)
		} else {
			seen[key] = true
		}
	}
	for _, s := range h.segments {
		if s.file >= len(h.New) {
			return fmt.Errorf("%w: header: a segment of new file %d of %d", ErrCorrupt, s.file, len(h.New))
		}
	}
	return nil
}

// isOwn reports that a file, or a folder that it lies in, is called as those that
// updates leave for the time being. A patch that made one could say what the next
// update has to finish.
func isOwn(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
		return len(part) >= len(tempPrefix) && strings.EqualFold(part[:len(tempPrefix)], tempPrefix)
	})
}

// checkName admits names that mean the same below any folder of any system.
func checkName(name string) error {
	ok := utf8.ValidString(name) && name != "" && len(name) <= maxName && path.Clean(name) == name &&
		!path.IsAbs(name) && name != "." && name != ".." && !strings.HasPrefix(name, "../") &&
		!strings.ContainsAny(name, "\\:\x00")
	if !ok {
		return fmt.Errorf("%w: header: %q is no name of a file below a folder", ErrCorrupt, name)
	}
	return nil
}

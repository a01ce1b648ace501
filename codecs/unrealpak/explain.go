package unrealpak

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

// Explain reports why a file that is named .pak is not read as an Unreal pak. It
// returns nil when the file has another extension, is an Unreal pak, or cannot
// be read, and for the resources of a browser (Chromium), which are a file like
// any other. A pak of another family (Retro Studios) has its own format; asking
// is worthwhile only for files that none of them claims.
func Explain(src codecs.Source) *codecs.FormatError {
	if _, isPak := unreal.CutSuffixFold(src.Name, ".pak"); !isPak {
		return nil
	}
	f, err := readFooter(src)
	switch {
	case f != nil && f.known() && f.version == noVersion:
		return formatError(src.Name, "", err)
	case !errors.Is(err, codecs.ErrUnknown), isChromium(src):
		return nil
	}
	tail := make([]byte, min(src.Size, tailWindow))
	head := make([]byte, min(src.Size, 64))
	if bin.Fill(src, tail, src.Size-int64(len(tail))) != nil || bin.Fill(src, head, 0) != nil {
		return nil
	}
	return formatError(src.Name, "", explain(src.Size, head, tail))
}

// wholeFooter is the size of the footers of versions 8B to 13. Shorter runs of
// zeros are method names that nobody uses, at the end of a footer.
const wholeFooter = 221

func explain(size int64, head, tail []byte) error {
	where := size - int64(len(tail))
	written := len(bytes.TrimRight(tail, "\x00")) // all but the zeros at the end
	switch fork, offset := forkFooter(size, tail); {
	case size == 0:
		return at("footer", 0, codecs.Errorf(codecs.ErrTruncated, "the file is empty"))
	case len(tail)-written >= min(len(tail), wholeFooter):
		return at("footer", where+int64(written), codecs.Errorf(codecs.ErrTruncated, "half-written: the footer is zero; copy or download the file again"))
	case fork != "":
		return at("footer", where+offset, codecs.Errorf(errors.ErrUnsupported, "non-standard pak (game fork?): %s", fork))
	case bytes.HasPrefix(head, []byte("PACK")), bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return at("footer", 0, codecs.Errorf(codecs.ErrUnknown, "no Unreal pak: starts with %q", head[:4]))
	case looksLikeRecord(head, size):
		return at("footer", where, codecs.Errorf(codecs.ErrTruncated,
			"starts like an Unreal pak but has no footer: cut short (get it again), or a non-standard pak (game fork?)"))
	}
	return at("footer", where, codecs.Errorf(errors.ErrUnsupported, "non-standard pak (game fork?), or no Unreal pak at all: no footer magic"))
}

// forkFooter looks for a footer that is in order but for its magic: a known
// version at the distance from the end that it has, and an index within the
// file. It returns what it found and where the magic would be.
func forkFooter(size int64, tail []byte) (found string, offset int64) {
	for v := initial; v < versionEnd; v++ {
		pos := len(tail) - v.magicDistance()
		if pos < 0 {
			continue
		}
		r := bin.NewReader(tail[pos:], 0, leOrder)
		r.Skip(4)
		if r.I32() != v.number() {
			continue
		}
		g := readRegion(r)
		end := size - int64(v.magicDistance())
		if r.Err() == nil && g.size > 0 && g.check(end, 0) == nil {
			return fmt.Sprintf("a footer of version %v with the magic 0x%08X", v, leOrder.Uint32(tail[pos:])), int64(pos)
		}
	}
	return "", 0
}

// looksLikeRecord: the file starts with the record of an entry, whose offset
// field is 0 there.
func looksLikeRecord(head []byte, size int64) bool {
	r := bin.NewReader(head, 0, leOrder)
	offset, stored, decoded, method := r.I64(), r.I64(), r.I64(), r.U32()
	return r.Err() == nil && offset == 0 && stored > 0 && stored < size && decoded > 0 && method <= maskMethod
}

// Resources of browsers.
//
// Games that embed a browser ship its resources as .pak files of Chromium, which
// share no more than the extension. Version 4:
//
//	u32 4 | u32 resources | u8 encoding | (resources+1) x {u16 id, u32 offset}
//
// Version 5:
//
//	u32 5 | u8 encoding, 3 zeros | u16 resources | u16 aliases
//	(resources+1) x {u16 id, u32 offset} | aliases x {u16 id, u16 resource}
//
// Ids rise. The first resource begins where the tables end, and the offset of the
// last entry, which is none, is the size of the file.

const (
	version4     = 4
	version5     = 5
	maxResources = 1 << 16 // resources: their ids have 16 bits
	headSize     = 12
)

// isChromium reports whether a file is a whole .pak of Chromium. Its table is read to the end: what
// only starts like one may be an Unreal pak that was cut short.
func isChromium(src codecs.Source) bool {
	head := make([]byte, headSize)
	if bin.Fill(src, head, 0) != nil {
		return false
	}
	r := bin.NewReader(head, 0, binary.LittleEndian)
	version, encoding, aliases := r.U32(), uint32(0), int64(0)
	resources, start := int64(0), int64(headSize)
	switch version {
	case version4:
		resources, encoding, start = int64(r.U32()), uint32(r.U8()), 9
	case version5:
		encoding, resources, aliases = r.U32(), int64(r.U16()), int64(r.U16())
	default:
		return false
	}
	size := 6*(resources+1) + 4*aliases
	if encoding > 2 || resources >= maxResources || start+size > src.Size { // binary, UTF-8, UTF-16
		return false
	}
	table := make([]byte, size)
	if bin.Fill(src, table, start) != nil {
		return false
	}
	t := bin.NewReader(table, start, binary.LittleEndian)
	return resourcesFollow(t, resources, start+size, src.Size) && aliasesLead(t, aliases, resources)
}

// resourcesFollow checks that resources follow one another from first to end.
func resourcesFollow(t *bin.Reader, n, first, end int64) bool {
	id, at := int32(-1), first
	for i := range n + 1 {
		nextID, offset := int32(t.U16()), int64(t.U32())
		if i == 0 && offset != first || offset < at || i < n && nextID <= id {
			return false
		}
		id, at = nextID, offset
	}
	return at == end && id == 0 || n == 0 && at == end
}

func aliasesLead(t *bin.Reader, n, resources int64) bool {
	id := int32(-1)
	for range n {
		nextID, resource := int32(t.U16()), int64(t.U16())
		if nextID <= id || resource >= resources {
			return false
		}
		id = nextID
	}
	return t.Err() == nil
}

package unrealpak

import (
	"bytes"
	"errors"
	"fmt"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

// Explain tells why a file that is named .pak is not read as an Unreal pak. It
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

package text

import (
	"context"
	_ "embed"
	"encoding/binary"
	"io"
	"path"
	"strings"

	"pakdb/codecs"
	"pakdb/internal/bin"
)

//go:embed LOCRES.md
var locresSpec string

const locresFormatName = "locres"

// locresMaxSize bounds the content held in memory. The largest file known has 20 MB.
const locresMaxSize = 256 << 20

// The first 16 bytes, which files of version 0 lack.
const (
	magicRes  = "\x0e\x14\x74\x75\x67\x4a\x03\xfc\x4a\x15\x90\x9d\xc3\x37\x7f\x1b"
	magicMeta = "\x4f\xee\x4c\xa1\x68\x48\x55\x83\x6c\x4c\x46\xbd\x70\xda\x50\x7c"
)

// The kinds of contents.
const (
	kindRes  = "unreal-locres"
	kindMeta = "unreal-locmeta"
)

// LocresInspector returns the inspector of localised texts. Its facts are of kind
// "unreal-locres" with an [*unreal.LocresFacts], or "unreal-locmeta" with an
// [*unreal.LocmetaFacts].
//
// The first bytes decide. Without them the extension does: .locres of version 0 has
// none, and a damaged .locmeta is to be reported.
func LocresInspector() *codecs.Inspector {
	return &codecs.Inspector{
		Name:     locresFormatName,
		Doc:      "localised texts of Unreal Engine, and which languages there are",
		Spec:     locresSpec,
		Revision: 1,
		Match:    func(e *codecs.Entry, head []byte) bool { return kindOf(e, head) != "" },
		Inspect:  locresInspect,
	}
}

func kindOf(e *codecs.Entry, head []byte) string {
	switch {
	case strings.HasPrefix(string(head), magicRes):
		return kindRes
	case strings.HasPrefix(string(head), magicMeta):
		return kindMeta
	case strings.EqualFold(path.Ext(e.Name), ".locres"):
		return kindRes
	case strings.EqualFold(path.Ext(e.Name), ".locmeta"):
		return kindMeta
	}
	return ""
}

func locresInspect(ctx context.Context, content io.ReaderAt, size int64, e *codecs.Entry) (*codecs.Facts, error) {
	body, err := whole(ctx, locresFormatName, content, size, locresMaxSize)
	if err != nil {
		return nil, err
	}
	d := &locresDecoder{r: bin.NewReader(body, 0, binary.LittleEndian), size: size}
	facts := &codecs.Facts{Kind: kindOf(e, body[:min(len(body), codecs.HeadSize)])}
	if facts.Kind == kindMeta {
		facts.Detail, err = d.locmeta()
	} else {
		facts.Detail, err = d.locres(string(body[:min(len(body), len(magicRes))]) == magicRes)
	}
	if err != nil {
		return nil, err
	}
	facts.Problems = d.problems
	return facts, nil
}

// locresFailure makes an error of texts.
func locresFailure(field string, err error, off int64) *codecs.FormatError {
	return failure(locresFormatName, field, err, off)
}
